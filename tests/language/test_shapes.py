"""Shapes of formulas, with sizes that are numbers or symbols, and what is said where none fits."""

from __future__ import annotations

import numpy as np
import pytest

from regard.language import FormulaError, parse

SHAPES = {
    "k_a": ("d",), "k_b": ("d",), "q": ("d",), "v": ("p",), "s": ("N",), "A": ("d", "d"),
    "X": ("N", "D"), "W_Q": ("D", "d_k"), "W_K": ("D", "d_k"), "M": ("m", "p"), "r": (1, "d"),
    "C": (), "n": (), "alpha": (), "T": (), "d": (),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("C", ()),
        ("C (k_a + k_b)", ("d",)),
        ("-k_a / C", ("d",)),
        ("k_a' q", ()),
        ("k_a · q", ()),
        ("dot(k_a, q')", ()),
        ("k_a'", (1, "d")),
        ("k_a''", ("d",)),
        ("k_a v'", ("d", "p")),
        ("outer(k_a, v)", ("d", "p")),
        ("k_a' A q", ()),
        ("(k_a' A)'", ("d",)),
        ("r A r'", ()),
        ("r' r", ("d", "d")),
        ("X W_Q", ("N", "d_k")),
        ("X W_Q (X W_K)'", ("N", "N")),
        ("softmax(X W_Q (X W_K)' / sqrt(n)) X", ("N", "D")),
        ("M v", ("m",)),
        ("M'", ("p", "m")),
        ("pinv(M)", ("p", "m")),
        ("pinv(k_a)", (1, "d")),
        ("A^-1", ("d", "d")),
        ("(M' M)^2", ("p", "p")),
        ("alpha I + 1/2 k_a k_a'", ("d", "d")),
        ("I k_a", ("d",)),
        ("exp(I) q", ("d",)),
        ("(I + I + I') (I + A)^-1 q", ("d",)),
        ("I_d", ("d", "d")),
        ("I(n + 1)", ("n + 1", "n + 1")),
        ("I(3) [1, 2, 3]", (3,)),
        ("[C, n, 1]", (3,)),
        ("[[C, n]]", (1, 2)),
        ("[1 2 3; 4 5 6]", (2, 3)),
        ("exp(s)", ("N",)),
        ("softmax(s)", ("N",)),
        ("sum(exp(X))", ()),
        ("max(s) - min(C, n, 2)", ()),
        ("norm(k_a - k_b) + norm(C) + norm(k_a')", ()),
        ("tr(A) + tr(I(3))", ()),
        ("|C| + abs(alpha)", ()),
        ("q = C k_a", ()),
        ("0 < C < 1 and not A = I", ()),
    ],
)
def test_shapes_follow_from_those_of_the_names(text: str, shape: tuple[int | str, ...]) -> None:
    np.testing.assert_equal(parse(text).shape(SHAPES), shape)


def test_the_size_of_an_identity_can_come_from_what_is_expected() -> None:
    np.testing.assert_equal(parse("alpha I").shape(SHAPES, expected=("d", "d")), ("d", "d"))
    np.testing.assert_equal(parse("alpha I").shape(SHAPES, expected=(5, 5)), (5, 5))


