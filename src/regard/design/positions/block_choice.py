"""Which blocks serve an offset best, if not all can be kept: those with the largest gap.

Block i tells shift u from the one looked at by 2 sin²(ω_i u / 2), and the gap of a choice is the
least, over all shifts, of the sum over its blocks.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["choose"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

MOST_CHOICES = 50_000  # that are all tried
ROUNDS = 100
JOIN = 16  # shifts that join in a round
NEAR = 128  # the first shifts, where most rivals are


def choose(squares: Array, count: int) -> tuple[Indices, str]:
    """Choose so many rows of squares, (blocks, shifts), and say how they were chosen."""
    choices = math.comb(len(squares), count)
    if choices <= MOST_CHOICES:
        return _best_of_all(squares, count), f"the largest gap of all {choices} choices"
    return _exchanged(squares, count), "found by exchanges"


def _lowest(squares: Array, chosen: Indices) -> tuple[float, Indices]:
    """The gap of a choice, and the columns where its sum dips lowest."""
    rises = np.sum(squares[chosen], axis=0)
    padded = np.concatenate([[np.inf], rises, [np.inf]])
    dips = np.flatnonzero((rises <= padded[:-2]) & (rises <= padded[2:]))
    dips = dips[np.argsort(rises[dips], kind="stable")[:JOIN]]
    return float(rises[dips[0]]), dips


def _best_of_all(squares: Array, count: int) -> Indices:
    """The choice with the largest gap.

    Over some of the shifts the minimum of D can only be larger. So choices are looked at in the
    order of that, each time with the shifts added where the last one turned out to be lowest, and
    the search ends when what the others may still reach is no more than what was found.
    """
    choices = np.array(list(itertools.combinations(range(len(squares)), count)))
    reach = np.full(len(choices), np.inf)
    shifts, best, best_gap = np.arange(min(squares.shape[1], NEAR)), choices[0], -1.0
    while True:
        left = np.flatnonzero(reach > best_gap)
        for some in np.array_split(left, 1 + len(left) // 256):
            over = np.sum(squares[choices[some][:, :, None], shifts], axis=1)
            reach[some] = np.minimum(reach[some], np.min(over, axis=1, initial=np.inf))
        first = int(np.argmax(reach))
        if reach[first] <= best_gap:
            return np.asarray(best)
        gap, shifts = _lowest(squares, choices[first])
        if gap > best_gap:
            best, best_gap = choices[first], gap
        reach[first] = -1.0


def _exchanged(squares: Array, count: int) -> Indices:
    """The best choice that exchanges lead to from a few starts.

    They are made for some of the shifts, and those where D is then lowest join them.
    """
    m = len(squares)
    starts: list[list[int]] = [[], list(range(count))]
    starts.append(np.unique(np.linspace(0, m - 1, count).astype(int)).tolist())
    shifts = np.arange(min(squares.shape[1], NEAR))
    best, best_gap = np.arange(count), -1.0
    for start in starts:
        for _ in range(ROUNDS):
            chosen = _exchange(squares[:, shifts], count, start)
            gap, dips = _lowest(squares, chosen)
            if gap > best_gap:
                best, best_gap = chosen, gap
            if dips[0] in shifts:
                break
            shifts = np.union1d(shifts, dips)
    return best


def _exchange(squares: Array, count: int, start: list[int]) -> Indices:
    """Rows added to the start one by one, then exchanged as long as the least sum grows."""
    chosen = list(start)
    while len(chosen) < count:
        rest = [i for i in range(len(squares)) if i not in chosen]
        gaps = np.min(squares[chosen].sum(axis=0) + squares[rest], axis=1)
        chosen.append(rest[int(np.argmax(gaps))])
    gap = float(np.min(squares[chosen].sum(axis=0)))
    while True:
        better, swap = gap * (1 + 1e-12), None
        rest = [i for i in range(len(squares)) if i not in chosen]
        total = squares[chosen].sum(axis=0)
        for place, i in enumerate(chosen):
            gaps = np.min(total - squares[i] + squares[rest], axis=1)
            if gaps.max() > better:
                better, swap = float(gaps.max()), (place, rest[int(np.argmax(gaps))])
        if swap is None:
            return np.sort(np.array(chosen))
        chosen[swap[0]], gap = swap[1], better
