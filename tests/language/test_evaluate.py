"""What formulas come to, against the same thing written with NumPy."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.language import FormulaError, parse

RNG = np.random.default_rng(5)
N, D, K, P = 7, 5, 3, 2
VALUES: dict[str, Any] = {
    "X": RNG.normal(size=(N, D)), "W_Q": RNG.normal(size=(D, K)), "W_K": RNG.normal(size=(D, K)),
    "A": RNG.normal(size=(D, D)), "u": RNG.normal(size=D),
    "v": RNG.normal(size=D), "w": RNG.normal(size=P), "s": RNG.normal(size=N),
    "S": RNG.normal(size=(D, P)), "C": 2.5, "n": 7, "epsilon": 0.01, "alpha": 0.25, "T": 3,
    "w_i": 0.3, "D": 1.5, "d": D,
}  # fmt: skip
X, W_Q, W_K, A, u, v, w, s, S = (
    VALUES[name] for name in ("X", "W_Q", "W_K", "A", "u", "v", "w", "s", "S")
)
EXP = np.exp(s - s.max())


def phi(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C (u + v)", 2.5 * (u + v)),
        ("u' v", float(np.dot(u, v))),
        ("u · v", float(np.dot(u, v))),
        ("dot(u', v)", float(np.dot(u, v))),
        ("u w'", np.outer(u, w)),
        ("outer(u, w)", np.outer(u, w)),
        ("u'", u.reshape(1, D)),
        ("u' A v", float(u @ A @ v)),
        ("u' A", (u @ A).reshape(1, D)),
        ("X W_Q", X @ W_Q),
        ("X W_Q (X W_K)'", (X @ W_Q) @ (X @ W_K).T),
        ("A u - v", A @ u - v),
        ("-u / C", -u / 2.5),
        ("u - v / 2 + C v", u - v / 2 + 2.5 * v),
        ("alpha I + 1/2 u u'", 0.25 * np.eye(D) + 0.5 * np.outer(u, u)),
        ("(u u' - v v') / C^2", (np.outer(u, u) - np.outer(v, v)) / 6.25),
        ("2 S (S' S)^-1 S'", 2 * S @ np.linalg.inv(S.T @ S) @ S.T),
        ("2 S pinv(S)", 2 * S @ np.linalg.pinv(S)),
        ("pinv(u)", (u / (u @ u)).reshape(1, D)),
        ("A^-2", np.linalg.inv(A @ A)),
        ("A^0", np.eye(D)),
        ("A^3", A @ A @ A),
        ("A^{-T} u", np.linalg.inv(A).T @ u),
        ("tr(A) + tr(I(4))", np.trace(A) + 4),
        ("I_d", np.eye(D)),
        ("I(d) u", u),
        ("norm(u - v)", math.sqrt(sum((u - v) ** 2))),
        ("norm(u')^2", float(u @ u)),
        ("norm(-3)", 3.0),
        ("|C - 4| + abs(-1)", 2.5),
        ("abs(u)", np.abs(u)),
        ("sum(exp(s))", float(np.exp(s).sum())),
        ("sum(X)", float(X.sum())),
        ("max(s) - min(s)", float(s.max() - s.min())),
        ("max(1, C, n)", 7.0),
        ("min(1, C, n)", 1.0),
        ("softmax(s)", EXP / EXP.sum()),
        ("softmax(X)", np.exp(X) / np.exp(X).sum(axis=1, keepdims=True)),
        ("softmax(s')", (EXP / EXP.sum()).reshape(1, N)),
        ("sqrt(C) + log(C) - exp(-C)", math.sqrt(2.5) + math.log(2.5) - math.exp(-2.5)),
        ("cos(w_i T)^2 + sin(w_i T)^2", 1.0),
        ("erf(1)", math.erf(1)),
        ("Phi(sqrt(2))", 0.9213503964748575),
        ("Phi(s)", np.array([phi(x) for x in s])),
        (r"\begin{bmatrix} \cos(w_i T) & -\sin(w_i T) \\ \sin(w_i T) & \cos(w_i T) \end{bmatrix}",
         np.array([[math.cos(0.9), -math.sin(0.9)], [math.sin(0.9), math.cos(0.9)]])),
        ("[1, -2, C]", np.array([1, -2, 2.5])),
        ("[1 2; 3 4] [5, 6]", np.array([17.0, 39.0])),
        ("[[1, 2, 3]]", np.array([[1.0, 2.0, 3.0]])),
        ("[[1], [2]]", np.array([[1.0], [2.0]])),
        ("2^3 - 2^-1 + n^(1/2)", 7.5 + math.sqrt(7)),
        ("-3^2", -9.0),
        ("2^(T)", 8.0),
        ("1 - 2 - 3", -4.0),
        ("12 / 2 / 3", 2.0),
        ("12 / 2 * 3", 18.0),
        ("1/2 C", 1.25),
        ("5 d / 4", 6.25),
        ("pi", math.pi),
        ("-inf", -math.inf),
        (r"\ln\frac{(n-2)(D-\epsilon)}{2\epsilon}", math.log(5 * 1.49 / 0.02)),
        ("e^{-C}/(2e^C + n - 2)", math.exp(-2.5) / (2 * math.exp(2.5) + 5)),
        (r"6.90 \times 10^{-13}", 6.9e-13),
    ],
)  # fmt: skip
def test_a_formula_comes_to_what_numpy_says(text: str, expected: Any) -> None:
    value = parse(text).evaluate(VALUES)
    np.testing.assert_equal(np.shape(value), np.shape(expected))
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)
    assert isinstance(value, np.ndarray if np.ndim(expected) else float)
    # The shapes that are inferred are the shapes that come out.
    shapes = {name: np.shape(given) for name, given in VALUES.items()}
    if "I_d" not in text and "I(d)" not in text:
        np.testing.assert_equal(parse(text).shape(shapes), np.shape(expected))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1 < 2", True), ("2 < 1", False), ("1 <= 1", True), ("1 >= 1", True), ("1 > 1", False),
        ("0.1 + 0.2 = 0.3", True), ("0.1 + 0.2 != 0.3", False), ("1 = 1.000001", False),
        ("0 < C < 3", True), ("0 < C < 2", False), ("C = 2.5 = 2.5", True),
        ("u = v", False), ("u = u", True), ("u != v", True), ("u != u", False),
        ("exp(s) > 0 s", True), ("s > max(s) [1, 1, 1, 1, 1, 1, 1]", False),
        ("1 < 2 and 2 < 3", True), ("1 < 2 and 3 < 2", False), ("1 > 2 or 2 < 3", True),
        ("not 1 < 2", False), ("not 2 < 1 and 1 < 2", True), ("A = A'", False), ("A A^-1 = I", True),
        ("inf = inf", True), ("inf > 10^64", True), ("-inf < inf", True),
        ("0/0 = 0/0", False), ("0/0 != 1", False), ("0/0 < 1", False), ("not 0/0 < 1", True),
        ("s_j - s_i >= log((n-1)(1-epsilon)/epsilon)", True),
        (r"w_i B/2 \le \pi/2", True),
    ],
)  # fmt: skip
def test_a_comparison_is_true_or_false(text: str, holds: bool) -> None:
    value = parse(text).evaluate(VALUES | {"s_j": 6.4, "s_i": 0.0, "B": 10})
    assert value is holds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exp(1000)", math.inf), ("10^64", 1e64), ("exp(exp(100))", math.inf),
        ("1 / 0", math.inf), ("-1 / 0", -math.inf), ("0 / 0", math.nan), ("log(0)", -math.inf),
        ("log(-1)", math.nan), ("sqrt(-1)", math.nan), ("(-8)^(1/3)", math.nan), ("inf - inf", math.nan),
        ("cos(inf)", math.nan), ("(10^64)^64", math.inf), ("1e308 * 10", math.inf),
        ("0^-1", math.inf), ("Phi(inf) + erf(-inf)", 0.0), ("softmax([0, inf])", [math.nan, math.nan]),
        ("softmax([1000, 0])", [1.0, 0.0]), ("norm([1e200, 1e200])", math.sqrt(2) * 1e200),
        ("[[1, 2], [2, 4]]^-1", np.full((2, 2), math.nan)), ("pinv([[1, 0/0]])", np.full((2, 1), math.nan)),
        ("[[1, 1], [1, 1]] [inf, -inf]", [math.nan, math.nan]), ("max(0/0, 1)", math.nan),
    ],
)  # fmt: skip
def test_what_is_too_large_or_undefined_comes_out_as_infinity_or_nan(
    text: str, expected: Any
) -> None:
    np.testing.assert_allclose(parse(text).evaluate({}), expected, rtol=1e-14)


def test_empty_arrays_are_computed_with() -> None:
    empty = {"x": np.zeros(0), "M": np.zeros((0, 3))}
    np.testing.assert_equal(parse("sum(x) + norm(x)").evaluate(empty), 0.0)
    np.testing.assert_equal(parse("softmax(x)").evaluate(empty).shape, (0,))
    np.testing.assert_equal(parse("max(x)").evaluate(empty), -math.inf)
    np.testing.assert_equal(parse("M' x").evaluate(empty), np.zeros(3))
    np.testing.assert_equal(parse("pinv(M)").evaluate(empty).shape, (3, 0))


def test_numbers_of_every_kind_are_taken() -> None:
    for two in (2, 2.0, Fraction(2), np.float32(2), np.int8(2), np.array(2), True + 1):
        np.testing.assert_equal(parse("x + 1").evaluate({"x": two}), 3.0)
    np.testing.assert_equal(parse("2 x").evaluate({"x": [1, 2]}), [2.0, 4.0])
    np.testing.assert_equal(parse("2 x").evaluate({"x": np.array([1, 2], np.int16)}), [2.0, 4.0])


def test_the_result_shares_no_memory_with_the_values() -> None:
    x = np.ones(3)
    result = parse("x").evaluate({"x": x})
    assert isinstance(result, np.ndarray)
    result[0] = 5
    np.testing.assert_equal(x, np.ones(3))


@pytest.mark.parametrize(
    "value", ["3", b"3", None, 1j, object(), [[1], [2, 3]], {"a": 1}, ["1"], np.datetime64(1, "s")]
)
def test_a_value_that_is_not_a_number_is_refused(value: Any) -> None:
    with pytest.raises(FormulaError) as caught:
        parse("1 + x").evaluate({"x": value})
    np.testing.assert_equal(
        str(caught.value),
        "The value of x is not a number or an array of numbers.\n  1 + x\n      ^",
    )


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("u + w", "A column of 5 entries cannot be added to a column of 2 entries.", 2),
        ("X u' ", "A matrix of 7 × 5 cannot be multiplied by a row of 5 entries: 5 is not 1. "
         "X u would fit.", 2),
        ("C I", "The size of I does not follow from the formula: write I(d) with it.", 2),
        ("I(n) u", "The size of I is 7 here, where 5 would fit.", 0),
        ("I(C)", "The size of I must be a whole number from 1, and it is 2.5.", 0),
        ("I(0 - 1)", "The size of I must be a whole number from 1, and it is -1.", 0),
        ("I(1/0)", "The size of I must be a whole number from 1, and it is inf.", 0),
        ("2 k_a", "k_a is not a name here. Those that are: A, alpha, C, D, d, epsilon, n, S, s, T, "
         "u, v, ….", 2),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(text: str, reason: str, column: int) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text).evaluate(VALUES)
    np.testing.assert_equal(caught.value.reason, reason)
    np.testing.assert_equal(caught.value.column, column)


def test_what_is_expected_settles_and_checks_the_shape() -> None:
    np.testing.assert_equal(parse("C I").evaluate(VALUES, expected=(3, 3)), 2.5 * np.eye(3))
    np.testing.assert_equal(parse("C").evaluate(VALUES, expected=(1, 1)), [[2.5]])
    with pytest.raises(FormulaError) as caught:
        parse("C u").evaluate(VALUES, expected=(3,))
    np.testing.assert_equal(
        caught.value.reason,
        "This should be a column of 3 entries, and it is a column of 5 entries.",
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=5), st.floats(-50, 50))
def test_shifting_scores_leaves_the_softmax_alone(scores: list[float], shift: float) -> None:
    moved = np.add(scores, shift)
    formula = parse("softmax(s)")
    np.testing.assert_allclose(
        formula.evaluate({"s": scores}), formula.evaluate({"s": moved}), rtol=1e-10, atol=1e-300
    )


def test_a_formula_that_fitted_once_is_looked_at_again_for_other_shapes() -> None:
    formula, same = parse("a + b"), parse("a  +  b")
    for _ in range(2):
        np.testing.assert_array_equal(formula.evaluate({"a": [1, 2], "b": [3, 4]}), [4, 6])
        assert formula.evaluate({"a": 1, "b": 2}) == 3
        for one, column in ((formula, 2), (same, 3)):
            with pytest.raises(FormulaError) as refused:
                one.evaluate({"a": [1, 2], "b": [1, 2, 3]})
            assert refused.value.column == column
            assert one.text in str(refused.value)
