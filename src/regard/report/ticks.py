"""Round numbers along an axis."""

from __future__ import annotations

import math

_MOST = 6  # steps between ticks


def axis(low: float, high: float) -> tuple[float, float, list[float]]:
    """Return an axis that holds all from low to high: where it begins and ends, and its ticks.

    It begins and ends at ticks, which are multiples of 1, 2, 2.5 or 5 times a power of ten.

    >>> axis(0.03, 0.98)
    (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    if not low < high:
        low, high = (low - abs(low), high + abs(high)) if low else (-1.0, 1.0)
    if (high - low) / _MOST == 0:
        return low, high, [low, high]
    power = math.floor(math.log10((high - low) / _MOST))
    for factor in (1, 2, 2.5, 5, 10, 20):
        step = factor * 10.0**power
        if step <= 0 or not math.isfinite(high / step):
            break  # an axis shorter than floats can divide
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= _MOST:
            marks = [float(f"{i * step:.12g}") for i in range(first, last + 1)]
            return min(low, marks[0]), max(high, marks[-1]), marks
    return low, high, [low, high]
