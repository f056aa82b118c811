"""Functions of whole arrays: masks, diagonals, rows, blocks, and what acts row by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regard.language import (
    FormulaError,
    abbreviations,
    expanded,
    latex_with_calls,
    named_calls,
    parse,
)

rng = np.random.default_rng(5)
A, B = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
M, S = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
C, x, y = rng.normal(size=(2, 5)), rng.normal(size=3), rng.normal(size=5)
VALUES = {"A": A, "B": B, "M": M, "S": S, "C": C, "x": x, "y": y, "n": 3, "c": 0.5}


def masked_rows(scores: np.ndarray) -> np.ndarray:
    """Causal softmax, row by row, over the keys that a row sees."""
    found = np.zeros_like(scores)
    for i in range(len(scores)):
        powers = [math.exp(s) for s in scores[i, : i + 1]]
        found[i, : i + 1] = [power / sum(powers) for power in powers]
    return found


def normed(row: np.ndarray) -> list[float]:
    mean = sum(row) / len(row)
    variance = sum((entry - mean) ** 2 for entry in row) / len(row)
    return [(entry - mean) / math.sqrt(variance) for entry in row]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("relu(x)", np.array([max(entry, 0.0) for entry in x])),
        ("elu(x)", np.array([e if e > 0 else math.exp(e) - 1 for e in x])),
        ("tanh(A)", np.tanh(A)),
        ("sigmoid(c)", 1 / (1 + math.exp(-0.5))),
        ("max(0, A)", np.where(A > 0, A, 0)),
        ("max(A, B, c)", np.maximum(np.maximum(A, B), 0.5)),
        ("min(A, B)", np.where(A < B, A, B)),
        ("hadamard(A, B)", A * B),
        ("A ⊙ B", A * B),
        (r"M S \odot S", (M @ S) * S),
        ("ones(3)", np.ones(3)),
        ("ones(2, n)", np.ones((2, 3))),
        ("zeros(n, 2)", np.zeros((3, 2))),
        ("x ones(5)'", np.outer(x, np.ones(5))),
        ("causal(n)", np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]])),
        ("softmax(S, causal(3))", masked_rows(S)),
        ("diag(x)", np.array([[x[0], 0, 0], [0, x[1], 0], [0, 0, x[2]]])),
        ("diag(x')", np.diag(x)),
        ("diag(M)", np.array([M[0, 0], M[1, 1], M[2, 2]])),
        ("rowsum(A)", A.sum(axis=1)),
        ("rowsum(x)", float(sum(x))),
        ("rowmax(A)", A.max(axis=1)),
        ("layernorm(A)", np.array([normed(row) for row in A])),
        ("layernorm(x)", np.array(normed(x))),
        ("row(A, 2)", A[1]),
        ("row(x, 3)", x[2]),
        ("rows(A, 2, 3)", A[1:3]),
        ("hstack(A, x)", np.column_stack([A, x])),
        ("vstack(A, y')", np.vstack([A, y])),
        ("vstack(x, y)", np.concatenate([x, y])),
        ("[[M, A], [M, B]]", np.block([[M, A], [M, B]])),
        ("entries(A)", 15.0),
        ("rank(outer(x, y))", 1.0),
        ("M^-T", np.linalg.inv(M).T),
    ],
)  # fmt: skip
def test_a_function_of_arrays_comes_to_what_numpy_says(text: str, expected: Any) -> None:
    formula = parse(text)
    value = formula.evaluate(VALUES)
    np.testing.assert_equal(np.shape(value), np.shape(expected))
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)
    assert parse(formula.to_latex()) == formula
    assert parse(str(formula)) == formula


NAMED = {
    "X": ("N", "D"),
    "Y": ("N", "D"),
    "W": ("D", 2),
    "V": ("D", 3),
    "A": (2, "D"),
    "s": (),
    "N": (),
}


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("ones(N)", ("N",)),
        ("X ⊙ Y", ("N", "D")),
        ("softmax(X Y', causal(N)) X", ("N", "D")),
        ("hstack(X W, X V)", ("N", 5)),
        ("vstack(A, A)", (4, "D")),
        ("diag(rowsum(X))^-1 X", ("N", "D")),
        ("layernorm(X + Y)", ("N", "D")),
    ],
)
def test_shapes_of_arrays_are_inferred_with_named_sizes(text: str, shape: tuple[Any, ...]) -> None:
    assert parse(text).shape(NAMED) == shape


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("X ⊙ W", "A matrix of N × D cannot be multiplied entry by entry with a matrix of D × 2: both need one shape."),
        ("row(X, 1)", "row needs rows that can be counted: X has N."),
        ("row(A, 3)", "The rows of A are counted from 1 to 2."),
        ("rows(A, 2, 1)", "The rows of A are counted from 1 to 2."),
        ("vstack(X, X)", "Blocks are joined along sizes that are numbers, and one has N."),
        ("hstack(X W, A)", "Blocks side by side need the same number of rows: N is not 2."),
        ("vstack(A, A W)", "Blocks on each other need the same number of columns: D is not 2."),
        ("diag(X)", "diag takes a vector or a square matrix, and X is a matrix of N × D."),
        ("diag(s)", "diag takes a vector or a square matrix, and s is a scalar."),
        ("rowsum(s)", "rowsum takes a vector or a matrix, and s is a scalar."),
        ("layernorm(s)", "layernorm takes a vector or a matrix, and s is a scalar."),
        ("entries(s)", "entries takes a vector or a matrix, and s is a scalar."),
        ("ones(X)", "In ones(…) stands a size, and X is a matrix of N × D."),
        ("ones(0)", "The size of ones must be a whole number from 1, and it is 0."),
        ("ones(1, 2, 3)", "ones takes one or two sizes."),
        ("softmax(X, W)", "The mask of softmax must be as large as the scores: it is a matrix of D × 2, and they are a matrix of N × D."),
        ("softmax(X, X, X)", "softmax takes scores, and perhaps a mask of zeros and ones: softmax(S, M)."),
        ("max(X, W)", "max takes one array, or several of one shape and scalars, and W is a matrix of D × 2."),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text).shape(NAMED)
    assert caught.value.reason == reason


def test_a_function_of_a_problem_is_put_in_also_inside_itself() -> None:
    known = abbreviations({"F(X)": "relu(X W)", "G(X, y)": "F(X) + ones(3) y'"})
    nested = parse(expanded("G(F(P X), b)", known))
    assert nested == parse("relu(relu((P X) W) W) + ones(3) b'")
    assert parse(expanded("P F(X)", known)) == parse("P (relu(X W))")
    assert expanded("X W", known) == "X W"


@pytest.mark.parametrize(
    ("head", "use", "reason"),
    [
        ("F X", "F(X)", "A function is declared as S(X) or S(X, Y)."),
        ("relu(X)", "X", "relu is a word of the formula language."),
        ("F(X)", "F(X, X)", "F is declared as F(X)."),
        ("F(X)", "F(X", "This ( is never closed: ) is missing."),
        (
            "F(X)",
            "F(F(F(F(F(F(F(F(X))))))))",
            "With its functions put in, the formula is too long.",
        ),
    ],
)
def test_functions_that_cannot_be_used_are_refused(head: str, use: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        expanded(use, abbreviations({head: "X X' X + X X' X + X X' X"}))
    assert caught.value.reason == reason


def test_calls_with_names_keep_a_nested_formula_short() -> None:
    known = abbreviations({"F(X)": "X X' X + X"})
    text, definitions = named_calls("F(F(F(P X))) + F(P X)", known)
    assert text == "call_3 + call_1"
    assert [*definitions] == ["argument_1", "call_1", "call_2", "call_3"]
    values: dict[str, Any] = {"P": np.eye(3)[[1, 2, 0]] / 2, "X": A / 9}
    for name, one in definitions.items():
        values[name] = parse(one).evaluate(values)
    plain = values["P"] @ values["X"]
    once = plain @ plain.T @ plain + plain
    twice = once @ once.T @ once + once
    thrice = twice @ twice.T @ twice + twice
    np.testing.assert_allclose(parse(text).evaluate(values), thrice + once, rtol=1e-12)


def test_latex_keeps_the_names_of_functions() -> None:
    known = abbreviations({"F(X)": "relu(X W)", "G(X, y)": "F(X) + ones(3) y'"})
    assert latex_with_calls("P G(F(P X), b) = 1", known) == (
        r"P G\left(F\left(P X\right), b\right) = 1"
    )
