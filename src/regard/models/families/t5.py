"""T5's encoder: relative positions, scores not scaled, RMS norms before."""

from __future__ import annotations

from dataclasses import replace

from regard.models.architecture import Architecture
from regard.models.families import given
from regard.models.tensors import Tensors


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture of the encoder if the names are T5's."""
    prefix = given.prefix_of(tensors, "encoder.block.0.layer.0.SelfAttention.q.weight")
    if prefix is None:
        return None
    layer = prefix + "encoder.block.{layer}.layer."
    attend = f"{layer}0.SelfAttention."
    width, d_model = given.matrix_shape(tensors, f"{attend}q.weight".replace("{layer}", "0"))
    given.check_kind(tensors, ("t5", "mt5"), "T5")
    bias = f"{attend}relative_attention_bias.weight".replace("{layer}", "0")
    count, by_table = given.matrix_shape(tensors, bias)
    n_heads = given.whole_number(tensors, ("num_heads",), "the number of heads", by_table)
    mlp = f"{layer}1.DenseReluDense."
    gated = f"{mlp}wi_0.weight".replace("{layer}", "0") in tensors
    shared = f"{prefix}shared.weight"
    parts = {
        "token_embedding": shared if shared in tensors else f"{prefix}encoder.embed_tokens.weight",
        "relative_bias": bias,
        "query": f"{attend}q.weight",
        "key": f"{attend}k.weight",
        "value": f"{attend}v.weight",
        "output": f"{attend}o.weight",
        "attention_norm": f"{layer}0.layer_norm.weight",
        "mlp_norm": f"{layer}1.layer_norm.weight",
        "mlp_gate": f"{mlp}wi_0.weight",
        "mlp_up": f"{mlp}wi_1.weight" if gated else f"{mlp}wi.weight",
        "mlp_down": f"{mlp}wo.weight",
    }
    d_head = given.head_width(tensors, width, n_heads, "SelfAttention.q")
    plain = given.plain(
        tensors, "t5", parts, f"{attend}q.weight", d_model=d_model, heads=(n_heads, d_head)
    )
    return replace(
        plain,
        scale=1.0,
        norm="rms",
        norm_eps=given.number(tensors, "layer_norm_epsilon", 1e-6),
        activation=given.word(tensors, "feed_forward_proj", "gated-gelu" if gated else "relu"),
        positions="relative",
        buckets=(
            count,
            given.whole_number(
                tensors, ("relative_attention_max_distance",), "the last distance", 128
            ),
        ),
        notes=("of a model with a decoder, the encoder's heads are read",),
    )
