"""Several heads that read the same tokens, side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regard.arrays import numbers
from regard.core.head_calls import Array, HeadCalls
from regard.core.head_layouts import other_layout, unpacked
from regard.core.head_pictures import matrices_picture
from regard.core.heads import ONE_HEAD, Head, product, replace
from regard.core.projections import Tokens
from regard.core.torch_module import from_torch, to_torch
from regard.errors import ShapeError
from regard.shapes import choice
from regard.shapes.matrices import read_matrices

_HEAD_AXES = {
    **dict.fromkeys(("W_Q", "W_O", "b_Q"), ("n_heads",)),
    **dict.fromkeys(("W_K", "W_V", "b_K", "b_V"), ("n_kv_heads",)),
    "b_O": (),
}
_MANY_HEADS = {name: _HEAD_AXES[name] + axes for name, axes in ONE_HEAD.items()}


@dataclass(frozen=True, eq=False, repr=False)
class MultiHead(HeadCalls):
    """Several heads that read the same tokens.

    Args:
        W_Q: (n_heads, d_model, d_k).
        W_K: (n_heads, d_model, d_k). Fewer heads, a divisor of n_heads, are shared;
            a context of another width makes it (n_heads, d_context, d_k).
        W_V: (n_heads, d_model, d_v). Likewise.
        W_O: (n_heads, d_v, d_out); also as one matrix, (n_heads · d_v, d_out) for
            "concat" and (d_v, d_out) for "mean". Or None.
        combine: "concat" puts the heads' averages side by side and applies W_O, which
            is the sum over heads of average · W_O[head]; "mean" divides that sum by
            n_heads, so that without W_O it is the mean of the averages.
        b_Q, b_K, b_V: (n_heads, d_k) and so on; b_O: (d_out,), added once at the end.
        scale: multiplies the scores. None is 1/sqrt(d_k).

    Example:
        >>> import numpy as np, regard
        >>> W = np.ones((2, 3, 1))
        >>> regard.MultiHead(W, W, W)(np.eye(3)).shape, regard.MultiHead(
        ...     W, W, W, combine="mean")(np.eye(3)).shape
        ((3, 2), (3, 1))
    """

    W_Q: Any
    W_K: Any
    W_V: Any
    W_O: Any = None
    combine: str = field(default="concat", kw_only=True)
    scale: float | None = field(default=None, kw_only=True)
    b_Q: Any = field(default=None, kw_only=True)
    b_K: Any = field(default=None, kw_only=True)
    b_V: Any = field(default=None, kw_only=True)
    b_O: Any = field(default=None, kw_only=True)
    dtype: str = field(init=False)

    _name = "MultiHead"

    def __post_init__(self) -> None:
        choice("MultiHead", "combine", self.combine, ("concat", "mean"))
        axes = _MANY_HEADS
        joined = "n_heads*d_v" if self.combine == "concat" else "d_v"
        if self.W_O is None:
            axes = axes | {"b_O": (joined,)}
        elif numbers("MultiHead", "W_O", self.W_O).array.ndim == 2:
            axes = axes | {"W_O": (joined, "d_out")}
        try:
            matrices = read_matrices("MultiHead", vars(self), axes)
        except ShapeError as problem:
            raise ShapeError(f"{problem}{other_layout(vars(self))}") from None
        W_O = matrices["W_O"]
        if W_O is not None and W_O.ndim == 2:
            shape = (len(matrices["W_Q"]), matrices["W_V"].shape[-1], W_O.shape[-1])
            concat = self.combine == "concat"
            matrices["W_O"] = W_O.reshape(shape) if concat else np.broadcast_to(W_O, shape)
        replace(self, matrices)

    def _stack(self) -> dict[str, Any]:
        return vars(self)

    def _mask(self, tokens: Tokens, mask: Any) -> Any:
        return mask

    def _write(self, tokens: Tokens, averages: Array) -> Any:
        if self.combine == "mean" and self.W_O is None:
            return tokens.write(averages.mean(axis=-3), None, self.b_O)
        n_heads, n, d_v = averages.shape[-3:]
        side_by_side = averages.swapaxes(-3, -2).reshape(*averages.shape[:-3], n, n_heads * d_v)
        joined = self.W_O
        if joined is not None:
            joined = joined.reshape(n_heads * d_v, joined.shape[-1])
        if joined is not None and self.combine == "mean":
            joined = joined / n_heads
        return tokens.write(side_by_side, joined, self.b_O)

    def _per_head(self, weights: Any) -> Any:
        return weights

    @classmethod
    def from_arrays(
        cls,
        W_Q: Any = None,
        W_K: Any = None,
        W_V: Any = None,
        W_O: Any = None,
        *,
        n_heads: int,
        n_kv_heads: int | None = None,
        W_QKV: Any = None,
        b_Q: Any = None,
        b_K: Any = None,
        b_V: Any = None,
        b_QKV: Any = None,
        b_O: Any = None,
        layout: str = "out_in",
        scale: float | None = None,
    ) -> MultiHead:
        """Return heads whose matrices lie side by side in one matrix each, as models store them.

        Args:
            W_Q: (n_heads · d_k, d_model) with layout "out_in", which is how torch's `nn.Linear`
                keeps it; (d_model, n_heads · d_k) with "in_out", as GPT-2's Conv1D does. With
                an axis of heads: (d_model, n_heads, d_k) with "in_head_out", as in Flax and Keras,
                (n_heads, d_model, d_k) with "head_in_out", as in TransformerLens, and
                (n_heads, d_k, d_model) with "head_out_in".
            W_K, W_V: likewise, with n_kv_heads heads.
            W_O: (d_out, n_heads · d_v) with "out_in", (n_heads · d_v, d_out) with "in_out"; with
                an axis of heads (n_heads, d_v, d_out), and (n_heads, d_out, d_v) in "head_out_in".
            n_heads: how many heads there are.
            n_kv_heads: how many of keys and values; None is as many. It divides n_heads.
            W_QKV: instead of W_Q, W_K and W_V: the three of them in this order in one matrix, of
                the same width where n_kv_heads is n_heads (torch's `in_proj_weight`).
            b_Q, b_K, b_V, b_QKV, b_O: vectors, laid out as the matrix of the same letter.
            layout: one of the five above, for all matrices.
            scale: multiplies the scores. None is 1/sqrt(d_k).

        Example:
            >>> import numpy as np, regard
            >>> packed = np.arange(48.0).reshape(12, 4)  # 3 · 4 rows, d_model 4
            >>> regard.MultiHead.from_arrays(n_heads=2, W_QKV=packed, W_O=np.eye(4)).W_Q[1, 0]
            array([ 8., 12.])
        """
        given = locals()
        try:
            return cls(**unpacked(given))
        except ShapeError as problem:
            raise ShapeError(f"{problem}{other_layout(given)}") from None

    @classmethod
    def from_torch(cls, module: Any) -> MultiHead:
        """Return the heads of a `torch.nn.MultiheadAttention`; 16-bit numbers become float32.

        Queries, keys and values come from one input there, or keys and values from one context;
        `batch_first` and `dropout` are about calls, not about the heads.
        """
        return cls(**from_torch(module))

    def to_torch(self) -> Any:
        """Return a `torch.nn.MultiheadAttention` with `batch_first` that computes the same.

        torch has d_k = d_v = d_model / n_heads and the scale 1/sqrt(d_k): narrower heads are
        filled up with zeros, and the scale goes into W_Q. Heads that do not fit are refused.
        """
        return to_torch(self)

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads one by one; their outputs leave out b_O, which belongs to all of them."""
        n_heads = len(self.W_Q)

        def own(name: str, h: int) -> Any:
            stack = getattr(self, name)
            return None if stack is None else stack[h * len(stack) // n_heads]

        per_head = [name for name in ONE_HEAD if name != "b_O"]
        return tuple(
            Head(**{name: own(name, h) for name in per_head}, scale=self.scale)
            for h in range(n_heads)
        )

    @property
    def A(self) -> Array:
        """W_K W_Qᵀ of each head, (n_heads, d_context, d_model)."""
        shared = np.repeat(self.W_K, len(self.W_Q) // len(self.W_K), axis=0)
        return product(shared, self.W_Q.swapaxes(-1, -2))

    @property
    def OV(self) -> Array:
        """W_V W_O of each head, (n_heads, d_context, d_out)."""
        shared = np.repeat(self.W_V, len(self.W_Q) // len(self.W_V), axis=0)
        return product(shared, self.W_O)

    def __repr__(self) -> str:
        n_heads, d_model, d_k = self.W_Q.shape
        return (
            f"MultiHead(n_heads={n_heads}, d_model={d_model}, d_k={d_k}, "
            f"d_v={self.W_V.shape[-1]}, combine={self.combine!r}, scale={self.scale})"
        )

    def _repr_html_(self) -> str:
        return matrices_picture(repr(self), self.A, self.OV)
