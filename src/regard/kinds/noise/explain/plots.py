"""Pictures of the law of an output."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from regard.kinds.noise.instance import Growth, Setting, read
from regard.kinds.noise.solve.finite_queries import affordable, weight_law, weight_variance
from regard.problems.instances import Float64
from regard.report import Plot, Series
from regard.report.numbers import short
from regard.solving.sliders import MeanWeights

POINTS, FEW_POINTS = 20, 10
MOST_BARS = 20


def moved_parameters(setting: Setting) -> str:
    """The parameters that have a limit, with the numbers of the instance."""
    return ", ".join(
        f"{name} = {short(x, 4)}"
        for name, x in setting.given.parameters.items()
        if setting.symbols[name] != x
    )


@dataclass(frozen=True, eq=False)
class Curve:
    """The sum of the variances of all weights, against the size of the query.

    Attributes:
        name: of the heads.
        setting: their keys and queries.
        ignore_negative: whether cases with a negative score that varies are left out.
    """

    name: str
    setting: Setting
    ignore_negative: bool = False

    def at(self, size: float) -> float | None:
        """The variance at a size, which may be infinite; None where it is not known."""
        return weight_variance(self.setting, size, ignore_negative=self.ignore_negative)

    def series(self, sizes: Float64) -> Series:
        """The variances as a line of a plot."""
        x = tuple(sizes.tolist())
        return Series(self.name, x, tuple(self.at(size) or 0.0 for size in x))


def curves(setting: Setting) -> list[Curve]:
    """The heads and one with the sum of their queries, which comes first; then both for s ≥ 0.

    There are none where nothing grows, or an integral at each size would cost too much.
    """
    if setting.growth is None or not affordable(setting, setting.queries()):
        return []
    several = setting.heads > 1
    found = [Curve(f"{setting.heads} heads" if several else "variance", setting)]
    one = setting.as_one_head() if several else setting
    if several and affordable(one, one.queries()):
        found.insert(0, Curve("one head", one))
    may_leave_out = several or setting.given.ignore_negative
    if may_leave_out and setting.one_noise(setting.queries()) is not None:
        found += [Curve(f"{c.name}, s ≥ 0", c.setting, ignore_negative=True) for c in found]
    return found


def over_sizes(setting: Setting, growth: Growth, lines: list[Curve]) -> Plot | None:
    """Variances against the size of the query; None where nothing varies at any size."""
    points = POINTS if setting.given.n <= 16 else FEW_POINTS
    far = growth.sign * max(20.0, 2 * abs(growth.size))
    x = np.linspace(0.0, far, points + 1)[1:]
    series = [line.series(x) for line in lines]
    compared = "; the one head has the sum of the queries" if len(series) > 1 else ""
    actual = read(setting.given, limits=False)
    nothing = max(series[-1].y) == 0 and setting.given.n <= 12
    if nothing and np.any(actual.covariances) and affordable(actual, actual.queries(far)):
        # Nothing varies in the limit, so that only the noise of the instance can be seen.
        series.append(Curve(moved_parameters(setting) or "the instance", actual).series(x[1::2]))
    if not any(any(line.y) for line in series):
        return None
    title = f"Values are orthonormal{compared}"
    return Plot("lines", title, growth.name, "variance of the output", tuple(series))


def weights_over_sizes(setting: Setting, against: Plot) -> MeanWeights:
    """The mean weights at the places of a plot."""
    sizes = [float(size) for size in against.series[0].x]
    weights = np.array([weight_law(setting, size).mean for size in sizes])
    return MeanWeights.of(setting.given, weights)


def mean_weights(setting: Setting) -> Plot:
    """The mean weights and their standard deviations."""
    law = weight_law(setting)
    labels = tuple(setting.label(i) for i in range(min(setting.given.n, MOST_BARS)))
    variances = np.diag(law.covariance)
    spread = np.sqrt(np.where(variances > law.error, variances, 0.0))  # below that it is rounding
    series = tuple(
        Series(name, labels, tuple(heights[: len(labels)].tolist()))
        for name, heights in (("mean", law.mean), ("standard deviation", spread))
    )
    return Plot("bars", "weights on the values", "key", "weight", series)


def law_of_one_weight(setting: Setting) -> list[Plot]:
    """How the weight of the one key that varies is distributed, in the one head there is."""
    moved, growth = setting.one_noise(setting.queries()), setting.growth
    if moved is None or setting.heads > 1:
        return []
    sizes: dict[str, float | None] = {"instance": None}
    if growth is not None:
        named = (growth.sign * 1.0, growth.size)
        sizes = {f"{growth.name} = {short(size, 4)}": size for size in named}
    edges = [k / 10 for k in range(11)]
    labels = tuple(f"{low:.1f}–{low + 0.1:.1f}" for low in edges[:-1])
    series = []
    for name, size in sizes.items():
        law = setting.one_noise(setting.queries(size))
        if law is not None:
            below = [law.weight_below(edge) for edge in edges]
            steps = tuple(high - low for low, high in itertools.pairwise(below))
            series.append(Series(name, labels, steps))
    title = f"law of the weight on v_{setting.label(moved.key)}"
    return [Plot("bars", title, "weight", "probability", tuple(series))]
