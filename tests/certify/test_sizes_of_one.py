"""A size may be one: a matrix of one row or column stays a matrix, and no number is made of it."""

from __future__ import annotations

import numpy as np
import pytest

from regard import problems
from regard.certify.balls import BALLS
from regard.certify.formulas.evaluation import Table, evaluate, table
from regard.certify.formulas.functions import in_balls
from regard.checking import check
from regard.language import parse

K, W, X, U = [[1], [0], [2]], [[1], [2]], [1, 1], [1, 3]


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def value(text: str) -> Table:
    values = {n: table(v, n, BALLS) for n, v in {"K": K, "W": W, "x": X, "u": U}.items()}
    found = evaluate(parse(text).tree, values, BALLS, in_balls)
    assert isinstance(found, Table)
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # Keys of width 1: the softmax is that of a column of three scores.
        ("softmax(K (W' x))", softmax(np.array([3.0, 0, 6]))),
        ("softmax(K W' x)", softmax(np.array([3.0, 0, 6]))),
        # A number times a matrix of one column: each of its rows is a softmax by itself.
        ("softmax(K (u' x))", np.ones((3, 1))),
        ("W' x + W' u", np.array([10.0])),
        ("W' x + u' x", np.array([7.0])),
        ("u' x", np.array(4.0)),
        ("(u' x) x", np.array([4.0, 4])),
        ("(u')' x'", np.array([[1.0, 1], [3, 3]])),
    ],
)
def test_a_formula_is_what_numpy_says(text: str, wanted: np.ndarray) -> None:
    found = value(text)
    assert found.shape == wanted.shape
    assert np.allclose([float(entry) for entry in found.entries], wanted.ravel())


def test_a_counterexample_may_have_width_one() -> None:
    problem = problems.loads("""
        schema = 1
        id = "a-bias-of-the-queries"
        title = "A bias of the queries"
        kind = "choice"
        statement = "Is it true?"
        [given]
        shapes = { Q = ["N", "D"], K = ["M", "D"], b = ["D"] }
        [goal]
        statements = [{ label = "a", words = "A bias of the queries leaves the weights alone.", says = "softmax((Q + ones(N) b') K') = softmax(Q K')" }]
        reasons = ["a"]
    """)
    fails = {"Q": [[0]], "K": [[1], [0]], "b": [1]}  # weights (0.73, 0.27) and (0.5, 0.5)
    assert check(problem, {"a": False, "reason_a": fails}).right
    same = {
        "Q": [[0]],
        "K": [[1], [1]],
        "b": [1],
    }  # both keys alike: one half each, before and after
    assert not check(problem, {"a": False, "reason_a": same}).right


def test_weights_that_are_masked_and_divided_by_their_sum() -> None:
    problem = problems.loads("""
        schema = 1
        id = "masked-before-or-after"
        title = "Masked before or after"
        kind = "choice"
        statement = "Is it true?"
        [given]
        shapes = { S = [3, 3] }
        define = { B = "softmax(S) ⊙ causal(3)" }
        [goal]
        statements = [
          { label = "a", words = "The weights that are left, over their sum, are those of a mask.", says = "diag(rowsum(B))^-1 B = softmax(S, causal(3))" },
          { label = "b", words = "The weights that are left are those of a mask.", says = "B = softmax(S, causal(3))" },
        ]
    """)
    assert check(problem, {"true": ["a"]}).right
    assert not check(problem, {"true": ["b"]}).right
