"""What the factor of a query does: a curve to move along, with the weights at each place."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.query.solve.smallest_factor import SmallestFactor
from regard.problems.keys import Keys
from regard.report import Plot, Series, Slider, Way
from regard.report.headline import marked
from regard.report.numbers import on_its_side, rounded_up, share, spelled
from regard.solving.key_tables import MOST_KEYS, key_name, symbol, the_others

POINTS = 41  # of a curve


def factor_curve(given: Keys, found: SmallestFactor) -> Slider | Plot:
    """Return what the factor does, from 0 to twice that of the answer, which is among the rows."""
    pattern, leak = found.pattern, found.leak
    end = 2 * max(leak.factor, 3 * pattern.unit)
    x = tuple(sorted({*np.linspace(0, end, POINTS).tolist(), float(leak.factor)}))
    leaks = tuple(map(pattern.leak, x))
    plot = Plot(
        "lines",
        "A large factor drives the leak to 0",
        pattern.factor,
        "leak $r$: what the other keys keep",
        (Series("leak", x, leaks),),
        y_scale="log" if min(leaks) > 0 else "linear",
        y_unit="share",
    )
    if not 0 < leak.allowed < 1 or math.isinf(leak.least):
        return plot
    rows = range(min(pattern.n, MOST_KEYS))
    weights = [pattern.all_weights(factor) for factor in x]
    enough = rounded_up(leak.least)
    return Slider(
        plot,
        x.index(float(leak.factor)),
        tuple(_says(found, factor, r) for factor, r in zip(x, leaks, strict=True)),
        tuple(f"${symbol(key_name(given, i, pattern.prefix))}$" for i in rows),
        tuple(tuple(float(w) for w in row[: len(rows)]) for row in weights),
        tuple(float(w) for w in pattern.wanted[: len(rows)]),
        (leak.allowed, f"{share(leak.allowed)} allowed"),
        (leak.least, f"enough, from {enough} on"),
        _way(found, leaks),
    )


def _way(found: SmallestFactor, leaks: tuple[float, ...]) -> Way | None:
    """The output, which is (1 − r) c* + r v̄ and so moves straight towards what is wanted."""
    pattern, distance = found.pattern, found.leak.distance
    without = leaks[0]  # at a factor of 0
    if without <= 0 or distance <= 0:
        return None
    alike = np.allclose(pattern.all_weights(0.0), 1 / pattern.n, rtol=0, atol=1e-12)
    start = "mean of all values" if alike else f"at ${pattern.factor} = 0$"
    at = tuple(1 - r / without for r in leaks)
    return Way(start, "wanted, $c^*$", at, tuple(r * distance for r in leaks))


def _says(found: SmallestFactor, factor: float, leak: float) -> str:
    left = marked(share(leak), "query")
    verdict = "enough" if leak <= found.leak.allowed else "too much"
    others = the_others(found.pattern.rest, "keep")
    at = f"${found.pattern.factor}$ = {on_its_side(factor, found.leak.least)}"
    return f"At {at} {others} {left} of the weight: {verdict}."


def factor_result(found: SmallestFactor) -> str:
    """Return from which factor on the query does what it should, as a sentence."""
    pattern, least = found.pattern, found.leak.least
    if not pattern.has_formula:
        return ""
    verb = "copies" if pattern.m == 1 else "averages" if pattern.even else "mixes"
    values = f"{spelled(pattern.m)} value{'s' * (pattern.m > 1)} of {spelled(pattern.n)}"
    does = f"the query ${pattern.latex()}$ {verb} {values}."
    if not pattern.rest or math.isinf(least):
        return f"With {marked('any', 'target')} ${pattern.factor}$, {does}"
    return f"From ${pattern.factor}$ = {marked(rounded_up(least), 'target')} on, {does}"
