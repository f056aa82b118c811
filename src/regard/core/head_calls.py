"""What a call of one head and of several have in common: tokens in, averages or weights out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Never

import numpy as np
from numpy.typing import NDArray

from regard.core.call import Rules, quiet
from regard.core.eager import eager
from regard.core.head_pictures import weights_figure
from regard.core.projections import Tokens
from regard.shapes.other_words import HEAD_WORDS, arguments_of, known_words, refuse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
# What a call has beside the tokens.
KNOWN = (
    *("context", "positions", "mask", "is_causal", "causal_offset", "window", "key_lengths"),
    "softcap",
)


class HeadCalls(ABC):
    """How tokens attend; heads say how their matrices are stacked, and how they are written."""

    scale: float | None
    _name: ClassVar[str]  # in messages
    _words: ClassVar[Mapping[str, str]] = HEAD_WORDS  # for the words of other libraries

    @eager
    @known_words
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
        **other: Never,
    ) -> Any:
        """Attend from the tokens `x` to the tokens `context`, or to `x` itself.

        Args:
            x: (..., n, d_model).
            context: (..., n_context, d_context). None is x: self-attention.
            positions: (..., rows, d_model). Row t is added to token t of x and of
                the context, so there must be as many rows as tokens or more.
            mask: broadcasts to (..., n, n_context), or with several heads to
                (..., n_heads, n, n_context), as in `regard.attention`.
            is_causal, causal_offset, window, key_lengths, softcap: as in `regard.attention`,
                with one number per batch of x where it takes one.

        Returns:
            (..., n, d_out); without W_O, (..., n, d_v), or (..., n, n_heads · d_v) where
            several heads stand side by side.
        """
        if other:
            self._refuse("", other)
        tokens = Tokens(self._name, x, context, positions, vars(self))
        rules = Rules(self.scale, is_causal, causal_offset, window, key_lengths, softcap)
        return self._write(tokens, tokens.attend(self._stack(), self._mask(tokens, mask), rules))

    @eager
    @arguments_of(__call__)
    @quiet
    def weights(
        self, x: Any, context: Any = None, *, positions: Any = None, mask: Any = None, **rules: Any
    ) -> Any:
        """Return how much each token of `x` attends to each token of `context`, in each head.

        Arguments are those of a call.

        Returns:
            (..., n, n_context), with several heads (..., n_heads, n, n_context); rows sum to 1,
            or are 0 where a token may attend to nothing.
        """
        tokens = Tokens(self._name, x, context, positions, vars(self))
        self._refuse(".weights", rules)
        return self._per_head(
            tokens.weigh(self._stack(), self._mask(tokens, mask), Rules(self.scale, **rules))
        )

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

        Several heads have a map each.

        Args:
            x, context: as in a call; without batch axes.
            tokens: what to call the tokens of x, and of the context where that is x.
            context_tokens: what to call the tokens of the context.
            rules: positions, mask, is_causal and the rest, as in a call.
        """
        self._refuse(".plot", rules)
        weights = np.asarray(self.weights(x, context, **rules))
        return weights_figure(self._name, weights, tokens, context_tokens, own=context is None)

    def _refuse(self, method: str, given: Mapping[str, object]) -> None:
        """Refuse the first argument that a call does not have, if there is one."""
        other = {word: x for word, x in given.items() if word not in KNOWN}
        if other:
            refuse(f"{self._name}{method}", other, KNOWN, self._words)

    @property
    @abstractmethod
    def A(self) -> Array:
        """W_K W_Qᵀ. Key token k and query token q score k A qᵀ."""

    @property
    @abstractmethod
    def OV(self) -> Array:
        """W_V W_O, what a token that is attended to writes."""

    @property
    def QK(self) -> Array:
        """W_Q W_Kᵀ, the transpose of A; of each head, where there are several."""
        return self.A.swapaxes(-1, -2)

    @abstractmethod
    def _stack(self) -> Mapping[str, Any]:
        """The matrices with an axis for heads in front."""

    @abstractmethod
    def _mask(self, tokens: Tokens, mask: Any) -> Any:
        """The mask with an axis for heads, where it has one for batches."""

    @abstractmethod
    def _write(self, tokens: Tokens, averages: Array) -> Any:
        """Write the averages of the heads, (..., n_heads, n, d_v), with W_O."""

    @abstractmethod
    def _per_head(self, weights: Any) -> Any:
        """The weights (..., n_heads, n, n_context), in the axes that the caller knows."""