REFUSED = [
    ("k_a q", "k_a and q are columns and cannot be multiplied like this: write k_a' q or "
     "dot(k_a, q) for a number, k_a q' for a matrix, hadamard(k_a, q) for a product "
     "entry by entry.", 4),
    ("(k_a + k_b) * q", "(k_a + k_b) and q are columns and cannot be multiplied like this: write "
     "(k_a + k_b)' q or dot(k_a + k_b, q) for a number, (k_a + k_b) q' for a matrix, "
     "hadamard(k_a + k_b, q) for a product entry by entry.", 12),
    ("k_a · v", "A column of d entries and a column of p entries have no scalar product: they need "
     "the same size.", 4),
    ("C + X' W_Q", "A matrix of D × N cannot be multiplied by a matrix of D × d_k: N is not D. "
     "X W_Q would fit.", 7),
    ("W_Q X", "A matrix of D × d_k cannot be multiplied by a matrix of N × D: d_k is not N. "
     "X W_Q would fit.", 4),
    ("W_Q W_K", "A matrix of D × d_k cannot be multiplied by a matrix of D × d_k: d_k is not D. "
     "W_Q W_K' would fit.", 4),
    ("X s", "A matrix of N × D cannot be multiplied by a column of N entries: D is not N. "
     "X' s would fit.", 2),
    ("M q", "A matrix of m × p cannot be multiplied by a column of d entries: p is not d.", 2),
    ("k_a' k_b'", "A row of d entries cannot be multiplied by a row of d entries: d is not 1. "
     "k_a' k_b would fit.", 5),
    ("k_a A", "A column of d entries cannot stand to the left of a matrix of d × d: write k_a' A for "
     "a row, or A k_a if the matrix acts on it.", 4),
    ("A + alpha", "A matrix of d × d cannot be added to a scalar. Write alpha I for a multiple of "
     "the identity.", 2),
    ("1 - A", "A matrix of d × d cannot be subtracted from a scalar. Write I for a multiple of the "
     "identity.", 2),
    ("k_a + v", "A column of d entries cannot be added to a column of p entries.", 4),
    ("k_a + k_b'", "A column of d entries cannot be added to a row of d entries. Transpose one of "
     "the two.", 4),
    ("A - k_a", "A column of d entries cannot be subtracted from a matrix of d × d.", 2),
    ("k_a + 1", "A column of d entries cannot be added to a scalar. Times exp(0 k_a) a number is the "
     "same in every entry.", 4),
    ("k_a / k_b", "Only a scalar can divide, and k_b is a column of d entries.", 4),
    ("k_a / A", "Only a scalar can divide, and A is a matrix of d × d: write A^-1 k_a.", 4),
    ("C / A", "Only a scalar can divide, and A is a matrix of d × d: write C A^-1.", 2),
    ("k_a^2", "A column of d entries has no powers: write norm(k_a)^2 for its squared length.", 3),
    ("M^-1", "Only a square matrix has powers, and M is a matrix of m × p: write pinv(M) for the "
     "pseudo-inverse.", 1),
    ("A^C", "A matrix can only be raised to a whole number that is written out, as in M^2.", 1),
    ("A^0.5", "A matrix can only be raised to a whole number that is written out, as in M^2.", 1),
    ("2^k_a", "An exponent must be a scalar, and k_a is a column of d entries.", 1),
    ("2^T", "2 is a scalar and has no transpose: leave it out, or write 2^(T) if T is an exponent.", 1),
    ("C' k_a", "C is a scalar and has no transpose: leave it out.", 1),
    ("[1, k_a]", "The entries in brackets must be scalars, and k_a is a column of d entries. Write hstack(A, B) for matrices side by side, vstack(A, B) for one on another.", 4),
    ("C [k_a + k_b]", "The entries in brackets must be scalars, and k_a + k_b is a column of d "
     "entries. Round brackets group: (k_a + k_b).", 3),
    ("k_a = 1", "A column of d entries cannot be compared with a scalar.", 4),
    ("k_a = v", "A column of d entries cannot be compared with a column of p entries.", 4),
    ("dot(k_a, A)", "dot takes vectors, and A is a matrix of d × d.", 0),
    ("dot(k_a, v)", "dot takes vectors of one size, and these have d and p entries.", 0),
    ("outer(C, v)", "outer takes vectors, and C is a scalar.", 0),
    ("norm(M)", "norm takes a vector, and M is a matrix of m × p.", 0),
    ("|k_a|", "|x| is for scalars, and k_a is a column of d entries: write norm(k_a) for its length, "
     "or abs(k_a) for the absolute value of each entry.", 0),
    ("tr(M)", "tr takes a square matrix, and M is a matrix of m × p.", 0),
    ("pinv(C)", "pinv takes a matrix, and C is a scalar.", 0),
    ("max(k_a, 1, X)", "max takes one array, or several of one shape and scalars, and X is a matrix of N × D.", 0),
    ("softmax(C)", "softmax takes a vector or a matrix, and C is a scalar.", 0),
    ("1 + I(k_a)", "In I(…) stands a size, and k_a is a column of d entries: write I * (k_a) for the "
     "product.", 4),
    ("I(2.5)", "The size of I must be a whole number from 1, and it is 2.5.", 0),
    ("I(3) q", "A matrix of 3 × 3 cannot be multiplied by a column of d entries: 3 is not d.", 5),
    ("alpha I", "The size of I does not follow from the formula: write I(d) with it.", 6),
    ("tr(I)", "The size of I does not follow from the formula: write I(d) with it.", 3),
    ("C (k_a + kk_b)", "kk_b is not a name here. Is k_b meant?", 9),
    ("k_aq", "k_aq is not a name here. To multiply, leave a space: k_a q.", 0),
    ("zeta", "zeta is not a name here. Those that are: A, alpha, C, d, k_a, k_b, M, n, q, r, s, T, ….", 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "column"), REFUSED)
def test_shapes_that_do_not_fit_are_refused_with_the_place(
    text: str, reason: str, column: int
) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text).shape(SHAPES)
    np.testing.assert_equal(caught.value.reason, reason)
    np.testing.assert_equal(caught.value.column, column)
    np.testing.assert_equal(caught.value.text, text)


@pytest.mark.parametrize(
    ("text", "expected", "reason"),
    [
        ("C k_a", (), "This should be a scalar, and it is a column of d entries."),
        ("C k_a", ("p",), "This should be a column of p entries, and it is a column of d entries."),
        ("2 + C", ("d", "d"), "This should be a matrix of d × d, and it is a scalar."),
        ("2 I", ("m", "p"), "This should be a matrix of m × p, and it is a square matrix."),
        ("C < 1", (), "This should be a scalar, and it is a comparison."),
    ],
)
def test_another_shape_than_the_one_expected_is_refused(
    text: str, expected: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text).shape(SHAPES, expected=expected)
    np.testing.assert_equal(caught.value.reason, reason)


def test_names_with_more_than_two_axes_are_refused() -> None:
    with pytest.raises(FormulaError) as caught:
        parse("2 K").shape({"K": (2, 3, 5)})
    np.testing.assert_equal(caught.value.reason, "K has 3 axes, and a formula has room for two.")


def test_without_any_names_the_message_says_so() -> None:
    with pytest.raises(FormulaError) as caught:
        parse("x").shape({})
    np.testing.assert_equal(caught.value.reason, "x is not a name here: there are none.")


SUGGESTED = ["k_a' q", "dot(k_a, q)", "k_a q'", "X W_Q", "W_Q W_K'", "X' s", "k_a' k_b", "k_a' A"]
SUGGESTED += ["A k_a", "alpha I + A", "A^-1 k_a", "C A^-1", "norm(k_a)^2", "pinv(M)", "2^(T)"]
SUGGESTED += ["norm(k_a)", "abs(k_a)", "I * (k_a)", "C (k_a + k_b)", "I - A"]


@pytest.mark.parametrize("text", SUGGESTED)
def test_what_the_messages_suggest_has_a_shape(text: str) -> None:
    parse(text).shape(SHAPES)
