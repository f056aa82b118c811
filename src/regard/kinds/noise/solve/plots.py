"""Pictures of the law of an output."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from regard.kinds.noise.solve.answer import Found
from regard.kinds.noise.solve.finite import affordable, one_noise, output_law
from regard.kinds.noise.solve.setting import Setting, read
from regard.kinds.noise.solve.variances import as_one_head, kept_variance, total_variance
from regard.report import Block, Plot, Series, number

Float64 = NDArray[np.float64]

POINTS, FEW_POINTS = 20, 10


def over_sizes(found: Found) -> Plot:
    """Variance against the size of the query."""
    setting = found.setting
    growth = setting.growth
    assert growth is not None
    far = max(20.0, 2 * abs(growth.size))
    x = (
        growth.sign
        * np.linspace(0.0, far, (POINTS if setting.given.n <= 16 else FEW_POINTS) + 1)[1:]
    )
    series = []
    if setting.heads > 1:
        one = as_one_head(setting)
        if affordable(one, one.queries()):
            series.append(_series("one head", one, x))
    name = f"{setting.heads} heads" if setting.heads > 1 else "the head"
    series.append(_series(name, setting, x))
    if setting.heads > 1 and kept_variance(setting) is not None:
        y = tuple(kept_variance(setting, float(size)) or 0.0 for size in x)
        places = tuple(float(place) for place in x)
        series.append(Series(f"{name}, s ≥ 0", places, y))
    compared = " (the one head has the sum of the queries)" if len(series) > 1 else ""
    actual = read(setting.given, limits=False)
    if max(series[-1].y) == 0 and np.any(actual.covariances) and setting.given.n <= 12:
        # Nothing varies in the limit, so that only the noise of the instance can be seen.
        numbers = ", ".join(f"{k} = {number(x)}" for k, x in setting.given.parameters.items()
                            if setting.numbers[k] != x)  # fmt: skip
        if affordable(actual, actual.queries(float(x[-1]))):
            series.append(_series(numbers or "the instance", actual, x[1::2]))
    return Plot(
        "lines",
        f"variance of the output for orthonormal values, against {growth.name}{compared}",
        growth.name,
        "E ‖c − E c‖²",
        tuple(series),
    )


def _series(name: str, setting: Setting, x: Float64) -> Series:
    n = setting.given.n
    y: list[float] = []
    for size in x:
        queries = setting.queries(float(size))
        moved = one_noise(setting, queries)
        if moved is None:
            y.append(total_variance(setting, float(size)))
        else:
            mixing = np.repeat(np.eye(n)[None] / len(queries), len(queries), axis=0)
            y.append(float(np.trace(moved.moments(mixing)[1])))
    return Series(name, tuple(float(place) for place in x), tuple(y))


def mean_weights(found: Found) -> Plot:
    """The mean weights and their standard deviations."""
    setting = found.setting
    unit = np.eye(setting.given.n)
    law = output_law(setting, setting.queries(), unit)
    few = min(setting.given.n, 20)
    by_row = {row: name for name, row in setting.given.names.items()}
    labels = tuple(by_row.get(i, str(i + 1)) for i in range(few))
    variances = np.diag(law.covariance)
    spread = np.sqrt(np.where(variances > law.error, variances, 0.0))  # below that it is rounding
    return Plot(
        "bars",
        "weights on the values",
        "key",
        "weight",
        (
            Series("mean", labels, tuple(float(x) for x in law.mean[:few])),
            Series("standard deviation", labels, tuple(float(x) for x in spread[:few])),
        ),
    )


def weight_law(found: Found) -> list[Block]:
    """How the weight of the key that varies is distributed."""
    setting = found.setting
    moved = one_noise(setting, setting.queries())
    if moved is None:
        return []
    by_row = {row: name for name, row in setting.given.names.items()}
    name = by_row.get(moved.key, str(moved.key + 1))
    sizes = [setting.growth.size] if setting.growth else [None]
    if setting.growth is not None:
        sizes = [setting.growth.sign * 1.0, setting.growth.size]
    series = []
    edges = [k / 10 for k in range(11)]
    labels = tuple(f"{low:.1f}–{low + 0.1:.1f}" for low in edges[:-1])
    for size in sizes:
        law = one_noise(setting, setting.queries(size))
        if law is None:
            continue
        m, tau = law.logit(0)
        below = [_below(edge, m, tau) for edge in edges]
        chances = tuple(high - low for low, high in itertools.pairwise(below))
        label = (
            "instance"
            if size is None or setting.growth is None
            else f"{setting.growth.name} = {number(size)}"
        )
        series.append(Series(label, labels, chances))
    return [
        Plot("bars", f"law of the weight on v_{name}", "weight", "probability", tuple(series)),
    ]


def _below(share: float, m: float, tau: float) -> float:
    if share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    return 0.5 * math.erfc(-(math.log(share / (1 - share)) - m) / tau / math.sqrt(2))
