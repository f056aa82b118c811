"""The law of an output under key noise: moments, samples, quantiles, atoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.noise.random_scores import Scores
from regard.analysis.noise.sobol import sampled_weights
from regard.errors import ParameterError
from regard.report import Facts, Report, Table, matrix_rows, number, vector
from regard.report.reported import Reported
from regard.shapes import integer, real
from regard.shapes.goals import read_vector
from regard.shapes.laws import read_generator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["OutputLaw"]

Array = NDArray[np.float64]

MOST_SHOWN = 6
QUANTILE_POWER = 16  # of two: quasi-random points behind quantiles that have no closed form


@dataclass(frozen=True, eq=False, repr=False)
class OutputLaw(Reported):
    """The law of the output c = Σ_h w_h Σ_i α_hi v_i when the keys are random.

    Attributes:
        mean: (..., d_v).
        covariance: (..., d_v, d_v).
        error: no entry of mean and covariance is further off than this; for method "qmc", with
            probability 0.99 in each problem of a batch.
        method: "exact", "qmc" or "limit".
        reason: why that method, in a sentence.
        atoms: for "limit": pairs (probability, output); else empty.
        scores: the law of the scores that all of it is computed from.
        mixing: (..., H, n, d_v), head weight times value.
    """

    mean: Array
    covariance: Array
    error: float
    method: str
    reason: str
    atoms: tuple[tuple[float, Array], ...]
    scores: Scores
    mixing: Array

    @property
    def variance(self) -> Array:
        """The trace of the covariance: E ‖c − E c‖²."""
        return np.trace(self.covariance, axis1=-2, axis2=-1)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Array:
        """Draw outputs (size, ..., d_v). Only scores are drawn, nothing of the size of a key."""
        function = "OutputLaw.sample"
        count = integer(function, "size", size, minimum=0)
        generator = read_generator(function, 0 if rng is None else rng)
        if self.method == "limit":
            if self.scores.batch:
                raise ParameterError(f"{function}: the limit of a batch cannot be sampled at once.")
            chances = np.array([p for p, _ in self.atoms])
            points = np.array([point for _, point in self.atoms])
            return points[generator.choice(len(points), count, p=chances / np.sum(chances))]
        scores = self.scores
        normals = generator.standard_normal((count, *scores.batch, scores.keys, scores.heads))
        return np.einsum("p...hn,...hnv->p...v", scores.weights(normals), self.mixing)

    def probability(self, direction: ArrayLike, below: float) -> float:
        """P(direction · c ≤ below): exact for limits and for one head over two keys, or to 1e-4.

        An output that is `below` up to rounding counts as not above it.
        """
        from scipy.special import expit  # slow to load

        function = "OutputLaw.probability"
        along, level = self._along(function, direction), real(function, "below", below)
        level += self._rounding(along, level)
        if self.method == "limit":
            chances = [p for p, point in self.atoms if float(along @ point) <= level]
            return float(min(1.0, sum(chances)))
        line = self._logistic(along)
        if line is None:
            return float(np.mean(self._points(along) <= level))
        start, rise, m, tau = line
        if rise == 0 or tau == 0:  # one output, always the same
            return float(start + rise * expit(m) <= level)
        share = (level - start) / rise  # direction · c ≤ below where σ(Z) is on one side of this
        if rise > 0:
            return float(_logistic_below(share, m, tau))
        return float(1 - _logistic_below(share, m, tau))

    def quantile(self, p: float, direction: ArrayLike) -> float:
        """The value that direction · c stays below with probability p, 0 < p < 1."""
        from scipy.special import ndtri  # slow to load

        function = "OutputLaw.quantile"
        along, level = self._along(function, direction), real(function, "p", p)
        if not 0 < level < 1:
            raise ParameterError(f"{function}: p must be between 0 and 1. Got {p!r}.")
        if self.method == "limit":
            points = sorted((float(along @ point), chance) for chance, point in self.atoms)
            total = np.cumsum([chance for _, chance in points])
            place = int(np.searchsorted(total, level * total[-1] * (1 - 1e-15)))
            return points[min(place, len(points) - 1)][0]
        line = self._logistic(along)
        if line is None:
            return float(np.quantile(self._points(along), level))
        start, rise, m, tau = line
        z = m + tau * ndtri(level if rise > 0 else 1 - level)
        with np.errstate(over="ignore"):  # of e^{1000} there is no weight left
            return float(start + rise / (1 + np.exp(-z)))

    def _along(self, function: str, direction: ArrayLike) -> Array:
        if self.scores.batch:
            raise ParameterError(
                f"{function}: this is the law of a batch {self.scores.batch}. "
                f"Ask one problem at a time."
            )
        return read_vector(function, "direction", direction, self.mean.shape[-1])

    def _logistic(self, along: Array) -> tuple[float, float, float, float] | None:
        """For one head and two keys: direction · c = start + rise · σ(Z), Z ~ N(m, τ²)."""
        if self.scores.heads != 1 or self.scores.keys != 2:
            return None
        first, second = self.mixing[0] @ along
        with np.errstate(over="ignore"):  # further apart than floats reach: one has all the weight
            m = float(self.scores.means[0, 0] - self.scores.means[0, 1])
        tau = float(np.sqrt(np.sum(self.scores.covariances)))
        return float(second), float(first - second), m, tau

    def _points(self, along: Array) -> Array:
        rng = np.random.default_rng(0)
        blocks = sampled_weights(self.scores, QUANTILE_POWER, rng)
        mixed = self.mixing @ along
        return np.concatenate([np.einsum("phn,hn->p", weights, mixed) for weights in blocks])

    def _rounding(self, along: Array, level: float) -> float:
        """By how much direction · c may be off because numbers are rounded."""
        size = float(np.sum(np.max(np.abs(self.mixing), axis=-2) @ np.abs(along)))
        keys = self.scores.keys if self.method != "limit" else 1
        per_weight = 0.0 if self.method == "limit" else self.scores.rounding
        unit = 8 * float(np.finfo(np.float64).eps) * (len(along) + keys)
        return (unit + per_weight) * size + float(np.finfo(np.float64).eps) * abs(level)

    def plot(self) -> Figure:
        """Draw the cloud of outputs and the law of each head's largest weight."""
        from regard.analysis.noise.plots import plot_law  # brings matplotlib

        return plot_law(self)

    def report(self) -> Report:
        """The law as a report."""
        if self.scores.batch:
            shape = " × ".join(str(n) for n in self.scores.batch)
            facts = Facts((("problems", shape), ("method", self.method), ("why", self.reason)))
            return Report("The laws of a batch of outputs", (facts,))
        blocks: list[Facts | Table] = [
            Facts(
                (
                    ("mean", vector(self.mean)),
                    ("variance", f"{number(float(self.variance))} (trace of the covariance)"),
                    ("method", f"{self.method}: {self.reason}"),
                    ("error", f"below {_power_above(self.error)} in every entry"),
                )
            )
        ]
        if self.atoms:
            likely = sorted(self.atoms, key=lambda atom: -atom[0])[:MOST_SHOWN]
            rows = tuple((number(p), vector(point)) for p, point in likely)
            blocks.append(Table(("probability", "output"), rows, "atoms"))
        few = self.covariance[:MOST_SHOWN, :MOST_SHOWN]
        more = " (its first rows and columns)" if few.size < self.covariance.size else ""
        cells = tuple(tuple(row) for row in matrix_rows(few))
        blocks.append(Table(("",) * few.shape[1], cells, f"covariance{more}"))
        return Report("The law of an output under key noise", tuple(blocks))


def _power_above(error: float) -> str:
    """The next power of ten, 1e-12 or more: what is below is rounding, another on each machine."""
    return number(max(1e-12, 10.0 ** np.floor(np.log10(max(error, 1e-300)) + 1)))


def _logistic_below(share: float, m: float, tau: float) -> float:
    """P(σ(Z) ≤ share)."""
    from scipy.special import logit, ndtr  # slow to load

    if share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    return float(ndtr((logit(share) - m) / tau))
