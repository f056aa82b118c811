"""Attention with learned matrices: one head. Several side by side are in `multi_head`.

A head reads queries, keys and values off its input with matrices that act from
the right,

    query = x W_Q + b_Q,   key = context W_K + b_K,   value = context W_V + b_V,

attends, and writes with W_O. What a head does is decided by two products alone:
A = W_K W_Qᵀ, which says how well a key token matches a query token (key on the
left), and OV = W_V W_O, which says what is copied from one token to another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.core.call import Rules, mask_array, quiet
from regard.core.head_pictures import matrices_picture, weights_figure
from regard.core.projections import Tokens
from regard.shapes.layout import fit_mask
from regard.shapes.matrices import read_matrices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]

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
        axes = ONE_HEAD if self.W_O is not None else ONE_HEAD | {"b_O": ("d_v",)}
        replace(self, read_matrices("Head", vars(self), axes))

    @quiet
    def __call__(
        self,
        x: Any,
        context: Any = None,
        *,
        positions: Any = None,
        mask: Any = None,
        is_causal: bool = False,
        causal_offset: Any = 0,
        window: tuple[int | None, int | None] | None = None,
        key_lengths: Any = None,
        softcap: float | None = None,
    ) -> Any:
        """Attend from the tokens `x` to the tokens `context`, or to `x` itself.

        Args:
            x: (..., n, d_model).
            context: (..., n_context, d_context). None is x: self-attention.
            positions: (..., rows, d_model). Row t is added to token t of x and of
                the context, so there must be as many rows as tokens or more.
            mask: broadcasts to (..., n, n_context), as in `regard.attention`.
            is_causal, causal_offset, window, key_lengths, softcap: as in `regard.attention`,
                with one number per batch of x where it takes one.

        Returns:
            (..., n, d_out); without W_O, (..., n, d_v).
        """
        tokens = Tokens("Head", x, context, positions, vars(self))
        rules = Rules(self.scale, is_causal, causal_offset, window, key_lengths, softcap)
        averages = tokens.attend(self._stacked(), _between(tokens, mask), rules)
        return tokens.write(averages[..., 0, :, :], self.W_O, self.b_O)

    @quiet
    def weights(
        self,
        x: Any,
        context: Any = None,
        *,
        positions: Any = None,
        mask: Any = None,
        is_causal: bool = False,
        causal_offset: Any = 0,
        window: tuple[int | None, int | None] | None = None,
        key_lengths: Any = None,
        softcap: float | None = None,
    ) -> Any:
        """Return how much each token of `x` attends to each token of `context`.

        Arguments are those of a call of the head.

        Returns:
            (..., n, n_context); rows sum to 1, or are 0 where a token may attend to nothing.
        """
        tokens = Tokens("Head", x, context, positions, vars(self))
        rules = Rules(self.scale, is_causal, causal_offset, window, key_lengths, softcap)
        return tokens.weigh(self._stacked(), _between(tokens, mask), rules)[..., 0, :, :]

    def plot(
        self,
        x: Any,
        context: Any = None,
        *,
        tokens: Sequence[str] | None = None,
        context_tokens: Sequence[str] | None = None,
        **rules: Any,
    ) -> Figure:
        """Draw the weights as a map: a row for each token of x, a column for each it may attend to.

        Args:
            x, context: as in a call; without batch axes.
            tokens: what to call the tokens of x, and of the context where that is x.
            context_tokens: what to call the tokens of the context.
            rules: positions, mask, is_causal and the rest, as in a call.
        """
        weights = np.asarray(self.weights(x, context, **rules))
        return weights_figure("Head", weights, tokens, context_tokens, own=context is None)

    def _stacked(self) -> dict[str, Any]:
        """The matrices with an axis for the one head in front."""
        return {name: _stacked(getattr(self, name)) for name in ONE_HEAD}

    @property
    def A(self) -> Array:
        """W_K W_Qᵀ, (d_context, d_model). Key token k and query token q score k A qᵀ."""
        return product(self.W_K, self.W_Q.T)

    @property
    def QK(self) -> Array:
        """W_Q W_Kᵀ, the transpose of A."""
        return self.A.T

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


def _between(tokens: Tokens, mask: Any) -> Any:
    """Return the mask with an axis for the one head: its batch axes are those of the tokens."""
    if mask is None:
        return None
    mask = mask_array("Head", mask)
    lengths = tokens.x.shape[-2], tokens.context.shape[-2]
    fit_mask("Head", mask, tokens.batch, *lengths, heads_settled=False)
    return mask[..., None, :, :] if mask.ndim > 2 else mask


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
