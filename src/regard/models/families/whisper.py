"""Whisper's encoder, and those like it: a table of positions, norms before, sound for tokens."""

from __future__ import annotations

from dataclasses import replace

from regard.errors import InvalidModel
from regard.models.architecture import Architecture
from regard.models.families import given
from regard.models.tensors import Tensors

_TEXT = ("shared.weight", "encoder.embed_tokens.weight", "encoder.layernorm_embedding.weight")


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture of the encoder if the names are Whisper's."""
    prefix = given.prefix_of(tensors, "encoder.layers.0.self_attn.q_proj.weight")
    if prefix is None or f"{prefix}encoder.embed_positions.weight" not in tensors:
        return None
    if any(f"{prefix}{name}" in tensors for name in _TEXT):
        raise InvalidModel(
            f"{tensors.source}: is an encoder of text with Whisper's names, whose norms and "
            f"positions differ from model to model. A mapping file can say how: see docs/models.md."
        )
    layer = prefix + "encoder.layers.{layer}."
    query = f"{layer}self_attn.q_proj.weight"
    width, d_model = given.matrix_shape(tensors, query.replace("{layer}", "0"))
    n_heads = given.whole_number(
        tensors, ("encoder_attention_heads", "num_attention_heads"), "the number of heads"
    )
    parts = {"position_embedding": f"{prefix}encoder.embed_positions.weight"}
    parts |= given.with_biases(
        layer,
        attention=tuple(f"self_attn.{name}_proj" for name in ("q", "k", "v", "out")),
        norms=("self_attn_layer_norm", "final_layer_norm"),
        mlp=("fc1", "fc2"),
    )
    d_head = given.head_width(tensors, width, n_heads, "q_proj")
    plain = given.plain(tensors, "whisper", parts, query, d_model, (n_heads, d_head))
    return replace(
        plain,
        activation=given.word(tensors, "activation_function", "gelu"),
        weights_only="its encoder reads sound, not tokens",
        notes=("positions are read without content: the encoder has no table of tokens",),
    )
