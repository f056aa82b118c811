"""Heads as the state dict of torch's `nn.MultiheadAttention`, with zeros where they are narrower.

torch cuts d_model evenly among its heads and divides scores by sqrt(d_model / n_heads). Columns of
zeros widen a head without changing its scores or its output, and W_Q takes up the other scale.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.multi_head import MultiHead
from regard.errors import ShapeError
from regard.shapes import show

__all__ = ["state_dict"]

Array = NDArray[Any]


def state_dict(heads: MultiHead) -> dict[str, Array]:
    """Return in_proj_weight (3 d, d), in_proj_bias, out_proj.weight (d, d) and out_proj.bias.

    Load it into `nn.MultiheadAttention(d_model, n_heads, batch_first=True)`. Where the heads write
    fewer than d_model entries the others are 0.
    """
    n_heads, d, d_k = heads.W_Q.shape
    d_v = heads.W_V.shape[-1]
    d_out = n_heads * d_v if heads.W_O is None else heads.W_O.shape[-1]
    if heads.W_K.shape[1] != d or heads.W_V.shape[1] != d:
        raise ShapeError(
            f"export: torch's module reads one width here. Got W_Q {show(heads.W_Q.shape)}, "
            f"W_K {show(heads.W_K.shape)}."
        )
    width = d // n_heads
    if d % n_heads or max(d_k, d_v) > width or d_out > d:
        raise ShapeError(
            f"export: torch's module cuts d_model = {d} evenly among {n_heads} heads, so d_k and "
            f"d_v must be at most {d / n_heads:g} and d_out at most {d}. Got d_k {d_k}, d_v {d_v}, "
            f"d_out {d_out}. An ONNX file has no such limit."
        )
    scale = d_k**-0.5 if heads.scale is None else float(heads.scale)
    grown = scale * width**0.5

    def rows(stack: Array, bias: Array | None, factor: float = 1.0) -> tuple[Array, Array]:
        """Widen (heads, d, k) to torch's (heads · width, d), and its bias."""
        weight, shift = np.zeros((n_heads, width, d)), np.zeros((n_heads, width))
        weight[:, : stack.shape[-1]] = factor * stack.swapaxes(-1, -2)
        if bias is not None:
            shift[:, : stack.shape[-1]] = factor * bias
        return weight.reshape(n_heads * width, d), shift.reshape(-1)

    inner = [
        rows(heads.W_Q, heads.b_Q, grown),
        rows(heads.W_K, heads.b_K),
        rows(heads.W_V, heads.b_V),
    ]
    out = np.zeros((n_heads, width, d))
    if heads.W_O is None:
        for h in range(n_heads):
            out[h, :d_v, h * d_v : (h + 1) * d_v] = np.eye(d_v)
    else:
        out[:, :d_v, :d_out] = heads.W_O
    bias = np.zeros(d)
    if heads.b_O is not None:
        bias[:d_out] = heads.b_O
    return {
        "in_proj_weight": np.concatenate([weight for weight, _ in inner]),
        "in_proj_bias": np.concatenate([shift for _, shift in inner]),
        "out_proj.weight": np.ascontiguousarray(out.reshape(n_heads * width, d).T),
        "out_proj.bias": bias,
    }
