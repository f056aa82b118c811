"""Encoders built of Keras' MultiHeadAttention, exported to ONNX: norms after the sums.

Names are scopes of layers: encoder_0/multiheadattention/query/kernel. Dense layers are counted
through the whole model, so that their names differ from layer to layer.
"""

from __future__ import annotations

import re

from regard.models.architecture import Architecture
from regard.models.formats.onnx_graph import POSITIONS, TOKENS
from regard.models.tensors import Tensors

_QUERY = re.compile(r"(.*?)(\d+)(/[^/]*attention[^/]*)/query/kernel")


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture if the names are those of Keras in ONNX."""
    found = {int(m[2]): m for name in tensors.entries if (m := _QUERY.fullmatch(name))}
    if not found or POSITIONS not in tensors or TOKENS not in tensors:
        return None
    layers = [found[i] for i in sorted(found)]
    before, inside = layers[0][1], layers[0][3]
    scopes = [f"{match[1]}{match[2]}" for match in layers]
    bias = f"{scopes[0]}{inside}/query/add/ReadVariableOp:0"
    shape = tensors.entries[bias].shape if bias in tensors else ()
    if len(shape) != 2 or len({match[1] + match[3] for match in layers}) != 1:
        return None
    parts: dict[str, str | tuple[str, ...]] = {TOKENS: TOKENS, POSITIONS: POSITIONS}
    layer = f"{before}{{layer}}"
    for part, place in (
        ("query", "query"),
        ("key", "key"),
        ("value", "value"),
        ("output", "attention_output"),
    ):
        name = f"{layer}{inside}/{place}"
        parts |= {part: f"{name}/kernel", f"{part}_bias": f"{name}/bias"}
    for part, place in (("attention_norm", "att"), ("mlp_norm", "ffn")):
        norm = f"{layer}/{place}_layernormalization/batchnorm/"
        parts |= {part: f"{norm}mul/ReadVariableOp:0", f"{part}_bias": f"{norm}ReadVariableOp:0"}
    dense = [_dense(tensors, scope) for scope in scopes]
    complete = all(len(pair) == 2 for pair in dense)
    if complete:
        for part, k in (("mlp_up", 0), ("mlp_down", 1)):
            parts[part] = tuple(f"{pair[k]}/kernel" for pair in dense)
            parts[f"{part}_bias"] = tuple(f"{pair[k]}/bias" for pair in dense)
    eps = next((name for name in tensors.entries if name.endswith("batchnorm/add/y:0")), None)
    return Architecture(
        family="keras encoder",
        n_heads=shape[0],
        n_kv_heads=shape[0],
        d_model=tensors.shape(TOKENS)[1],
        d_head=shape[1],
        tensors=parts,
        stored=tuple(sorted(found)),
        transposed=True,
        norm_eps=1e-3 if eps is None else float(tensors.read(eps)),
        norm_first=False,
        activation="relu",
        weights_only="" if complete else "its MLP was not found in the graph",
        notes=("the MLP is taken to have relu between its matrices, as the graph has it",)
        if complete
        else (),
    )


def _dense(tensors: Tensors, scope: str) -> list[str]:
    """Return the scopes of the dense layers of one encoder, in the order of their numbers."""
    pattern = re.compile(re.escape(scope) + r"/(?:[^/]+/)*dense(?:_(\d+))?/kernel")
    matched = [(int(m[1] or 0), name) for name in tensors.entries if (m := pattern.fullmatch(name))]
    return [name.removesuffix("/kernel") for _, name in sorted(matched)]
