"""BERT, RoBERTa and their kin: learned positions, norms after the sums."""

from __future__ import annotations

from dataclasses import replace

from regard.models.architecture import Architecture
from regard.models.families import given
from regard.models.tensors import Tensors

_FROM_TWO = ("roberta", "xlm-roberta", "camembert")  # their first position is row 2 of the table
_KNOWN = ("bert", *_FROM_TWO, "electra")
_LAYER = "encoder.layer.{layer}."


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture if the names are BERT's."""
    prefix = given.prefix_of(tensors, "encoder.layer.0.attention.self.query.weight")
    if prefix is None:
        return None
    layer, embeddings = prefix + _LAYER, f"{prefix}embeddings."
    query = f"{layer}attention.self.query.weight"
    width, d_model = given.matrix_shape(tensors, query.replace("{layer}", "0"))
    n_heads = given.whole_number(tensors, ("num_attention_heads",), "the number of heads")
    old = f"{embeddings}LayerNorm.gamma" in tensors
    gain, shift = ("gamma", "beta") if old else ("weight", "bias")
    parts = {
        "token_embedding": f"{embeddings}word_embeddings.weight",
        "position_embedding": f"{embeddings}position_embeddings.weight",
        "type_embedding": f"{embeddings}token_type_embeddings.weight",
        "embedding_norm": f"{embeddings}LayerNorm.{gain}",
        "embedding_norm_bias": f"{embeddings}LayerNorm.{shift}",
        "attention_norm": f"{layer}attention.output.LayerNorm.{gain}",
        "attention_norm_bias": f"{layer}attention.output.LayerNorm.{shift}",
        "mlp_norm": f"{layer}output.LayerNorm.{gain}",
        "mlp_norm_bias": f"{layer}output.LayerNorm.{shift}",
    }
    parts |= given.with_biases(
        layer,
        attention=(
            *(f"attention.self.{name}" for name in ("query", "key", "value")),
            "attention.output.dense",
        ),
        mlp=("intermediate.dense", "output.dense"),
    )
    wide = f"{prefix}embeddings_project"
    parts |= {"embedding_projection": f"{wide}.weight", "embedding_projection_bias": f"{wide}.bias"}
    kind = given.check_kind(tensors, _KNOWN, "BERT") or _kind_by_shape(tensors, prefix)
    relative = given.word(tensors, "position_embedding_type", "absolute") != "absolute"
    d_head = given.head_width(tensors, width, n_heads, query.replace("{layer}", "0"))
    plain = given.plain(
        tensors,
        "roberta" if kind in _FROM_TWO else "bert",
        parts,
        query,
        d_model=d_model,
        heads=(n_heads, d_head),
    )
    return replace(
        plain,
        is_causal=tensors.config.get("is_decoder") is True,
        norm_eps=given.number(tensors, "layer_norm_eps", 1e-12),
        norm_first=False,
        activation=given.word(tensors, "hidden_act", "gelu"),
        first_position=2 if kind in _FROM_TWO else 0,
        weights_only="its keys have relative positions that are not read" if relative else "",
    )


def _kind_by_shape(tensors: Tensors, prefix: str) -> str:
    """Tell RoBERTa, which has one type of tokens and two rows before its positions, from BERT."""
    if "roberta." in prefix:
        return "roberta"
    types, places = (
        f"{prefix}embeddings.{name}_embeddings.weight" for name in ("token_type", "position")
    )
    if types not in tensors or places not in tensors:
        return "bert"
    one_type = tensors.entries[types].shape[:1] == (1,)
    return "roberta" if one_type and tensors.entries[places].shape[0] % 8 == 2 else "bert"
