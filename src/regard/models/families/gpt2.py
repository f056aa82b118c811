"""GPT-2: learned positions, norms before, one fused matrix for queries, keys and values."""

from __future__ import annotations

from dataclasses import replace

from regard.errors import InvalidModel
from regard.models.architecture import Architecture
from regard.models.families import given
from regard.models.tensors import Tensors


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture if the names are GPT-2's."""
    prefix = given.prefix_of(tensors, "h.0.attn.c_attn.weight")
    if prefix is None:
        return None
    given.check_kind(tensors, ("gpt2",), "GPT-2")
    if tensors.config.get("scale_attn_by_inverse_layer_idx") is True:
        raise InvalidModel(
            f"{tensors.source}: its scores are divided by the number of the layer, which is not "
            f"read here."
        )
    layer = prefix + "h.{layer}."
    fused = f"{layer}attn.c_attn.weight"
    d_model, three = given.matrix_shape(tensors, f"{prefix}h.0.attn.c_attn.weight")
    if three != 3 * d_model:
        raise InvalidModel(
            f"{tensors.source}: {prefix}h.0.attn.c_attn.weight must be (d, 3 d). "
            f"Got ({d_model}, {three})."
        )
    n_heads = given.whole_number(tensors, ("n_head", "num_attention_heads"), "the number of heads")
    parts = {
        "token_embedding": f"{prefix}wte.weight",
        "position_embedding": f"{prefix}wpe.weight",
    }
    parts |= given.with_biases(
        layer,
        attention=("attn.c_attn", "attn.c_proj"),
        norms=("ln_1", "ln_2"),
        mlp=("mlp.c_fc", "mlp.c_proj"),
    )
    d_head = given.head_width(tensors, d_model, n_heads, "attn.c_attn")
    plain = given.plain(tensors, "gpt2", parts, fused, d_model, (n_heads, d_head))
    return replace(
        plain,
        transposed=True,
        is_causal=True,
        scale=1.0 if tensors.config.get("scale_attn_weights") is False else None,
        norm_eps=given.number(tensors, "layer_norm_epsilon", 1e-5),
        activation=given.word(tensors, "activation_function", "gelu_new"),
    )
