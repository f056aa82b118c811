"""Llama, Qwen, Mistral and their kin: rotary positions, grouped-query heads, RMS norms before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from regard.errors import InvalidModel
from regard.models.architecture import Architecture
from regard.models.families import given
from regard.models.families.rotary_frequencies import rotary_of
from regard.models.tensors import Tensors

_KNOWN = ("llama", "mistral", "qwen2", "qwen3")


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture if the names are Llama's."""
    prefix = given.prefix_of(tensors, "layers.0.self_attn.q_proj.weight")
    if prefix is None or f"{prefix}layers.0.input_layernorm.weight" not in tensors:
        return None
    kind = given.check_kind(tensors, _KNOWN, "Llama")
    layer = prefix + "layers.{layer}."
    query = f"{layer}self_attn.q_proj.weight"
    width, d_model = given.matrix_shape(tensors, query.replace("{layer}", "0"))
    kv_width, _ = given.matrix_shape(tensors, f"{prefix}layers.0.self_attn.k_proj.weight")
    n_heads = given.whole_number(tensors, ("num_attention_heads",), "the number of heads")
    d_head = given.head_width(tensors, width, n_heads, "q_proj")
    if kv_width % d_head or n_heads % (kv_width // d_head):
        raise InvalidModel(f"{tensors.source}: k_proj is {kv_width} wide, and heads {d_head}.")
    parts = {
        "token_embedding": f"{prefix}embed_tokens.weight",
        "query_norm": f"{layer}self_attn.q_norm.weight",
        "key_norm": f"{layer}self_attn.k_norm.weight",
        "attention_norm": f"{layer}input_layernorm.weight",
        "mlp_norm": f"{layer}post_attention_layernorm.weight",
    }
    parts |= given.with_biases(
        layer,
        attention=tuple(f"self_attn.{name}_proj" for name in "qkvo"),
        mlp=tuple(f"mlp.{name}_proj" for name in ("gate", "up", "down")),
    )
    said = tensors.config.get("rope_parameters") or tensors.config.get("rope_scaling")
    scaling = said if isinstance(said, Mapping) else None
    base = given.number(tensors, "rope_theta", 10000.0)
    if scaling is not None and isinstance(scaling.get("rope_theta"), int | float):
        base = float(scaling["rope_theta"])
    turned = int(d_head * given.number(tensors, "partial_rotary_factor", 1.0))
    length = given.whole_number(tensors, ("max_position_embeddings",), "the longest context", 2048)
    plain = given.plain(
        tensors, kind or "llama", parts, query, d_model=d_model, heads=(n_heads, d_head)
    )
    return replace(
        plain,
        n_kv_heads=kv_width // d_head,
        is_causal=True,
        norm="rms",
        norm_eps=given.number(tensors, "rms_norm_eps", 1e-6),
        activation=given.word(tensors, "hidden_act", "silu"),
        positions="rotary",
        rotary=rotary_of(tensors.source, base, turned, "halves", scaling, length),
        reach=_reach(tensors, kind),
    )


def _reach(tensors: Tensors, kind: str) -> int | None:
    """Return how many keys a query sees at most, where a window slides along with it."""
    used = tensors.config.get("use_sliding_window", not kind.startswith("qwen"))
    if used is not True or tensors.config.get("sliding_window") is None:
        return None
    return given.whole_number(tensors, ("sliding_window",), "the sliding window")
