"""Heads as an ONNX model around the operator Attention of opset 23."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.core.multi_head import MultiHead
from regard.errors import InvalidModel

__all__ = ["onnx_model"]


def onnx_model(heads: MultiHead, dtype: str) -> Any:
    """Return a model with the input x (batch, n, d_model) and the output y (batch, n, d_out).

    Positions, where the heads want them, are part of x.
    """
    try:
        from onnx import TensorProto, helper, numpy_helper
    except ModuleNotFoundError:
        raise InvalidModel("export: ONNX needs a package: pip install 'regard[models]'.") from None
    kind = TensorProto.DOUBLE if dtype == "float64" else TensorProto.FLOAT
    n_heads, d_model, d_k = heads.W_Q.shape
    d_v = heads.W_V.shape[-1]
    scale = d_k**-0.5 if heads.scale is None else float(heads.scale)
    constants: list[Any] = []
    nodes: list[Any] = []

    def constant(name: str, array: Any) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array, dtype=dtype), name))
        return name

    def linear(source: str, name: str, matrix: Any, bias: Any, result: str) -> str:
        product = result if bias is None else f"{result}_product"
        nodes.append(helper.make_node("MatMul", [source, constant(f"W_{name}", matrix)], [product]))
        if bias is not None:
            nodes.append(helper.make_node("Add", [product, constant(f"b_{name}", bias)], [result]))
        return result

    def side_by_side(stack: Any) -> Any:
        return stack.transpose(1, 0, 2).reshape(stack.shape[1], -1)

    for name, result in (("Q", "query"), ("K", "key"), ("V", "value")):
        stack, bias = getattr(heads, f"W_{name}"), getattr(heads, f"b_{name}")
        flat = None if bias is None else bias.reshape(-1)
        if name == "Q":  # the attribute scale has 32 bits, so W_Q takes it up
            stack, flat = stack * scale, None if flat is None else flat * scale
        linear("x", name, side_by_side(stack), flat, result)
    plain = heads.W_O is None and heads.b_O is None
    nodes.append(
        helper.make_node(
            "Attention",
            ["query", "key", "value"],
            ["y" if plain else "averages"],
            q_num_heads=n_heads,
            kv_num_heads=len(heads.W_K),
            scale=1.0,
        )
    )
    d_out = n_heads * d_v if heads.W_O is None else heads.W_O.shape[-1]
    if not plain:
        joined = np.eye(d_out) if heads.W_O is None else heads.W_O.reshape(n_heads * d_v, d_out)
        linear("averages", "O", joined, heads.b_O, "y")
    graph = helper.make_graph(
        nodes,
        "regard heads",
        [helper.make_tensor_value_info("x", kind, ["batch", "n", d_model])],
        [helper.make_tensor_value_info("y", kind, ["batch", "n", d_out])],
        constants,
    )
    opset = [helper.make_opsetid("", 23)]
    return helper.make_model(graph, opset_imports=opset, ir_version=11, producer_name="regard")
