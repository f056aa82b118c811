"""How far to turn up a robust head: leak against noise.

A small gap lets the other keys leak in; a large one turns small noise into coin flips between the
targets. The best gap minimises E ‖c − c*‖² of the exact law.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from regard.shapes import integer, real

__all__ = ["best_gap", "isotropic_scale", "widest_useful_gap"]

LEAK = 1e-8  # a gap at which the other keys get this much is as good as any larger one
SMALLEST = 0.25
PRECISION = 1e-3  # of the gap: its error is flat there
GOLDEN = (math.sqrt(5) - 1) / 2
FACTOR = 1.5  # between the gaps that are tried first
MOST_TRIED = 40  # of them: noise far above the means leaves gaps of any size


def isotropic_scale(n: int, alpha: float, D: float, apart: float) -> float:
    """Return the best C of the query C (μ_a + μ_b) for orthonormal means and noise alpha I.

    It minimises ((n − 2)/2)² e^{−2C} D² + alpha C² apart²/4, the leak and the noise to first order:
    C = W(2 (n − 2)² D² / (alpha apart²)) / 2 with Lambert's W.

    Args:
        n: how many keys there are, ≥ 2.
        alpha: the variance of each entry of a key, > 0.
        D: distance from the wanted output (v_a + v_b)/2 to the mean of the other values, > 0.
        apart: ‖v_a − v_b‖, > 0.

    Example:
        >>> round(isotropic_scale(6, 1e-4, 0.75**0.5, 2**0.5), 6)
        4.724653
    """
    from scipy.special import lambertw  # slow to load

    function = "design.isotropic_scale"
    others = integer(function, "n", n, minimum=2) - 2
    noise = real(function, "alpha", alpha, positive=True)
    leak, spread = (
        real(function, name, value, positive=True) for name, value in (("D", D), ("apart", apart))
    )
    if others == 0:
        return 0.0
    # In logarithms: the ratio may be too large for a float, and W(e^x) is not.
    power = (
        math.log(2) + 2 * (math.log(others) + math.log(leak) - math.log(spread)) - math.log(noise)
    )
    if power < 500:
        return float(lambertw(math.exp(power)).real) / 2
    w = power - math.log(power)
    for _ in range(20):
        w -= (w + math.log(w) - power) / (1 + 1 / w)
    return w / 2


def widest_useful_gap(count: int) -> float:
    """The gap beyond which `count` other keys leak less than matters."""
    return math.log(max(count, 1)) - math.log(LEAK)


def best_gap(error: Callable[[float], float], known: float, widest: float) -> float:
    """The gap with the least error, up to the widest; `known` is one that can be met."""
    first = min(SMALLEST, known)
    steps = min(MOST_TRIED, max(2, math.ceil(math.log(widest / first) / math.log(FACTOR))))
    tried = [first * (widest / first) ** (k / steps) for k in range(steps + 1)]
    errors = [error(gap) for gap in tried]
    least = min(range(len(tried)), key=lambda k: errors[k])
    if not math.isfinite(errors[least]):
        return known
    found = _narrowed(error, tried[max(least - 1, 0)], tried[min(least + 1, steps)])
    return min(found, (errors[least], tried[least]))[1]


def _narrowed(error: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The least error and its place, by golden sections; an error may be infinite."""
    inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    values = [(error(gap), gap) for gap in inner]
    while high - low > PRECISION * high:
        if values[0][0] < values[1][0]:
            high = values[1][1]
            gap = high - GOLDEN * (high - low)
            values = [(error(gap), gap), values[0]]
        else:
            low = values[0][1]
            gap = low + GOLDEN * (high - low)
            values = [values[1], (error(gap), gap)]
    return min(values)
