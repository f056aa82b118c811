"""Small models with drawn weights, as state dicts with the names of their libraries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


def _drawn(seed: int, shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    rng = np.random.default_rng(seed)
    return {
        name: (
            (1 + 0.3 * rng.normal(size=shape))
            if ("norm" in name.lower() and name.endswith("weight"))
            or (".ln_" in name and name.endswith("weight"))
            else 0.4 * rng.normal(size=shape)
        ).astype(np.float32)
        for name, shape in shapes.items()
    }


def bert(
    layers: int = 2, heads: int = 3, d: int = 15, vocabulary: int = 23, longest: int = 29
) -> Arrays:
    shapes: dict[str, tuple[int, ...]] = {
        "bert.embeddings.word_embeddings.weight": (vocabulary, d),
        "bert.embeddings.position_embeddings.weight": (longest, d),
        "bert.embeddings.token_type_embeddings.weight": (2, d),
        "bert.embeddings.LayerNorm.weight": (d,),
        "bert.embeddings.LayerNorm.bias": (d,),
    }
    for i in range(layers):
        p = f"bert.encoder.layer.{i}."
        for place, (out, inner) in {
            "attention.self.query": (d, d),
            "attention.self.key": (d, d),
            "attention.self.value": (d, d),
            "attention.output.dense": (d, d),
            "intermediate.dense": (31, d),
            "output.dense": (d, 31),
        }.items():
            shapes |= {f"{p}{place}.weight": (out, inner), f"{p}{place}.bias": (out,)}
        for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{p}{norm}.weight": (d,), f"{p}{norm}.bias": (d,)}
    return _drawn(1, shapes)


BERT_CONFIG = {"model_type": "bert", "num_attention_heads": 3, "layer_norm_eps": 1e-12}


def gpt2(
    layers: int = 2, heads: int = 3, d: int = 15, vocabulary: int = 23, longest: int = 29
) -> Arrays:
    shapes: dict[str, tuple[int, ...]] = {
        "transformer.wte.weight": (vocabulary, d),
        "transformer.wpe.weight": (longest, d),
        "transformer.ln_f.weight": (d,),
        "transformer.ln_f.bias": (d,),
    }
    for i in range(layers):
        p = f"transformer.h.{i}."
        for place, (inner, out) in {
            "attn.c_attn": (d, 3 * d),
            "attn.c_proj": (d, d),
            "mlp.c_fc": (d, 31),
            "mlp.c_proj": (31, d),
        }.items():
            shapes |= {f"{p}{place}.weight": (inner, out), f"{p}{place}.bias": (out,)}
        for norm in ("ln_1", "ln_2"):
            shapes |= {f"{p}{norm}.weight": (d,), f"{p}{norm}.bias": (d,)}
    return _drawn(2, shapes)


GPT2_CONFIG = {"model_type": "gpt2", "n_head": 3, "layer_norm_epsilon": 1e-5}


def llama(
    layers: int = 2, heads: int = 6, kv_heads: int = 2, d: int = 14, d_head: int = 10,
    vocabulary: int = 23, bias: bool = True, norms: bool = True,
) -> Arrays:  # fmt: skip
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (vocabulary, d),
        "model.norm.weight": (d,),
    }
    for i in range(layers):
        p = f"model.layers.{i}."
        for place, (out, inner) in {
            "self_attn.q_proj": (heads * d_head, d),
            "self_attn.k_proj": (kv_heads * d_head, d),
            "self_attn.v_proj": (kv_heads * d_head, d),
            "self_attn.o_proj": (d, heads * d_head),
            "mlp.gate_proj": (31, d),
            "mlp.up_proj": (31, d),
            "mlp.down_proj": (d, 31),
        }.items():
            shapes[f"{p}{place}.weight"] = (out, inner)
            if bias and place[-6:] in ("q_proj", "k_proj", "v_proj"):
                shapes[f"{p}{place}.bias"] = (out,)
        shapes |= {f"{p}input_layernorm.weight": (d,), f"{p}post_attention_layernorm.weight": (d,)}
        if norms:
            shapes |= {f"{p}self_attn.{x}_norm.weight": (d_head,) for x in "qk"}
    return _drawn(3, shapes)


LLAMA_CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "rope_theta": 500.0,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 64,
}


def t5(
    layers: int = 2, heads: int = 3, d: int = 14, d_head: int = 5, vocabulary: int = 23
) -> Arrays:
    shapes: dict[str, tuple[int, ...]] = {"shared.weight": (vocabulary, d)}
    for i in range(layers):
        p = f"encoder.block.{i}.layer."
        for x in "qkv":
            shapes[f"{p}0.SelfAttention.{x}.weight"] = (heads * d_head, d)
        shapes[f"{p}0.SelfAttention.o.weight"] = (d, heads * d_head)
        shapes |= {f"{p}0.layer_norm.weight": (d,), f"{p}1.layer_norm.weight": (d,)}
        shapes |= {
            f"{p}1.DenseReluDense.wi.weight": (31, d),
            f"{p}1.DenseReluDense.wo.weight": (d, 31),
        }
    shapes["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"] = (32, heads)
    return _drawn(4, shapes)


T5_CONFIG = {"model_type": "t5", "num_heads": 3, "layer_norm_epsilon": 1e-6}


def write(folder: Path, arrays: Arrays, config: Mapping[str, Any]) -> Path:
    """Write a folder as Hugging Face lays it out, with the library's own writer."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(dict(config)))
    return folder
