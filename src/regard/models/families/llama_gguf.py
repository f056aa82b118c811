"""Llama and its kin as GGUF names them.

Files of the architecture "llama" have the rows of W_Q and W_K moved so that pairs of rotary entries
lie side by side; those of Qwen have them in halves, as the original.
"""

from __future__ import annotations

import dataclasses

from regard.errors import InvalidModel
from regard.models.architecture import Architecture
from regard.models.families import given
from regard.models.families.rotary_frequencies import rotary_of
from regard.models.tensors import Tensors

_LAYOUTS = {"llama": "interleaved", "qwen2": "halves", "qwen3": "halves"}


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture if the names are those of a GGUF file."""
    if "blk.0.attn_q.weight" not in tensors:
        return None
    kind = given.word(tensors, "general.architecture", "")
    if kind not in _LAYOUTS:
        raise InvalidModel(
            f"{tensors.source}: GGUF of the architecture {kind[:40]!r} is not read. "
            f"Those that are: {', '.join(_LAYOUTS)}."
        )
    n_heads = given.whole_number(tensors, (f"{kind}.attention.head_count",), "the number of heads")
    width, d_model = given.matrix_shape(tensors, "blk.0.attn_q.weight")
    kv_width, _ = given.matrix_shape(tensors, "blk.0.attn_k.weight")
    d_head = given.head_width(tensors, width, n_heads, "attn_q")
    kv_heads = given.whole_number(
        tensors, (f"{kind}.attention.head_count_kv",), "key heads", n_heads
    )
    if kv_width != kv_heads * d_head or n_heads % kv_heads:
        raise InvalidModel(
            f"{tensors.source}: attn_k is {kv_width} wide and not {kv_heads} heads of {d_head}."
        )
    parts = {
        "token_embedding": "token_embd.weight",
        "query_norm": "blk.{layer}.attn_q_norm.weight",
        "key_norm": "blk.{layer}.attn_k_norm.weight",
    }
    parts |= given.with_biases(
        "blk.{layer}.",
        attention=("attn_q", "attn_k", "attn_v", "attn_output"),
        norms=("attn_norm", "ffn_norm"),
        mlp=("ffn_gate", "ffn_up", "ffn_down"),
    )
    base = given.number(tensors, f"{kind}.rope.freq_base", 10000.0)
    turned = given.whole_number(
        tensors, (f"{kind}.rope.dimension_count",), "the rotary width", d_head
    )
    scaling = None
    if given.word(tensors, f"{kind}.rope.scaling.type", "none") != "none":
        scaling = {
            "type": given.word(tensors, f"{kind}.rope.scaling.type", ""),
            "factor": tensors.config.get(f"{kind}.rope.scaling.factor"),
            "original_max_position_embeddings": tensors.config.get(
                f"{kind}.rope.scaling.original_context_length", 2048
            ),
        }
    rotary = rotary_of(tensors.source, base, turned, _LAYOUTS[kind], scaling, 2048)
    if "rope_freqs.weight" in tensors:  # what llama3's scaling divides each frequency by
        factors = tensors.read("rope_freqs.weight")
        if factors.shape != rotary.frequencies.shape or not (factors > 0).all():
            raise InvalidModel(
                f"{tensors.source}: rope_freqs.weight must be {turned // 2} factors."
            )
        rotary = dataclasses.replace(rotary, frequencies=rotary.frequencies / factors)
    plain = given.plain(
        tensors, kind, parts, "blk.{layer}.attn_q.weight", d_model=d_model, heads=(n_heads, d_head)
    )
    return dataclasses.replace(
        plain,
        n_kv_heads=kv_heads,
        is_causal=True,
        norm="rms",
        norm_eps=given.number(tensors, f"{kind}.attention.layer_norm_rms_epsilon", 1e-6),
        activation="silu",
        positions="rotary",
        rotary=rotary,
    )
