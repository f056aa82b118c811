"""Where a function of one number crosses zero.

`scipy.optimize` has more ways to find it, and takes longer to load than a plain problem to solve.
"""

from __future__ import annotations

from collections.abc import Callable

ROUNDS = 200  # some ten are usual


def crossing(f: Callable[[float], float], low: float, high: float, within: float = 4e-16) -> float:
    """Return x between low and high where f changes its sign, to within · |x|, by regula falsi.

    The Illinois rule: the value at an end that stays counts half, so that both ends move. Good for
    functions that are nearly straight; exact only up to the rounding of f itself.

    Args:
        f: continuous, with other signs at low and at high, or 0 at one of them.
        low: one end.
        high: the other.
        within: how far the two ends may be apart, relative to x.

    >>> crossing(lambda x: x * x - 2, 1.0, 2.0)
    1.4142135623730951
    """
    at_low, at_high = f(low), f(high)
    if at_low == 0:
        return low
    for _ in range(ROUNDS):
        if at_high == 0 or abs(high - low) <= within * abs(high):
            break
        middle = high - at_high * (high - low) / (at_high - at_low)
        if not min(low, high) < middle < max(low, high):  # rounding: halve instead
            middle = low + (high - low) / 2
        found = f(middle)
        if (found > 0) != (at_high > 0):
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, found
    return high
