"""Attention with learned matrices: one head. Several side by side are in `multi_head`.

A head reads queries, keys and values off its input with matrices that act from
the right,

    query = x W_Q + b_Q,   key = context W_K + b_K,   value = context W_V + b_V,

attends, and writes with W_O. What a head does is decided by two products alone:
A = W_K W_Qᵀ, which says how well a key token matches a query token (key on the
left), and OV = W_V W_O, which says what is copied from one token to another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from regard.core.call import mask_array, quiet
from regard.core.head_calls import Array, HeadCalls
from regard.core.head_pictures import matrices_picture
from regard.core.projections import Tokens
from regard.shapes.layout import fit_mask
from regard.shapes.matrices import read_matrices
from regard.shapes.other_words import ONE_HEAD_WORDS

ONE_HEAD = {
    "W_Q": ("d_model", "d_k"),
    "W_K": ("d_context", "d_k"),
    "W_V": ("d_context", "d_v"),
    "W_O": ("d_v", "d_out"),
    "b_Q": ("d_k",),
    "b_K": ("d_k",),
    "b_V": ("d_v",),
    "b_O": ("d_out",),
}


@dataclass(frozen=True, eq=False, repr=False)
class Head(HeadCalls):
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

    _name = "Head"
    _words = ONE_HEAD_WORDS

    def __post_init__(self) -> None:
        axes = ONE_HEAD if self.W_O is not None else ONE_HEAD | {"b_O": ("d_v",)}
        replace(self, read_matrices("Head", vars(self), axes))

    def _stack(self) -> dict[str, Any]:
        return {name: _stacked(getattr(self, name)) for name in ONE_HEAD}

    def _mask(self, tokens: Tokens, mask: Any) -> Any:
        if mask is None:
            return None
        mask = mask_array("Head", mask)
        lengths = tokens.x.shape[-2], tokens.context.shape[-2]
        fit_mask("Head", mask, tokens.batch, *lengths, heads_settled=False)
        return mask[..., None, :, :] if mask.ndim > 2 else mask

    def _write(self, tokens: Tokens, averages: Array) -> Any:
        return tokens.write(averages[..., 0, :, :], self.W_O, self.b_O)

    def _per_head(self, weights: Any) -> Any:
        return weights[..., 0, :, :]

    @property
    def A(self) -> Array:
        """W_K W_Qᵀ, (d_context, d_model). Key token k and query token q score k A qᵀ."""
        return product(self.W_K, self.W_Q.T)

    @property
    def OV(self) -> Array:
        """W_V W_O, (d_context, d_out), what a token that is attended to writes."""
        return product(self.W_V, self.W_O)

    def __repr__(self) -> str:
        d_model, d_k = self.W_Q.shape
        d_out = (self.W_V if self.W_O is None else self.W_O).shape[-1]
        return f"Head(d_model={d_model}, d_k={d_k}, d_out={d_out}, scale={self.scale})"

    def _repr_html_(self) -> str:
        return matrices_picture(repr(self), self.A[None], self.OV[None])


@quiet
def product(left: Array, right: Array | None) -> Array:
    """Return left · right, or a copy of left where there is nothing to multiply with."""
    return left.copy() if right is None else left @ right


def _stacked(matrix: Array | None) -> Array | None:
    return None if matrix is None else matrix[None]


def replace(head: Any, fields: Mapping[str, Any]) -> None:
    """Put checked arrays in place of what the caller gave; the head is frozen from then on."""
    for name, value in fields.items():
        object.__setattr__(head, name, value)
