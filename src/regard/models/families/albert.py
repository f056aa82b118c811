"""ALBERT: BERT whose layers share their tensors, with narrow embeddings made wide by a matrix."""

from __future__ import annotations

from dataclasses import replace

from regard.models.architecture import Architecture
from regard.models.families import given
from regard.models.tensors import Tensors

_INNER = "encoder.albert_layer_groups.{layer}.albert_layers.0."


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture if the names are ALBERT's."""
    first = _INNER.replace("{layer}", "0")
    prefix = given.prefix_of(tensors, f"{first}attention.query.weight")
    if prefix is None:
        return None
    given.check_kind(tensors, ("albert",), "ALBERT")
    layer, embeddings = prefix + _INNER, f"{prefix}embeddings."
    wide = f"{prefix}encoder.embedding_hidden_mapping_in"
    query = f"{layer}attention.query.weight"
    width, d_model = given.matrix_shape(tensors, f"{prefix}{first}attention.query.weight")
    n_heads = given.whole_number(tensors, ("num_attention_heads",), "the number of heads")
    groups = given.count_layers(tensors, query)
    n_layers = given.whole_number(tensors, ("num_hidden_layers",), "the number of layers", groups)
    parts = {
        "token_embedding": f"{embeddings}word_embeddings.weight",
        "position_embedding": f"{embeddings}position_embeddings.weight",
        "type_embedding": f"{embeddings}token_type_embeddings.weight",
        "embedding_norm": f"{embeddings}LayerNorm.weight",
        "embedding_norm_bias": f"{embeddings}LayerNorm.bias",
        "embedding_projection": f"{wide}.weight",
        "embedding_projection_bias": f"{wide}.bias",
    }
    parts |= given.with_biases(
        layer,
        attention=tuple(f"attention.{name}" for name in ("query", "key", "value", "dense")),
        norms=("attention.LayerNorm", "full_layer_layer_norm"),
        mlp=("ffn", "ffn_output"),
    )
    inner = f"{prefix}{first}".replace("albert_layers.0.", "albert_layers.1.")
    several = f"{inner}attention.query.weight" in tensors
    d_head = given.head_width(tensors, width, n_heads, "query")
    plain = given.plain(tensors, "albert", parts, query, d_model, (n_heads, d_head))
    return replace(
        plain,
        stored=tuple(i * groups // n_layers for i in range(n_layers)),
        norm_eps=given.number(tensors, "layer_norm_eps", 1e-12),
        norm_first=False,
        activation=given.word(tensors, "hidden_act", "gelu_new"),
        weights_only="its groups hold several layers, of which the first is read"
        if several
        else "",
    )
