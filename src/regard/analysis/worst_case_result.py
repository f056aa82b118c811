"""What `analysis.worst_case` returns: the range, what attains it, and a picture of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate
from regard.report import Facts, Plot, Report, Series, Table, draw, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WorstCase"]

Array = NDArray[np.float64]
MOST_ROWS = 8  # of the table
MOST_BARS = 24


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase:
    """The range of the output, and the keys and scores that attain its ends.

    For one direction (or values that are single numbers) the shapes are those without (m,).

    Attributes:
        lower: (m,), the smallest output along each direction, exact up to `error`.
        upper: (m,), the largest.
        nominal: (m,), the output at the keys given; None where only scores were.
        error: how far off rounding may have moved `lower` and `upper`, at most.
        certificate: claims that neither end is ever passed, and that both are attained.
        scores: (2, n), the lower and upper ends of every score.
        raised_at_lower: (m, n), which scores are at their upper ends where the output is smallest.
        raised_at_upper: (m, n), the same where it is largest.
        keys: (n, d), as given; None where only scores were.
        moves: (n, d), how a key moves to raise its score; it moves the other way to lower it.
    """

    lower: Array | float
    upper: Array | float
    nominal: Array | float | None
    error: float
    certificate: Certificate
    scores: Array = field(repr=False)
    raised_at_lower: NDArray[np.bool_]
    raised_at_upper: NDArray[np.bool_]
    keys: Array | None = None
    moves: Array | None = None

    @property
    def scores_at_lower(self) -> Array:
        """(m, n), scores at which the output is smallest."""
        return np.where(self.raised_at_lower, self.scores[1], self.scores[0])

    @property
    def scores_at_upper(self) -> Array:
        """(m, n), scores at which the output is largest."""
        return np.where(self.raised_at_upper, self.scores[1], self.scores[0])

    @property
    def keys_at_lower(self) -> Array | None:
        """(m, n, d), keys at which the output is smallest; None where only scores were given."""
        return self._moved(self.raised_at_lower)

    @property
    def keys_at_upper(self) -> Array | None:
        """(m, n, d), keys at which the output is largest; None where only scores were given."""
        return self._moved(self.raised_at_upper)

    def _moved(self, raised: NDArray[np.bool_]) -> Array | None:
        if self.keys is None or self.moves is None:
            return None
        return np.asarray(self.keys + np.where(raised[..., None], self.moves, -self.moves))

    def report(self) -> Report:
        """The range as a report."""
        low, high = np.atleast_1d(self.lower), np.atleast_1d(self.upper)
        middle = None if self.nominal is None else np.atleast_1d(self.nominal)
        moved = "keys within their radii" if self.keys is not None else "scores in their intervals"
        facts = (
            ("for all", f"{self.scores.shape[1]} {moved}"),
            ("exact to", number(self.error, 2)),
            ("widest", number(float(np.max(high - low)))),
            ("claims", str(len(self.certificate.claims))),
        )
        rows = tuple(
            (
                str(i),
                number(low[i]),
                *(() if middle is None else (number(middle[i]),)),
                number(high[i]),
            )
            for i in range(min(len(low), MOST_ROWS))
        )
        given = () if middle is None else ("as given",)
        more = f"; {len(low) - MOST_ROWS} more" if len(low) > MOST_ROWS else ""
        table = Table(("direction", "smallest", *given, "largest"), rows, f"output{more}")
        return Report("The worst case of an output", (Facts(facts), table))

    def plot(self) -> Figure:
        """Draw the range of each direction; of a single one, the weights at either end."""
        if np.ndim(self.lower) == 0:
            return self._plot_weights()
        low, high = np.asarray(self.lower)[:MOST_BARS], np.asarray(self.upper)[:MOST_BARS]
        places = tuple(str(i) for i in range(len(low)))
        series = [Series("smallest", places, tuple(low.tolist()))]
        if self.nominal is not None:
            middle = np.asarray(self.nominal)[:MOST_BARS]
            series.append(Series("as given", places, tuple(middle.tolist())))
        series.append(Series("largest", places, tuple(high.tolist())))
        return draw(Plot("bars", "Range of the output", "direction", "output", tuple(series)))

    def _plot_weights(self) -> Figure:
        ends = [("smallest", self.scores_at_lower), ("largest", self.scores_at_upper)]
        weights = {name: _softmax(scores) for name, scores in ends}
        heavy = np.sum(np.stack(list(weights.values())), axis=0)
        shown = np.sort(np.argsort(-heavy, kind="stable")[:MOST_BARS])
        names = tuple(f"key {i}" for i in shown)
        series = tuple(
            Series(f"output {name}", names, tuple(w[shown].tolist())) for name, w in weights.items()
        )
        return draw(Plot("bars", "Weights at either end", "key", "weight", series))

    def __str__(self) -> str:
        return str(self.report())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - np.max(scores))
    return np.asarray(powers / np.sum(powers))
