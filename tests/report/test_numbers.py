"""Numbers as people read them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import ParameterError, ShapeError
from regard.report import matrix_rows, number, vector
from regard.report.numbers import all_numbers

FEW = settings(deadline=None, derandomize=True, max_examples=200)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.999, "0.999"),
        (1.2e-5, "1.2e-05"),
        (0.1 + 0.2, "0.3"),
        (-2.5, "-2.5"),
        (1 / 3, "0.333333"),
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-17.0, "-17"),
        (1000000.0, "1000000"),
        (123456789.0, "123456789"),
        (1234567.8, "1.23457e+06"),
        (1e15, "1e+15"),
        (5e-324, "4.94066e-324"),
        (float("inf"), "infinity"),
        (float("-inf"), "-infinity"),
        (float("nan"), "not a number"),
        (7, "7"),
        (10**400, "1" + "0" * 400),
        (True, "1"),
        (np.int64(-3), "-3"),
        (np.uint8(200), "200"),
        (np.float32(0.1), "0.1"),
        (np.float16(0.5), "0.5"),
        (Fraction(1, 4), "0.25"),
    ],
)
def test_a_number_is_written_like_this(x: Any, expected: str) -> None:
    assert number(x) == expected


def test_digits_are_significant_digits() -> None:
    assert [number(2 / 3, digits) for digits in (1, 2, 5)] == ["0.7", "0.67", "0.66667"]
    assert number(0.00012345, 2) == "0.00012"


@FEW
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_within_half_a_unit_of_its_last_digit(x: float) -> None:
    shown = Fraction(number(x))
    assert abs(shown - Fraction(x)) <= abs(Fraction(x)) * Fraction(5, 10**6)
    assert number(x) != "-0"


@FEW
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_seventeen_digits_give_the_number_itself(x: float) -> None:
    assert float(number(x, 17)) == x


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1, 0, -2.5], "(1, 0, -2.5)"),
        ([-0.0, 1 / 3], "(0, 0.3333)"),
        ([], "()"),
        ([5], "(5)"),
        (np.arange(8), "(0, 1, 2, 3, 4, 5, 6, 7)"),
        (np.arange(9), "(0, 1, 2, 3, 4, 5, 6, …, 8)"),
        (np.array([np.inf, np.nan]), "(infinity, not a number)"),
        (np.array([0.1], dtype=np.float32), "(0.1)"),
    ],
)
def test_a_vector_is_written_like_this(x: Any, expected: str) -> None:
    assert vector(x) == expected


def test_a_long_vector_keeps_as_many_entries_as_asked_for() -> None:
    assert vector(np.arange(100) / 3, digits=2, most=3) == "(0, 0.33, …, 33)"
    assert vector([1, 2, 3], most=2) == "(1, …, 3)"


def test_a_matrix_becomes_rows_of_a_table() -> None:
    x = np.array([[1, 0.5, -0.0], [1 / 3, 1e-9, 2]])
    assert matrix_rows(x) == (("1", "0.5", "0"), ("0.3333", "1e-09", "2"))
    assert matrix_rows(x, 2, names=["a", "b"]) == (
        ("a", "1", "0.5", "0"),
        ("b", "0.33", "1e-09", "2"),
    )


@pytest.mark.parametrize(
    ("message", "error", "call"),
    [
        ("number: digits must be at least 1. Got 0.", ParameterError, lambda: number(1.5, 0)),
        ("vector: most must be at least 2. Got 1.", ParameterError, lambda: vector([1], most=1)),
        (
            "vector: x must have shape (n,). Got (2, 3).",
            ShapeError,
            lambda: vector(np.ones((2, 3))),
        ),
        (
            "matrix_rows: x must have shape (m, n). Got (3,).",
            ShapeError,
            lambda: matrix_rows([1, 2, 3]),
        ),
        (
            "matrix_rows: names must have one name per row of x (2). Got 3.",
            ShapeError,
            lambda: matrix_rows(np.ones((2, 5)), names=["a", "b", "c"]),
        ),
    ],
)
def test_what_cannot_be_written_is_refused(message: str, error: type[Exception], call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


@FEW
@given(st.lists(st.floats() | st.integers(), min_size=1))
def test_whatever_number_writes_counts_as_a_number(numbers: list[float]) -> None:
    assert all_numbers([number(x) for x in numbers])


@pytest.mark.parametrize(
    "cell",
    ["3", "-0.5", "+2", "1e-05", "1.5e+300", "1/3", "-7/2", "25 %", "≤ 0.1", "<1e-3", "−4", "∞"],
)
def test_these_count_as_numbers(cell: str) -> None:
    assert all_numbers([cell])
    assert all_numbers([cell, "", "—", "…"])


@pytest.mark.parametrize(
    "cell", ["", "k_0", "1 key", "1.2.3", "e5", "0x10", "(1, 2)", "nan", "-", "3\n4"]
)
def test_these_do_not(cell: str) -> None:
    assert not all_numbers([cell])
