"""Formulas that exercise sheets ask for, with answers in two spellings and wrong ones, in TOML."""

from __future__ import annotations

from typing import Any

import pytest

from regard import problems
from regard.checking import check
from regard.errors import InvalidProblem
from regard.solving import Status, solve

# A name, what is given and asked for, right answers, wrong ones.
CASES: list[tuple[str, str, str, list[Any], list[Any]]] = [
    (
        "rotations-compose",
        """
        shapes = { m = [], n = [], t = [] }
        functions = { "R(a)" = "[[cos(a t), -sin(a t)], [sin(a t), cos(a t)]]" }
        """,
        """claims = [{ name = "P", formula = "R(m)' R(n)", equals = "R(n - m)" }]""",
        [
            "R(n-m)",
            "R(m - n)'",
            "R(-m) R(n)",
            "[[cos((n-m) t), sin((m-n) t)], [sin((n-m) t), cos((m-n) t)]]",
        ],
        ["R(n+m)", "R(m-n)", "R(n) R(m)", "R(n) - R(m)"],
    ),
    (
        "all-tokens-the-same",
        """
        shapes = { x = ["D"], W_Q = ["D", "D_K"], W_K = ["D", "D_K"], W_V = ["D", "D_V"], any = ["N"] }
        define = { X = "ones(N) x'" }
        """,
        """claims = [{ name = "Y", equals = "softmax(X W_Q (X W_K)', causal(N)) X W_V" }]""",
        ["ones(N) x' W_V", "X W_V", "ones(N) (W_V' x)'"],
        ["N ones(N) x' W_V", "ones(N) x' W_V / N"],
    ),
    (
        "two-weights-are-a-sigmoid",
        "shapes = { s = [2] }",
        'claims = [{ name = "w", equals = "row(softmax(s), 1)" }]',
        ["sigmoid(row(s, 1) - row(s, 2))", "1/(1 + exp(row(s, 2) - row(s, 1)))"],
        ["sigmoid(row(s, 2) - row(s, 1))", "sigmoid(row(s, 1))"],
    ),
    (
        "linear-attention-in-another-order",
        'shapes = { Q = ["N", "D"], K = ["N", "D"], V = ["N", "D_V"] }',
        """claims = [{ name = "Y", equals = "(relu(Q) relu(K)') V" }]""",
        ["relu(Q) (relu(K)' V)", "max(0, Q) (max(0, K)' V)"],
        ["relu(Q) (K' V)", "relu(Q K') V"],
    ),
    (
        "two-blocks-of-keys-merged",
        """
        shapes = { s = [3], t = [2], V = [3, 2], U = [2, 2] }
        define = { l_1 = "sum(exp(s))", l_2 = "sum(exp(t))", o_1 = "V' softmax(s)", o_2 = "U' softmax(t)" }
        """,
        """claims = [{ name = "o", equals = "vstack(V, U)' softmax(vstack(s, t))" }]""",
        ["(l_1 o_1 + l_2 o_2)/(l_1 + l_2)", "l_1/(l_1 + l_2) o_1 + l_2/(l_1 + l_2) o_2"],
        ["(o_1 + o_2)/2", "o_1 + o_2"],
    ),
    (
        "sinusoids-of-two-positions",
        """
        shapes = { s = [], t = [], w = [] }
        functions = { "p(x)" = "[[sin(w x)], [cos(w x)]]" }
        """,
        """claims = [{ name = "d", formula = "p(s)' p(t)", equals = "cos(w (s - t))" }]""",
        ["cos(w (s - t))", "cos(w t - w s)", "p(s)' p(t)"],
        ["sin(w (s - t))", "cos(w (s + t))"],
    ),
]


def stated(name: str, given: str, goal: str, kind: str = "identity") -> Any:
    head = f'schema = 1\nid = "{name}"\ntitle = "{name}"\nkind = "{kind}"\nstatement = "Which?"'
    return problems.loads(f"{head}\n[given]\n{given}\n[goal]\n{goal}\n")


@pytest.mark.parametrize(
    ("name", "given", "goal", "right", "wrong"), CASES, ids=[c[0] for c in CASES]
)
def test_right_and_wrong_formulas_are_told_apart(
    name: str, given: str, goal: str, right: list[Any], wrong: list[Any]
) -> None:
    problem = stated(name, given, goal)
    assert solve(problem).verdict is Status.PROVED
    for answer in right:
        verdict = check(problem, answer)
        assert verdict.right, answer
        assert verdict.decided, answer
    for answer in wrong:
        verdict = check(problem, answer)
        assert not verdict.right, answer
        assert verdict.counterexample is not None
        assert "With :" not in verdict.counterexample.sentence


def test_a_size_that_no_array_has_is_refused_with_what_to_write() -> None:
    with pytest.raises(InvalidProblem, match=r'N is not declared.*any = \["N"\]'):
        stated(
            "x", 'shapes = { x = ["D"] }', """claims = [{ name = "Y", equals = "ones(N) x'" }]"""
        )
    with pytest.raises(InvalidProblem, match="y is not declared") as refused:
        stated("x", 'shapes = { x = ["D"] }', """claims = [{ name = "Y", equals = "x y'" }]""")
    assert "any =" not in str(refused.value)


def test_one_query_over_a_cache_needs_a_name_of_its_own_for_the_keys() -> None:
    sizes = 'of = "head"\nn = 1\nd_k = "d"'
    with pytest.raises(InvalidProblem, match='n_k = "m"'):
        stated("x", f'{sizes}\nn_k = "n"', 'find = ["flops"]', "count")
    problem = stated("x", f'{sizes}\nn_k = "m"', 'find = ["flops"]\nform = "formula"', "count")
    assert check(problem, "4 m d").right  # m d products for the scores and for the average
    assert not check(problem, "2 m d").right
    assert not check(problem, "4 m^2 d").right


def test_orders_of_quantities_of_ones_own() -> None:
    problem = stated(
        "x",
        'of = "head"\nn = "n"\nd_k = "d"',
        'define = { linear = "2 n d_k^2" }\norders.o = { of = "linear", symbol = "n" }',
        "count",
    )
    assert solve(problem).answer["o"] == "n"
    assert check(problem, "O(n)").right
    assert not check(problem, "n^2").right
