"""One attention call as every kernel sees it: arrays that fit, and nothing left to check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.masks import KeyRange

Array = NDArray[Any]
Index = tuple[Any, ...]


@dataclass(frozen=True)
class Problem:
    """Attention over views that share their outer axes.

    Attributes:
        query: (*outer, n_q, d_k), float32 or float64, the last axis contiguous.
        key: (*outer, n_k, d_k), likewise; outer axes may have stride 0.
        value: (*outer, n_k, d_v), likewise.
        scale: multiplies the scores.
        softcap: None, or the bound s of s·tanh(score/s).
        mask: None, or (*outer, n_q, n_k) boolean (True = may attend) or float (added),
            of the dtype of the query.
        key_range: None, or which keys each query may attend to, axes (*outer, n_q).
    """

    query: Array
    key: Array
    value: Array
    scale: float
    softcap: float | None = None
    mask: Array | None = None
    key_range: KeyRange | None = None

    @property
    def outer(self) -> tuple[int, ...]:
        """The axes that number the independent problems."""
        return self.query.shape[:-2]

    @property
    def n_q(self) -> int:
        """The number of queries of each problem."""
        return self.query.shape[-2]

    @property
    def n_k(self) -> int:
        """The number of keys of each problem."""
        return self.key.shape[-2]

    def part(self, outer: Index, rows: slice) -> Problem:
        """Return the problem of some rows of some of the outer axes, as views."""
        whole = (*outer, slice(None))
        some = (*outer, rows)
        return Problem(
            query=self.query[some],
            key=self.key[whole],
            value=self.value[whole],
            scale=self.scale,
            softcap=self.softcap,
            mask=None if self.mask is None else self.mask[some],
            key_range=None if self.key_range is None else self.key_range.at(some),
        )

    def scores(self, start: int, stop: int, stage: str = "masked") -> Array:
        """Return the scores of the keys start ≤ j < stop, (*outer, n_q, stop - start), newly made.

        Stages: "raw" is scale · q·k; "softcapped" comes after the softcap;
        "masked" is what the softmax sees, -inf where a query may not attend.
        """
        # Scaled after the product: a query times a small scale could fall below the normal range.
        key = self.key[..., start:stop, :]
        raw: Array = np.matmul(self.query, key.swapaxes(-1, -2))
        raw *= raw.dtype.type(self.scale)
        return self.finished(raw, start, stop, stage)

    def finished(self, scores: Array, start: int, stop: int, stage: str) -> Array:
        """Take raw scores of the keys start ≤ j < stop to a later stage, in place."""
        if stage == "raw":
            return scores
        if self.softcap is not None:
            scores /= scores.dtype.type(self.softcap)
            np.tanh(scores, out=scores)
            scores *= scores.dtype.type(self.softcap)
        if stage == "softcapped":
            return scores
        bias, barred = self.bias(start, stop), self.barred(start, stop)
        if bias is not None:
            scores += bias
        if barred is not None:
            # Overwriting, not adding -inf: a NaN in a key that is masked out must not survive.
            np.copyto(scores, -np.inf, where=barred)
        return scores

    def bias(self, start: int, stop: int) -> Array | None:
        """Return what the mask adds to the scores of the keys start ≤ j < stop, if it is float."""
        if self.mask is None or self.mask.dtype == np.bool_:
            return None
        return self.mask[..., start:stop]

    def barred(self, start: int, stop: int) -> Array | None:
        """Return which of the keys start ≤ j < stop may not be attended to (None: all may)."""
        excluded = None if self.key_range is None else self.key_range.excluded(start, stop)
        if self.mask is None:
            return excluded
        mask = self.mask[..., start:stop]
        barred: Array = ~mask if mask.dtype == np.bool_ else np.isneginf(mask)
        return barred if excluded is None else barred | excluded

    def attends_to_any(self, block: int = 512) -> Array:
        """Return which queries may attend to some key, whatever its score, (*outer, n_q)."""
        some = np.zeros(self.query.shape[:-1], dtype=bool)
        for start in range(0, self.n_k, block):
            stop = min(start + block, self.n_k)
            barred = self.barred(start, stop)
            some |= True if barred is None else ~barred.all(axis=-1)
        return some
