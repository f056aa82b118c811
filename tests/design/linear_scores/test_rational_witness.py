"""Weights that solve their equations exactly, out of weights that nearly do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from regard.design.linear_scores.rational_witness import rational, solve_exactly, text


def exact(rows: list[list[float]]) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in rows]


def fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def test_a_float_is_the_fraction_it_is() -> None:
    assert text(rational(0.375)) == "3/8"
    assert fraction(rational(0.1)) == Fraction(0.1) != Fraction(1, 10)


def test_thirds_that_floats_only_come_near_are_found() -> None:
    columns = [[1.0, 1.0], [1.0, 4.0]]  # w_0 + w_1 = 1 and w_0 + 4 w_1 = 2: 2/3 and 1/3
    found = solve_exactly(
        lambda j: [fmpq(int(x)) for x in columns[j]],
        [fmpq(1), fmpq(2)],
        [0.6667, 0.3333],
        np.array(columns).T,
    )
    assert found is not None
    assert [text(x) for x in found] == ["2/3", "1/3"]


@pytest.mark.parametrize("seed", range(5))
def test_equations_hold_exactly_and_weights_stay_near(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((3, 11))
    weights = rng.random(11) + 0.1
    wanted = [sum(map(Fraction, row * weights)) for row in matrix]  # off from the sum by rounding
    found = solve_exactly(
        lambda j: [rational(x) for x in matrix[:, j]],
        [fmpq(x.numerator, x.denominator) for x in wanted],
        weights.tolist(),
        matrix,
    )
    assert found is not None
    solved = [fraction(x) for x in found]
    assert min(solved) >= 0
    for row, right in zip(exact(matrix.tolist()), wanted, strict=True):
        assert sum(a * w for a, w in zip(row, solved, strict=True)) == right
    np.testing.assert_allclose([float(x) for x in solved], weights, rtol=1e-12)


def test_equations_that_contradict_each_other_have_no_solution() -> None:
    columns = [[1.0, 1.0], [2.0, 2.0]]  # w_0 + 2 w_1 is both 3 and 4
    assert (
        solve_exactly(
            lambda j: [fmpq(int(x)) for x in columns[j]],
            [fmpq(3), fmpq(4)],
            [1.0, 1.0],
            np.array(columns).T,
        )
        is None
    )


def test_a_solution_with_a_negative_weight_is_none() -> None:
    columns = [[1.0, 0.0], [1.0, 1.0]]  # w_0 + w_1 = 1 and w_1 = 2: w_0 = -1
    assert (
        solve_exactly(
            lambda j: [fmpq(int(x)) for x in columns[j]],
            [fmpq(1), fmpq(2)],
            [0.5, 0.5],
            np.array(columns).T,
        )
        is None
    )


def test_large_weights_are_solved_for_so_that_small_ones_stay_positive() -> None:
    small, large = 1e-17, 1 + 2.0**-52  # w_0 + w_1 = 1: solved for w_0, it would be negative
    found = solve_exactly(lambda j: [fmpq(1)], [fmpq(1)], [small, large], np.ones((1, 2)))
    assert found is not None
    assert [fraction(x) for x in found] == [Fraction(small), 1 - Fraction(small)]
