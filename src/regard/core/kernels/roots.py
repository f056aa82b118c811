"""The tables that Fourier transforms in C need, for lengths that they can have.

A transform of n1 · n2 numbers is n2 of n1 numbers, a product with roots of unity, and n1 of
n2 numbers. Each of these is made of steps that take four numbers at a time, and a last one
of two or three. The results come in the order of reversed digits, in which each step has
put one digit of the frequency where one of the time was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Complex = NDArray[np.complex128]


@dataclass(frozen=True)
class Tables:
    """What a transform of n1 · n2 numbers needs, as csrc/job.h says."""

    n1: int
    n2: int
    roots1: Complex
    roots2: Complex
    between: Complex
    order: NDArray[np.int64]

    def sort(self, spectrum: Complex) -> Complex:
        """Bring a spectrum in the order of frequencies into that of a transform."""
        return spectrum.take(self.order)


def quick_length(least: int) -> int:
    """Return the smallest length from `least` on that a transform in C can have."""
    return math.prod(_split(least))


@lru_cache(maxsize=4)
def tables(length: int) -> Tables:
    """Make the tables of a length that `quick_length` gave."""
    n1, n2 = _split(length)
    order1, order2 = _reversed_digits(n1), _reversed_digits(n2)
    between = _unit_roots(length, np.arange(n2)[:, None] * order1)
    order = (order1[:, None] + n1 * order2).ravel()
    return Tables(n1, n2, _roots(n1), _roots(n2), between, order)


def _split(least: int) -> tuple[int, int]:
    """Return n1 ≥ n2, each 4 · ... · 4 · (1, 2 or 3), with the smallest product from `least` on."""
    fours = 0
    while 4**fours < least:
        fours += 1
    factors = [last * 4**power for last in (1, 2, 3) for power in range(fours + 1)]
    pairs = [(n1, n2) for n1 in factors for n2 in factors if n1 >= n2 and n1 * n2 >= least]
    return min(pairs, key=lambda pair: (pair[0] * pair[1], pair[0]))


def _steps(n: int) -> list[int]:
    """Return how many numbers each step of a transform takes at a time."""
    steps = []
    while n % 4 == 0:
        steps.append(4)
        n //= 4
    return [*steps, n] if n > 1 else steps


def _reversed_digits(n: int) -> NDArray[np.int64]:
    """Return the frequency of each result of a transform."""
    steps = _steps(n)
    return np.arange(n).reshape(steps[::-1]).transpose().ravel()


def _roots(n: int) -> Complex:
    """Return what the steps of four multiply the second, third and fourth result by."""
    tables = [np.zeros(0, dtype=np.complex128)]
    while n % 4 == 0:
        turns = np.arange(n // 4)[:, None] * np.array([1, 2, 3])
        tables.append(_unit_roots(n, turns).ravel())
        n //= 4
    return np.concatenate(tables)


def _unit_roots(n: int, turns: NDArray[np.int64]) -> Complex:
    """Return e^(-2πi turns/n), off by less than 5 u."""
    turns = turns % n
    quarter = (8 * turns + n) // (2 * n)  # the nearest, which leaves an eighth turn at most
    angle = (np.pi / 2) * ((4 * turns - quarter * n) / n)
    roots = np.cos(angle) - 1j * np.sin(angle)
    return roots * np.array([1, -1j, -1, 1j])[quarter % 4]
