"""Definiteness of matrices of fractions and of balls, against eigenvalues by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from regard.certify.balls import definite


def fractions(rows: list[list[int]]) -> list[list[Any]]:
    return [[fmpq(x) for x in row] for row in rows]


def balls(rows: list[list[float]], radius: float) -> list[list[Any]]:
    return [[arb(x, radius) for x in row] for row in rows]


@pytest.mark.parametrize(
    ("rows", "strictly", "weakly"),
    [
        ([[2, 1], [1, 2]], True, True),  # eigenvalues 1 and 3
        ([[1, 2], [2, 1]], False, False),  # -1 and 3
        ([[1, 1], [1, 1]], False, True),  # 0 and 2
        ([[0, 0], [0, 5]], False, True),  # 0 and 5
        ([[0, 1], [1, 5]], False, False),  # the determinant is -1
        ([[-1]], False, False),
        ([[1, 2, 3], [2, 4, 6], [3, 6, 9]], False, True),  # rank one
        ([[4, 2, 2], [2, 2, 0], [2, 0, 2]], False, True),  # (1, -1, -1) is in its kernel
        ([[4, 2, 2], [2, 2, 0], [2, 0, 3]], True, True),
    ],
)
def test_fractions_are_decided(rows: list[list[int]], strictly: bool, weakly: bool) -> None:
    assert definite(fractions(rows)) is strictly
    assert definite(fractions(rows), semi=True) is weakly


def test_balls_are_decided_where_their_width_does_not_matter() -> None:
    assert definite(balls([[2, 1], [1, 2]], 1e-3)) is True
    assert definite(balls([[1, 2], [2, 1]], 1e-3)) is False


def test_balls_that_hold_both_kinds_of_matrices_are_left_open() -> None:
    assert definite(balls([[1, 1], [1, 1]], 1e-9)) is None
    assert definite(balls([[1, 1], [1, 1]], 1e-9), semi=True) is None
    assert definite([[arb(0, 1e-9)]]) is None
    beside = arb(0, 1e-9)  # beside a zero it must be 0 itself
    assert definite([[arb(0), beside], [beside, arb(1)]], semi=True) is None


@pytest.mark.parametrize("seed", range(5))
def test_drawn_matrices_are_decided_as_their_eigenvalues_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.integers(-3, 4, (5, 7))
    shifted = root @ root.T - 3 * np.eye(5, dtype=int)
    least = float(np.min(np.linalg.eigvalsh(shifted)))
    assert abs(least) > 1e-6  # NumPy's digits are enough to tell
    assert definite(fractions(shifted.tolist())) is (least > 0)
