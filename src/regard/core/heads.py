"""Attention with learned matrices: one head, and several of them side by side.

A head reads queries, keys and values off its input with matrices that act from
the right,

    query = x W_Q + b_Q,   key = context W_K + b_K,   value = context W_V + b_V,

attends, and writes with W_O. What a head does is decided by two products alone:
A = W_K W_Qᵀ, which says how well a key token matches a query token (key on the
left), and OV = W_V W_O, which says what is copied from one token to another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import numbers
from regard.core.call import mask_array, quiet
from regard.core.projections import Tokens
from regard.shapes import choice
from regard.shapes.layout import fit_mask
from regard.shapes.matrices import read_matrices

Array = NDArray[Any]

_ONE_HEAD = {
    "W_Q": ("d_model", "d_k"),
    "W_K": ("d_context", "d_k"),
    "W_V": ("d_context", "d_v"),
    "W_O": ("d_v", "d_out"),
    "b_Q": ("d_k",),
    "b_K": ("d_k",),
    "b_V": ("d_v",),
    "b_O": ("d_out",),
}
_HEAD_AXES = {
    **dict.fromkeys(("W_Q", "W_O", "b_Q"), ("n_heads",)),
    **dict.fromkeys(("W_K", "W_V", "b_K", "b_V"), ("n_kv_heads",)),
    "b_O": (),
}
_MANY_HEADS = {name: _HEAD_AXES[name] + axes for name, axes in _ONE_HEAD.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Head:
    """One attention head.

    Args:
        W_Q: (d_model, d_k).
        W_K: (d_model, d_k), or (d_context, d_k) for a context of another width.
        W_V: (d_model, d_v), or (d_context, d_v).
        W_O: (d_v, d_out), or None: the output is then the average of the values itself.
        b_Q, b_K, b_V, b_O: vectors added after the matrix of the same letter.
        scale: multiplies the scores. None is 1/sqrt(d_k).

    Example:
        Token 1 looks at token 0 and copies it:

        >>> import numpy as np, regard
        >>> head = regard.Head(W_Q=[[0], [9]], W_K=[[9], [0]], W_V=np.eye(2), scale=1)
        >>> head(np.eye(2))[1].round(6)
        array([1., 0.])
    """

    W_Q: Any
    W_K: Any
    W_V: Any
    W_O: Any = None
    b_Q: Any = field(default=None, kw_only=True)
    b_K: Any = field(default=None, kw_only=True)
    b_V: Any = field(default=None, kw_only=True)
    b_O: Any = field(default=None, kw_only=True)
    scale: float | None = field(default=None, kw_only=True)
    dtype: str = field(init=False)

    def __post_init__(self) -> None:
        axes = _ONE_HEAD if self.W_O is not None else _ONE_HEAD | {"b_O": ("d_v",)}
        _replace(self, read_matrices("Head", vars(self), axes))

    @quiet
    def __call__(
        self,
        x: Any,
        context: Any = None,
        *,
        positions: Any = None,
        mask: Any = None,
        is_causal: bool = False,
    ) -> Any:
        """Attend from the tokens `x` to the tokens `context`, or to `x` itself.

        Args:
            x: (..., n, d_model).
            context: (..., n_context, d_context). None is x: self-attention.
            positions: (..., rows, d_model). Row t is added to token t of x and of
                the context, so there must be as many rows as tokens or more.
            mask: broadcasts to (..., n, n_context), as in `regard.attention`.
            is_causal: token i may attend to tokens j ≤ i only.

        Returns:
            (..., n, d_out); without W_O, (..., n, d_v).
        """
        tokens = Tokens("Head", x, context, positions, vars(self))
        stacked = {name: _stacked(getattr(self, name)) for name in _ONE_HEAD}
        if mask is not None:
            # The mask's batch axes are those of x; the one head stands between.
            mask = mask_array("Head", mask)
            lengths = tokens.x.shape[-2], tokens.context.shape[-2]
            fit_mask("Head", mask, tokens.batch, *lengths, heads_settled=False)
            mask = mask[..., None, :, :] if mask.ndim > 2 else mask
        averages = tokens.attend(stacked, self.scale, mask, is_causal)[..., 0, :, :]
        return tokens.write(averages, self.W_O, self.b_O)

    @property
    def A(self) -> Array:
        """W_K W_Qᵀ, (d_context, d_model). Key token k and query token q score k A qᵀ."""
        return _product(self.W_K, self.W_Q.T)

    @property
    def QK(self) -> Array:
        """W_Q W_Kᵀ, the transpose of A."""
        return self.A.T

    @property
    def OV(self) -> Array:
        """W_V W_O, (d_context, d_out), what a token that is attended to writes."""
        return _product(self.W_V, self.W_O)

    def __repr__(self) -> str:
        d_model, d_k = self.W_Q.shape
        d_out = (self.W_V if self.W_O is None else self.W_O).shape[-1]
        return f"Head(d_model={d_model}, d_k={d_k}, d_out={d_out}, scale={self.scale})"


@dataclass(frozen=True, eq=False, repr=False)
class MultiHead:
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

    def __post_init__(self) -> None:
        choice("MultiHead", "combine", self.combine, ("concat", "mean"))
        axes = _MANY_HEADS
        joined = "n_heads*d_v" if self.combine == "concat" else "d_v"
        if self.W_O is None:
            axes = axes | {"b_O": (joined,)}
        elif numbers("MultiHead", "W_O", self.W_O).array.ndim == 2:
            axes = axes | {"W_O": (joined, "d_out")}
        matrices = read_matrices("MultiHead", vars(self), axes)
        W_O = matrices["W_O"]
        if W_O is not None and W_O.ndim == 2:
            shape = (len(matrices["W_Q"]), matrices["W_V"].shape[-1], W_O.shape[-1])
            concat = self.combine == "concat"
            matrices["W_O"] = W_O.reshape(shape) if concat else np.broadcast_to(W_O, shape)
        _replace(self, matrices)

    @quiet
    def __call__(
        self,
        x: Any,
        context: Any = None,
        *,
        positions: Any = None,
        mask: Any = None,
        is_causal: bool = False,
    ) -> Any:
        """Attend from the tokens `x` to the tokens `context`, or to `x` itself.

        Args:
            x: (..., n, d_model).
            context: (..., n_context, d_context). None is x: self-attention.
            positions: (..., rows, d_model). Row t is added to token t of x and of
                the context, so there must be as many rows as tokens or more.
            mask: broadcasts to (..., n_heads, n, n_context), as in `regard.attention`.
            is_causal: token i may attend to tokens j ≤ i only.

        Returns:
            (..., n, d_out); without W_O, (..., n, n_heads · d_v) or, for "mean",
            (..., n, d_v).
        """
        tokens = Tokens("MultiHead", x, context, positions, vars(self))
        averages = tokens.attend(vars(self), self.scale, mask, is_causal)
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

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads one by one; their outputs leave out b_O, which belongs to all of them."""
        n_heads = len(self.W_Q)

        def own(name: str, h: int) -> Any:
            stack = getattr(self, name)
            return None if stack is None else stack[h * len(stack) // n_heads]

        per_head = [name for name in _ONE_HEAD if name != "b_O"]
        return tuple(
            Head(**{name: own(name, h) for name in per_head}, scale=self.scale)
            for h in range(n_heads)
        )

    @property
    def A(self) -> Array:
        """W_K W_Qᵀ of each head, (n_heads, d_context, d_model)."""
        shared = np.repeat(self.W_K, len(self.W_Q) // len(self.W_K), axis=0)
        return _product(shared, self.W_Q.swapaxes(-1, -2))

    @property
    def QK(self) -> Array:
        """W_Q W_Kᵀ of each head, the transposes of A."""
        return self.A.swapaxes(-1, -2)

    @property
    def OV(self) -> Array:
        """W_V W_O of each head, (n_heads, d_context, d_out)."""
        shared = np.repeat(self.W_V, len(self.W_Q) // len(self.W_V), axis=0)
        return _product(shared, self.W_O)

    def __repr__(self) -> str:
        n_heads, d_model, d_k = self.W_Q.shape
        return (
            f"MultiHead(n_heads={n_heads}, d_model={d_model}, d_k={d_k}, "
            f"d_v={self.W_V.shape[-1]}, combine={self.combine!r}, scale={self.scale})"
        )


@quiet
def _product(left: Array, right: Array | None) -> Array:
    return left.copy() if right is None else left @ right


def _stacked(matrix: Array | None) -> Array | None:
    return None if matrix is None else matrix[None]


def _replace(head: Head | MultiHead, fields: dict[str, Any]) -> None:
    """Put checked arrays in place of what the caller gave; the head is frozen from then on."""
    for name, value in fields.items():
        object.__setattr__(head, name, value)
