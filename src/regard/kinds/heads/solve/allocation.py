"""Share wanted weights among heads whose outputs are averaged.

The average of H heads gives each head the share 1/H, so head h must have a pattern p^h with
Σ p^h / H = p. Pouring the weights one after another into heads of capacity 1/H splits at most
H − 1 of them; a key whose weight is at least 1/H has a head (or more) to itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations

MOST_ORDERED = 5  # keys whose orders are all tried


def allocate(weights: Mapping[int, float], heads: int) -> list[dict[int, float]]:
    """Return one pattern per head; keys with heads of their own come first."""
    room = [(row, Fraction(weight).limit_denominator(10**9)) for row, weight in weights.items()]
    total = sum(weight for _, weight in room)
    patterns: list[dict[int, float]] = []
    left = []
    for row, weight in room:
        units = weight / total * heads
        whole = int(units)
        patterns += [{row: 1.0}] * whole
        if units > whole:
            left.append((row, units - whole))
    # What is left over is poured, the largest first, so that mixed heads have few keys.
    left.sort(key=lambda part: -part[1])
    current: dict[int, Fraction] = {}
    for row, amount in left:
        while amount:
            taken = min(amount, 1 - sum(current.values(), Fraction(0)))
            current[row] = current.get(row, Fraction(0)) + taken
            amount -= taken
            if sum(current.values()) == 1:
                patterns.append({key: float(part) for key, part in current.items()})
                current = {}
    return patterns


def allocations(weights: Mapping[int, float], heads: int) -> Iterator[list[dict[int, float]]]:
    """Yield what differs of it over all orders of the weights, or only as they are if many."""
    found = []
    orders = [tuple(weights.items())]
    if len(weights) <= MOST_ORDERED:
        orders = list(permutations(weights.items()))
    for order in orders:
        patterns = allocate(dict(order), heads)
        shares = sorted(sorted(pattern.items()) for pattern in patterns)
        if shares not in found:
            found.append(shares)
            yield patterns
