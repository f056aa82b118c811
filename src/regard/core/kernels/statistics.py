"""What is asked for about the weights of a problem, and the arrays that a kernel fills with it.

A kernel that meets NaN or infinity, or a product that overflows, leaves NaN as the lse of the row;
:mod:`regard.core.kernels.careful_statistics` does these rows again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels.problem import Index

Array = NDArray[Any]


@dataclass(frozen=True)
class Asked:
    """What is asked for beside the numbers that every query has.

    Attributes:
        offsets: int64: the key at position - offset of each query.
        columns: int64: keys.
        position: int64 (*outer, n_q): that of each query among the keys.
    """

    offsets: NDArray[np.int64]
    columns: NDArray[np.int64]
    position: NDArray[np.int64]

    def part(self, where: Index) -> Asked:
        """Return what is asked for about some rows: an index into the outer axes and n_q."""
        return Asked(self.offsets, self.columns, self.position[where])


@dataclass(frozen=True)
class Found:
    """The statistics of a problem, arrays that a kernel fills.

    Attributes:
        lse, entropy, peak: (*outer, n_q).
        argmax: int64 (*outer, n_q).
        top_weights, top_keys: (*outer, n_q, top), the keys int64.
        offset_mass: (*outer, n_q, len(offsets)).
        column_mass: (*outer, n_q, len(columns)).
        received: (*outer, n_k), or None where it is not wanted.
    """

    lse: Array
    entropy: Array
    peak: Array
    argmax: Array
    top_weights: Array
    top_keys: Array
    offset_mass: Array
    column_mass: Array
    received: Array | None = None

    @property
    def per_query(self) -> tuple[Array, ...]:
        """The arrays that have an entry or a row for each query."""
        return (
            self.lse,
            self.entropy,
            self.peak,
            self.argmax,
            self.top_weights,
            self.top_keys,
            self.offset_mass,
            self.column_mass,
        )

    def part(self, where: Index) -> Found:
        """Return views of what belongs to some rows: an index into the outer axes and n_q."""
        return Found(*(array[where] for array in self.per_query))

    def put(self, where: Index, found: Found) -> None:
        """Write what was found about some rows into their places."""
        for array, own in zip(self.per_query, found.per_query, strict=True):
            array[where] = own
