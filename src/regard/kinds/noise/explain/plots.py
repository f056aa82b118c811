"""Pictures of the law of an output."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from regard.kinds.noise.instance import Setting, read
from regard.kinds.noise.solve.finite_queries import (
    affordable,
    as_one_head,
    one_noise,
    weight_law,
    weight_variance,
)
from regard.report import Plot, Series, number

Float64 = NDArray[np.float64]

POINTS, FEW_POINTS = 20, 10
MOST_BARS = 20


def moved_parameters(setting: Setting) -> str:
    """The parameters that have a limit, with the numbers of the instance."""
    return ", ".join(
        f"{name} = {number(x)}"
        for name, x in setting.given.parameters.items()
        if setting.symbols[name] != x
    )


def over_sizes(setting: Setting) -> Plot | None:
    """Variance against the size of the query; None where nothing varies at any size."""
    growth = setting.growth
    if growth is None or not affordable(setting, setting.queries()):
        return None
    few = POINTS if setting.given.n <= 16 else FEW_POINTS
    far = growth.sign * max(20.0, 2 * abs(growth.size))
    x = np.linspace(0.0, far, few + 1)[1:]
    several = setting.heads > 1
    name = f"{setting.heads} heads" if several else "the head"
    series = [_series(name, setting, x)]
    one = as_one_head(setting) if several else None
    if one is not None and affordable(one, one.queries()):
        series.insert(0, _series("one head", one, x))
    if several and weight_variance(setting, ignore_negative=True) is not None:
        series.append(_series(f"{name}, s ≥ 0", setting, x, ignore_negative=True))
    compared = " (the one head has the sum of the queries)" if len(series) > 1 else ""
    actual = read(setting.given, limits=False)
    nothing = max(series[-1].y) == 0 and setting.given.n <= 12
    if nothing and np.any(actual.covariances) and affordable(actual, actual.queries(far)):
        # Nothing varies in the limit, so that only the noise of the instance can be seen.
        series.append(_series(moved_parameters(setting) or "the instance", actual, x[1::2]))
    if not any(any(line.y) for line in series):
        return None
    title = f"variance of the output for orthonormal values, against {growth.name}{compared}"
    return Plot("lines", title, growth.name, "E ‖c − E c‖²", tuple(series))


def _series(name: str, setting: Setting, x: Float64, *, ignore_negative: bool = False) -> Series:
    sizes = tuple(x.tolist())
    found = [weight_variance(setting, size, ignore_negative=ignore_negative) for size in sizes]
    return Series(name, sizes, tuple(y or 0.0 for y in found))


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
    moved, growth = one_noise(setting, setting.queries()), setting.growth
    if moved is None or setting.heads > 1:
        return []
    sizes: dict[str, float | None] = {"instance": None}
    if growth is not None:
        named = (growth.sign * 1.0, growth.size)
        sizes = {f"{growth.name} = {number(size)}": size for size in named}
    edges = [k / 10 for k in range(11)]
    labels = tuple(f"{low:.1f}–{low + 0.1:.1f}" for low in edges[:-1])
    series = []
    for name, size in sizes.items():
        law = one_noise(setting, setting.queries(size))
        if law is not None:
            below = [law.weight_below(edge) for edge in edges]
            steps = tuple(high - low for low, high in itertools.pairwise(below))
            series.append(Series(name, labels, steps))
    title = f"law of the weight on v_{setting.label(moved.key)}"
    return [Plot("bars", title, "weight", "probability", tuple(series))]
