"""Weights between bounds: how large and how small a mean of their logarithms can be.

Let the weights a_j ≥ 0 of a row sum to 1, and low_j ≤ a_j ≤ high_j. For shares l_j, y_j ≥ 0,

    largest   Σ l_j ln a_j ≤ level + Σ_j max_{low ≤ a ≤ high} (l_j ln a - level · a), any level ≥ 0,
              because Σ a_j = 1: a Lagrange multiplier. Level Σ l and no bounds give -H(l).
    smallest  Σ y_j ln a_j is concave, so the least is at a corner of the bounds and of
              Σ_S a_j ≥ 1 - Σ_others high_j, S the keys with y_j > 0: all of S but one at an end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from flint import arb

MOST_AT_CORNERS = 8  # keys whose corners are looked at: 8 · 2^7 of them


@dataclass(frozen=True)
class Bounds:
    """Bounds of the weights of one row of n keys; keys not listed are between 0 and `rest`."""

    n: int
    listed: Mapping[int, tuple[arb, arb]]
    rest: arb

    def of(self, key: int) -> tuple[arb, arb]:
        """Return the bounds of one weight."""
        return self.listed.get(key, (arb(0), self.rest))


def largest(shares: Mapping[int, arb], bounds: Bounds, level: arb) -> arb:
    """Return a number that Σ l_j ln a_j does not exceed."""
    total = level
    for j, share in shares.items():
        low, high = bounds.of(j)
        if share >= level * high:  # it rises up to the upper bound
            total += share * high.log() - level * high
        elif level * low > share:
            total += share * low.log() - level * low
        else:  # the largest without bounds, which is never less
            total += share * (share / level).log() - share
    for j, (low, _) in bounds.listed.items():
        if j not in shares:
            total -= level * low
    return total


def smallest(shares: Mapping[int, arb], bounds: Bounds) -> arb:
    """Return a number that Σ y_j ln a_j does not go below."""
    ends = {j: bounds.of(j) for j in shares}
    at_low = {j: share * ends[j][0].log() for j, share in shares.items()}
    base = sum(at_low.values(), arb(0))
    others = [high for j, (_, high) in bounds.listed.items() if j not in shares]
    unlisted = bounds.n - len(others) - len(shares)
    needed = 1 - sum(others, unlisted * bounds.rest)
    lifted = needed - sum((low for low, _ in ends.values()), arb(0))
    if len(shares) > MOST_AT_CORNERS or not lifted > 0:
        return base
    rises = {j: share * ends[j][1].log() - at_low[j] for j, share in shares.items()}
    widths = {j: high - low for j, (low, high) in ends.items()}
    least: arb | None = None
    for between in shares:
        rest = [j for j in shares if j != between]
        low, high = ends[between]
        for count in range(len(rest) + 1):
            for chosen in combinations(rest, count):
                own = low + lifted - sum((widths[j] for j in chosen), arb(0))
                if own > high:
                    continue  # not enough at their upper bounds
                own = own.max(low)
                value = base - at_low[between] + shares[between] * own.log()
                value += sum((rises[j] for j in chosen), arb(0))
                least = value if least is None else least.min(value)
    return base if least is None else least
