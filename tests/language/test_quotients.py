"""Quotients with something beside them: read where only one reading fits, else refused in words."""

from __future__ import annotations

import numpy as np
import pytest

from regard.errors import FormulaError
from regard.language import parse

X, Y = np.array([2.0, -1.0, 0.5]), np.array([1.0, 3.0, -2.0])
M = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 5.0]])
VALUES = {"C": 7.0, "n": 5.0, "k_a": X, "k_b": Y, "M": M, "w": 0.3}

CLEAR = [
    ("C/2 (k_a + k_b)", 3.5 * (X + Y)),
    ("C/2(k_a + k_b)", 3.5 * (X + Y)),
    ("C/3 k_a", 7 / 3 * X),
    ("C/3k_a", 7 / 3 * X),
    ("C/2 k_a - C/n k_b", 3.5 * X - 1.4 * Y),
    ("C/sqrt(n) (k_a + k_b)", 7 / np.sqrt(5) * (X + Y)),
    ("C/n M k_a", 1.4 * M @ X),
    ("M/n k_a", M @ X / 5),
    ("1/n^2 k_a k_b'", np.outer(X, Y) / 25),
    ("C/2 norm(k_a)^2", 3.5 * X @ X),
    ("C/2 ‖k_a - k_b‖^2", 3.5 * (X - Y) @ (X - Y)),
    ("w/4 exp(-C)", 0.3 / 4 * np.exp(-7)),
    ("1/(2 n) w", 0.3 / 10),
    ("1/2 n w", 0.75),
]
UNCLEAR = [
    ("C / n w", "write (C / n) w or C / (n w).", 2),
    ("C/2 w", "write (C / 2) w or C / (2 w).", 1),
    ("1/2n", "write 1/2 n or 1 / (2 n).", 1),
    ("k_a/2 C", "write (k_a / 2) C or k_a / (2 C).", 3),
    ("C/2 (n + w)", "write (C / 2) (n + w) or C / (2 (n + w)).", 1),
    ("1/(n)(n - 1)", "write (1 / n) (n - 1) or 1 / (n (n - 1)).", 1),
    ("C/n k_a' k_b", "write (C / n) (k_a' k_b) or C / (n k_a' k_b).", 1),
]


@pytest.mark.parametrize(("text", "expected"), CLEAR)
def test_a_vector_or_a_function_after_a_quotient_multiplies_it(text: str, expected: object) -> None:
    formula = parse(text)
    np.testing.assert_allclose(formula.evaluate(VALUES), expected, rtol=1e-14)
    np.testing.assert_allclose(parse(str(formula)).evaluate(VALUES), expected, rtol=1e-14)


@pytest.mark.parametrize(("text", "fixes", "column"), UNCLEAR)
def test_a_number_after_a_quotient_is_refused_with_both_readings(
    text: str, fixes: str, column: int
) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text).evaluate(VALUES)
    assert caught.value.reason == f"What stands under this / is not clear: {fixes}"
    assert caught.value.column == column
    shapes = {name: np.shape(value) for name, value in VALUES.items()}
    with pytest.raises(FormulaError, match="is not clear"):
        parse(text).shape(shapes)
