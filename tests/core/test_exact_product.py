"""Matrix products that do not round."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.core.exact_product import product


def exactly(left: Any, right: Any) -> list[list[Fraction]]:
    """Multiply in rational numbers."""
    columns = [[Fraction(float(x)) for x in column] for column in right.T]
    rows = [[Fraction(float(x)) for x in row] for row in left]
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns]
        for row in rows
    ]


def assert_product_is_exact(left: Any, right: Any) -> None:
    hi, lo = product(left, right)
    expected = exactly(left, right)
    for i, row in enumerate(expected):
        for j, entry in enumerate(row):
            got = Fraction(float(hi[i, j])) + Fraction(float(lo[i, j]))
            largest = Fraction(float(np.abs(left[i]).max() * np.abs(right[:, j]).max()))
            assert abs(got - entry) <= (left.shape[1] + 8) * largest * Fraction(1, 2**104)


@settings(deadline=None, derandomize=True, max_examples=80)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 7, 100]), st.sampled_from([0, 8, 30]))
def test_the_error_is_within_the_bound_of_the_docstring(seed: int, n: int, range_: int) -> None:
    rng = np.random.default_rng(seed)
    # Entries of very different sizes, so that terms cancel and small ones matter.
    left = rng.standard_normal((3, n)) * np.exp(rng.uniform(-range_, range_, (3, n)))
    right = rng.standard_normal((n, 2)) * np.exp(rng.uniform(-range_, range_, (n, 2)))
    assert_product_is_exact(left, right)


def test_terms_that_cancel_leave_the_exact_rest() -> None:
    left = np.array([[1e16, 1.0, -1e16]])
    right = np.array([[1.0], [2.0**-60], [1.0]])
    hi, lo = product(left, right)
    np.testing.assert_array_equal(hi, [[2.0**-60]])
    np.testing.assert_array_equal(lo, [[0.0]])


def test_an_entry_does_not_depend_on_the_rows_and_columns_beside_it() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((37, 64)), rng.standard_normal((64, 41))
    hi, lo = product(left, right)
    for i, j in ((0, 0), (17, 5), (36, 40)):
        alone = product(left[i : i + 1], right[:, j : j + 1])
        assert (alone[0].item(), alone[1].item()) == (hi[i, j], lo[i, j])


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e150])
def test_numbers_at_the_ends_of_the_range_give_no_nan(size: float) -> None:
    hi, lo = product(np.full((2, 3), size), np.ones((3, 2)))
    np.testing.assert_allclose(hi + lo, 3 * size, rtol=1e-15)


def test_zeros_and_empty_axes_give_zeros() -> None:
    for left, right in (
        (np.zeros((2, 3)), np.ones((3, 4))),
        (np.zeros((2, 0)), np.zeros((0, 4))),
    ):
        hi, lo = product(left, right)
        np.testing.assert_array_equal(hi, np.zeros((2, 4)))
        np.testing.assert_array_equal(lo, np.zeros((2, 4)))
