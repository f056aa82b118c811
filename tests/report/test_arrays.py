"""Rows of numbers as formulas."""

from __future__ import annotations

import math
from typing import Any

import pytest

from regard.report.arrays import array, matrix, shown
from regard.report.inline import is_valid
from regard.report.inline import shown as in_a_terminal


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([[1, 0], [0, -2.5]], "[1, 0; 0, −2.5]"),
        ([3, 1e-7], "(3, 1 × 10⁻⁷)"),
        ([math.inf, math.nan], "(∞, NaN)"),
        (((1, 2, 3),), "[1, 2, 3]"),
    ],
)
def test_rows_are_typeset(value: Any, text: str) -> None:
    assert in_a_terminal(array(value)) == text


@pytest.mark.parametrize("value", ["x", 3, [], [[1], [1, 2]], [True], [[[1]]], [0] * 11])
def test_what_is_no_array_of_a_page_is_not(value: Any) -> None:
    assert array(value) == ""


def test_the_largest_array_is_a_formula_of_the_notation() -> None:
    assert is_valid(array([[0.125] * 10] * 10)[1:-1])


def test_digits_are_as_many_as_asked_for() -> None:
    assert matrix([[1 / 3, 2]], 3) == r"\begin{bmatrix} 0.333 & 2 \end{bmatrix}"


def test_what_is_too_large_stays_a_list() -> None:
    assert shown([1.0] * 11) == "[" + ", ".join(["1"] * 11) + "]"
    assert shown(0.25) == "0.25"
