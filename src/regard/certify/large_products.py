"""Products of large arrays with a vector, as balls that come out of wide floats.

A ball is an object, and a matrix of millions of them takes seconds to make. Here the sums are taken
in NumPy's widest floats, with the bound of every textbook: n terms, added in any order and each
product rounded, are off by at most 2 n u of the sum of the sizes of the terms, u the unit roundoff
(n u ≤ 1/4). One ball per sum is made of that. It settles a claim as a rule; what it does not is
asked again with more bits, and then in balls throughout.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from regard.certify.floats import Float64

LARGE = 1 << 16  # numbers; fewer are made into balls as quickly
MOST_BITS = 64  # whoever asks for more was not content with these
AT_ONCE = 1 << 16  # numbers that are wide at a time: they stay in the cache
UNIT = float(np.finfo(np.longdouble).eps)  # twice the unit roundoff
RAISED = 1 + 2.0**-30  # for a bound that is itself computed in floats
TINY = 2.0**-1000  # more than what underflows anywhere

Wide = NDArray[np.longdouble]


def applies(points: Float64) -> bool:
    """Whether the products of this array with a vector are taken here."""
    return points.size >= LARGE and ctx.prec <= MOST_BITS and max(points.shape) * UNIT < 0.25


def large_products(points: Float64, direction: Sequence[arb]) -> list[arb] | None:
    """Return x · direction for each row x; None where a sum is too large for floats."""
    wide, lost = _wide(direction)
    used = np.flatnonzero((wide != 0) | (lost > 0))  # a query may have few entries
    wide, lost = wide[used], lost[used]
    # Per unit of a key in this entry: what rounding may do, and what was lost before.
    error = (len(used) * UNIT * np.abs(wide).astype(np.float64) + lost) * RAISED
    found: list[arb] = []
    step = max(1, AT_ONCE // max(1, len(used)))
    for first in range(0, len(points), step):
        some = points[first : first + step]
        some = some if len(used) == points.shape[1] else some[:, used]
        sums = np.einsum("nd,d->n", some.astype(np.longdouble), wide)
        with np.errstate(over="ignore"):
            found += _balls(sums, np.abs(some) @ error * RAISED)
    return found if all(ball.is_finite() for ball in found) else None


def large_combination(weights: Sequence[arb], points: Float64) -> list[arb] | None:
    """Return Σ weight · x over the rows x; None where a sum is too large for floats."""
    wide, lost = _wide(weights)
    sums = np.zeros(points.shape[1], dtype=np.longdouble)
    sizes, missing = np.zeros(points.shape[1]), np.zeros(points.shape[1])
    step = max(1, AT_ONCE // points.shape[1])
    for first in range(0, len(points), step):
        part = slice(first, first + step)
        some = points[part]
        sums += np.einsum("n,nd->d", wide[part], some.astype(np.longdouble))
        largest = np.maximum(np.max(some, axis=0), -np.min(some, axis=0))
        with np.errstate(over="ignore"):
            sizes += largest * float(np.sum(np.abs(wide[part])))
            missing += largest * float(np.sum(lost[part]))
    found = _balls(sums, (len(points) * UNIT * sizes + missing) * RAISED)
    return found if all(ball.is_finite() for ball in found) else None


def _wide(entries: Sequence[arb]) -> tuple[Wide, Float64]:
    """Return wide floats (n,) near the entries, and how far off each may be (n,)."""
    balls = [arb(entry) for entry in entries]
    first = [float(ball.mid()) for ball in balls]
    rest = [ball - x for ball, x in zip(balls, first, strict=True)]
    second = [float(ball.mid()) for ball in rest]
    left = [float((ball - x).abs_upper()) for ball, x in zip(rest, second, strict=True)]
    wide = np.array(first, dtype=np.longdouble) + np.array(second, dtype=np.longdouble)
    # The sum of the two is rounded; what is left over was, to the nearest float, as well.
    lost = np.array(left) * RAISED + UNIT * np.abs(np.array(second))
    return wide, np.where(lost > 0, np.nextafter(lost, np.inf), 0.0)


def _balls(sums: Wide, radii: Float64) -> list[arb]:
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is not finite
        first = sums.astype(np.float64)
        second = (sums - first).astype(np.float64)  # 11 bits, or as many as a float holds
    radii = radii + UNIT * np.abs(second) + TINY
    rows = zip(first.tolist(), second.tolist(), radii.tolist(), strict=True)
    return [arb(a) + arb(b, r) for a, b, r in rows]
