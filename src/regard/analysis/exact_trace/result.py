"""What a trace gives back: every matrix in exact numbers, and where each entry came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.analysis.exact_trace.decimals import decimal, nearest_float
from regard.analysis.exact_trace.input import read_digits
from regard.analysis.exact_trace.notation import exact_text
from regard.analysis.exact_trace.numbers import Surd
from regard.analysis.exact_trace.steps import ExactArray
from regard.errors import ParameterError
from regard.report import Report
from regard.shapes import integer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.analysis.exact_trace.entries import Entry

__all__ = ["Trace"]


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """Every number of an attention head, exactly.

    Rationals are `fractions.Fraction`. A score under the scale 1/√d_k is a Surd z/√d_k. A weight
    or an output that is no rational is an ExponentialQuotient. All of them convert with `float`
    (to the nearest float64) and print as they are written by hand. Matrices are read-only arrays
    of such objects.

    Attributes:
        x: (n, d_model), one token per row.
        W_Q: (d_model, d_k).
        W_K: (d_model, d_k).
        W_V: (d_model, d_v).
        W_O: (d_v, d_out), or None.
        scale: what scores are multiplied by: a Fraction, or the Surd 1/√d_k.
        is_causal: whether query i may attend to keys j ≤ i only; other masks are in `visible`.
        queries: (n, d_k), x W_Q.
        keys: (n, d_k), x W_K.
        values: (n, d_v), x W_V.
        scores: (n, n), scale · queries keysᵀ, also where causal order keeps them from being used.
        weights: (n, n), the softmax of each row.
        averages: (n, d_v), weights values.
        outputs: (n, d_out), averages W_O; the averages if there is no W_O.
        notes: sentences about how the input was read.
        visible: for each query the keys that it may attend to, from 0.
    """

    x: ExactArray
    W_Q: ExactArray
    W_K: ExactArray
    W_V: ExactArray
    W_O: ExactArray | None
    scale: Fraction | Surd
    is_causal: bool
    queries: ExactArray
    keys: ExactArray
    values: ExactArray
    scores: ExactArray
    weights: ExactArray
    averages: ExactArray
    outputs: ExactArray
    notes: tuple[str, ...] = ()
    visible: tuple[tuple[int, ...], ...] = ()

    @property
    def masking(self) -> str:
        """Who attends to whom: "all" to all, "causal" order, or "masked" in another way."""
        if all(len(seen) == self.n for seen in self.visible) and not self.is_causal:
            return "all"
        later = [tuple(range(i)) for i in range(1, self.n + 1)]
        return "causal" if list(self.visible) == later else "masked"

    @property
    def n(self) -> int:
        """How many tokens."""
        return len(self.x)

    @property
    def d_k(self) -> int:
        """The width of queries and keys."""
        return int(self.queries.shape[1])

    @property
    def weights_float(self) -> NDArray[np.float64]:
        """The weights as float64, each rounded once."""
        return self.floats("weights")

    @property
    def outputs_float(self) -> NDArray[np.float64]:
        """The outputs as float64, each rounded once."""
        return self.floats("outputs")

    def floats(self, name: str) -> NDArray[np.float64]:
        """Return a matrix such as "scores" as float64, each entry rounded once."""
        matrix = self._matrix("floats", name)
        return np.array([[nearest_float(entry) for entry in row] for row in matrix])

    def decimal(self, name: str, digits: int = 30) -> tuple[tuple[str, ...], ...]:
        """Return a matrix such as "weights" as decimals, every digit certain.

        Args:
            name: of the matrix: a field of this class.
            digits: how many significant ones, at most 10 000. Rationals that need fewer have fewer.
        """
        matrix, digits = self._matrix("decimal", name), read_digits("Trace.decimal", digits)
        return tuple(tuple(decimal(entry, digits) for entry in row) for row in matrix)

    def entry(
        self, name: str, row: int | None = None, column: int | None = None, *, digits: int = 6
    ) -> Entry:
        """Return an entry with its computation written out, as text and LaTeX.

        Args:
            name: q, k, v (queries, keys, values), z (scores), a (weights), c (averages) or o (the
                outputs after W_O). Or all in one: "q_2", "q_2[3]", "z_31", "z_3,1", "z_{3,1}".
            row: which token, counted from 1 as handouts do.
            column: which entry of its vector, counted from 1; None for all of them.
            digits: of numbers that are no rationals.

        Example:
            >>> from regard import trace
            >>> found = trace([[2, 3], [-1, 0]], [[1, 2], [0, -3]], [[0, 1], [1, 1]], [[8], [9]])
            >>> print(found.entry("q", 2, 2), found.entry("a_21"), sep="; ")
            q_2[2] = (-1)·2 + 0·(-3) = -2; a_21 = e^-13/(e^-13 + e^2) ≈ 3.05902e-07
        """
        from regard.analysis.exact_trace.entries import entry

        return entry(self, name, row, column, read_digits("Trace.entry", digits))

    def report(
        self,
        title: str = "Attention in exact numbers",
        *,
        digits: int = 6,
        tokens: Sequence[int] | None = None,
    ) -> Report:
        """Write the whole computation out, as on paper.

        Args:
            title: of the report.
            digits: of weights and outputs.
            tokens: whose queries are written out, counted from 1; None for all.
        """
        from regard.analysis.exact_trace.report import full_report

        digits = read_digits("Trace.report", digits)
        chosen = range(1, self.n + 1) if tokens is None else tokens
        for token in chosen:
            if not 1 <= integer("Trace.report", "tokens", token) <= self.n:
                raise ParameterError(
                    f"Trace.report: tokens are counted from 1 to {self.n}. Got {token}."
                )
        return full_report(self, title, digits, tuple(chosen))

    def plot(self) -> Figure:
        """Draw the weights, with the exact scores in the cells."""
        from regard.analysis.exact_trace.plot import plot_trace

        return plot_trace(self)

    def to_dict(self, digits: int = 30) -> dict[str, Any]:
        """Return the trace as JSON has it: exact numbers as text, and decimals.

        A weight or output of more than 16 exponentials, or of very long exponents, has None for
        its exact text: it is what the softmax makes of the exact scores.
        """
        digits = read_digits("Trace.to_dict", digits)
        names = [name for name in MATRICES if getattr(self, name) is not None]
        return {
            "scale": exact_text(self.scale),
            "is_causal": self.is_causal,
            "visible": [list(seen) for seen in self.visible],
            "digits": digits,
            "exact": {
                name: [[exact_text(entry) for entry in row] for row in getattr(self, name)]
                for name in names
            },
            "decimal": {name: [list(row) for row in self.decimal(name, digits)] for name in names},
            "notes": list(self.notes),
        }

    def _matrix(self, method: str, name: str) -> ExactArray:
        matrix: ExactArray | None = getattr(self, name) if name in MATRICES else None
        if matrix is None:
            known = [other for other in MATRICES if getattr(self, other) is not None]
            raise ParameterError(
                f"Trace.{method}: there is no matrix {name!r}. There are {', '.join(known)}."
            )
        return matrix

    def __str__(self) -> str:
        return str(self._summary())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from regard.report.reported import notebook_html

        return notebook_html(self._summary(), self.plot)

    def _summary(self) -> Report:
        from regard.analysis.exact_trace.report import summary

        return summary(self)


MATRICES = (
    "x", "W_Q", "W_K", "W_V", "W_O", "queries", "keys", "values", "scores", "weights", "averages",
    "outputs",
)  # fmt: skip
