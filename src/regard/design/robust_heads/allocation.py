"""Share targets among heads: the partition into groups that costs least.

The noise of an output Σ_h w_h c_h is, for heads that do not share it, Σ_h w_h² tr Cov(c_h), a sum
of one cost per group. Over subsets that is exact in 3^m steps; over groups of at most two keys it
is a matching. Two heads for one group are never used: their noise is the same noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["MOST_EXACT", "Allocation", "allocate"]

Groups = tuple[tuple[int, ...], ...]
Cost = Callable[[tuple[int, ...]], float]

MOST_EXACT = 10  # targets: 3^10 steps, and a cost for each of 2^10 groups
MOST_MATCHED = 16  # targets, for pairs: 2^16 sets


@dataclass(frozen=True)
class Allocation:
    """The groups of target positions, each sorted; their cost; how they were found, in words."""

    groups: Groups
    cost: float
    how: str


def allocate(count: int, heads: int, cost: Cost) -> Allocation:
    """Divide `count` targets into at most `heads` groups with the least sum of costs, each ≥ 0.

    Exact up to 10 targets; up to 16 exact among groups of at most two, if the heads suffice for
    that; beyond, greedy merging followed by exchanges, which need not end at the best.

    Example:
        >>> allocate(4, 2, lambda group: (len(group) ** 2 - len(group)) / 16).groups
        ((0, 1), (2, 3))
    """
    known: dict[tuple[int, ...], float] = {}

    def priced(group: tuple[int, ...]) -> float:
        if group not in known:
            known[group] = cost(group)
        return known[group]

    if heads == 1:
        groups: Groups = (tuple(range(count)),)
        return Allocation(groups, priced(groups[0]), "one head serves all targets")
    if heads >= count:
        groups = tuple((i,) for i in range(count))
        total = sum(priced(group) for group in groups)
        if math.isfinite(total):
            return Allocation(groups, total, "one head per target")
    if count <= MOST_EXACT:
        groups, total = _subsets(count, heads, priced)
        return Allocation(groups, total, "the best of all partitions")
    if count <= MOST_MATCHED and 2 * heads >= count:
        groups, total = _matching(count, heads, priced)
        return Allocation(groups, total, "the best of all partitions into groups of one or two")
    groups, total = _exchanges(count, heads, priced)
    return Allocation(groups, total, "merged greedily, then exchanged: perhaps not the best")


def _subsets(count: int, heads: int, cost: Cost) -> tuple[Groups, float]:
    """The best partition by its last group, which holds the first target that is left."""
    full = (1 << count) - 1
    prices = [0.0] + [cost(_members(mask)) for mask in range(1, full + 1)]
    best = np.full((heads + 1, full + 1), math.inf)
    taken = np.zeros((heads + 1, full + 1), dtype=np.int64)
    best[0, 0] = 0.0
    for used in range(1, heads + 1):
        for mask in range(1, full + 1):
            low = mask & -mask
            rest = mask ^ low
            part = rest
            while True:
                group = part | low
                total = best[used - 1, mask ^ group] + prices[group]
                if total <= best[used, mask]:  # of equals, the earliest targets together
                    best[used, mask], taken[used, mask] = total, group
                if part == 0:
                    break
                part = (part - 1) & rest
    # Of equal costs, more heads: each is then asked for less.
    used = max(range(1, heads + 1), key=lambda h: (-best[h, full], h))
    total = float(best[used, full])
    if not math.isfinite(total):
        return (_members(full),), math.inf
    groups, mask = [], full
    while mask:
        group = int(taken[used, mask])
        groups.append(_members(group))
        mask, used = mask ^ group, used - 1
    return tuple(sorted(groups)), total


def _matching(count: int, heads: int, cost: Cost) -> tuple[Groups, float]:
    """The best partition into single targets and pairs: at least count − heads pairs."""
    full, most = (1 << count) - 1, count // 2
    single = np.array([cost((i,)) for i in range(count)])
    pair = np.array([[cost((i, j)) if i < j else 0.0 for j in range(count)] for i in range(count)])
    best = np.full((full + 1, most + 1), math.inf)
    taken = np.full((full + 1, most + 1), -1, dtype=np.int64)
    best[0, 0] = 0.0
    for mask in range(1, full + 1):
        low = (mask & -mask).bit_length() - 1
        rest = mask ^ (1 << low)
        best[mask] = best[rest] + single[low]
        taken[mask] = low
        for j in _members(rest):
            total = best[rest ^ (1 << j), :-1] + pair[low, j]
            better = np.flatnonzero(total < best[mask, 1:]) + 1
            best[mask, better], taken[mask, better] = total[better - 1], j
    pairs = min(range(max(count - heads, 0), most + 1), key=lambda k: best[full, k])
    total = float(best[full, pairs])
    if not math.isfinite(total):
        return (_members(full),), math.inf
    groups, mask = [], full
    while mask:
        low, other = (mask & -mask).bit_length() - 1, int(taken[mask, pairs])
        group = tuple(sorted({low, other}))
        groups.append(group)
        pairs -= len(group) - 1
        mask ^= sum(1 << i for i in group)
    return tuple(sorted(groups)), total


def _exchanges(count: int, heads: int, cost: Cost) -> tuple[Groups, float]:
    """Merge the two groups that cost least to merge; then move and swap while that helps."""
    groups: list[tuple[int, ...]] = [(i,) for i in range(count)]
    while len(groups) > heads:
        rises = [
            (cost(_joined(groups[a], groups[b])) - cost(groups[a]) - cost(groups[b]), a, b)
            for a in range(len(groups))
            for b in range(a + 1, len(groups))
        ]
        _, a, b = min((rise if not math.isnan(rise) else math.inf, a, b) for rise, a, b in rises)
        joined = _joined(groups[a], groups[b])
        groups = [group for at, group in enumerate(groups) if at not in (a, b)] + [joined]
    improved = True
    while improved:
        improved = False
        for a in range(len(groups)):
            for b in range(len(groups)):
                if a != b:
                    pair = _bettered(groups[a], groups[b], cost)
                    improved = improved or pair is not None
                    groups[a], groups[b] = pair or (groups[a], groups[b])
    return tuple(sorted(groups)), sum(cost(group) for group in groups)


def _bettered(
    first: tuple[int, ...], second: tuple[int, ...], cost: Cost
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Two groups that cost less after one target has moved, or two have changed places."""
    before = cost(first) + cost(second)
    moves: list[tuple[int, int | None]] = [(i, j) for i in first for j in second]
    if len(first) > 1:
        moves += [(i, None) for i in first]
    for i, j in moves:
        one = tuple(sorted({*first, *(() if j is None else (j,))} - {i}))
        two = tuple(sorted({*second, i} - {j}))
        if cost(one) + cost(two) < before * (1 - 1e-12):
            return one, two
    return None


def _joined(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((*first, *second)))


def _members(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)
