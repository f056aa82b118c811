"""All solutions of an equation: families are judged by how many directions they have."""

from __future__ import annotations

from typing import Any

import pytest

from regard import problems
from regard.certify import Certificate, verify
from regard.checking import check
from regard.errors import InvalidAnswer, InvalidProblem
from regard.solving import Status, solve

POOLED = {"shapes": {"H": ["N", "D"], "P": ["N", "N"]}, "permutations": ["P"]}
SCORES = {"shapes": {"Q": ["N", "D"], "K": ["N", "D"], "M": ["D", "D"]}}


def made(given: dict[str, Any], unknown: dict[str, Any], such_that: str) -> Any:
    goal = {"unknown": unknown, "such_that": such_that, "every": True}
    head = {"schema": 1, "id": "x", "title": "x", "kind": "symmetry", "statement": "Find all."}
    return problems.from_dict({**head, "given": given, "goal": goal})


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("c ones(N)", True),
        ("a/N ones(N)", True),
        ("(a + b) 1", True),
        ("-2 c ones(N)", True),
        ("ones(N)", False),
        ("1/N ones(N)", False),
        ("c^2 ones(N)", True),  # it spans the same line
        ("zeros(N)", False),
        ("c zeros(N)", False),
    ],
)
def test_a_pooling_without_order_is_any_multiple_of_ones(answer: str, right: bool) -> None:
    problem = made(POOLED, {"w": ["N"]}, "w' P H = w' H")
    assert check(problem, {"w": answer}).right is right


def test_that_there_is_no_other_is_claimed_for_some_numbers_of_tokens_and_verified() -> None:
    problem = made(POOLED, {"w": ["N"]}, "w' P H = w' H")
    found = solve(problem)
    assert found.answer == {"w": "c ones(N)"}
    assert found.verdict is Status.ARGUED
    kinds = [claim.kind for claim in found.certificate.claims]
    assert kinds.count("rank_exceeds") == 10  # of the equation and of the family, for five sizes
    assert verify(found.certificate).holds is True


def test_where_every_row_is_the_same_any_column_will_do() -> None:
    given = {"shapes": {"m": ["D"], "P": ["N", "N"]}, "permutations": ["P"]}
    problem = made(given, {"w": ["N"]}, "w' P ones(N) m' = w' ones(N) m'")
    assert solve(problem).verification.holds
    assert check(problem, dict(solve(problem).answer)).right
    assert check(problem, {"w": "v"}).right
    assert not check(problem, {"w": "c ones(N)"}).right


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("pinv(F)", r"w: F is a function here: write what it is of, such as F\(H\)\."),
        (" + ".join(f"a_{i}" for i in range(19)), r"w: 19 names are arbitrary .* 18 at most\."),
    ],
)
def test_what_cannot_be_any_number_is_refused(answer: str, message: str) -> None:
    given = {**POOLED, "functions": {"F(H)": "H"}}
    problem = made(given, {"w": ["N"]}, "w' F(P H) = w' F(H)")
    with pytest.raises(InvalidAnswer, match=message):
        check(problem, {"w": answer})


S = {"shapes": {"S": ["N", "M"]}}
JACOBIAN = {"shapes": {"s": ["N"]}, "define": {"a": "softmax(s)"}}
TABLE = {"shapes": {"t": []}, "define": {"A": "[[1, 2, 3], [2, 4, 6]]"}}
EQUATIONS: dict[str, tuple[Any, Any, str, list[str], list[str]]] = {
    "only ones": (S, {"u": ["M"]}, "softmax(S) u = ones(N)", ["ones(M)"], ["c ones(M)", "zeros(M)"]),
    "only zeros": (S, {"u": ["M"]}, "softmax(S) u = zeros(N)", ["zeros(M)"], ["ones(M)"]),
    "what a softmax does not see": (
        JACOBIAN, {"v": ["N"]}, "(diag(a) - a a') v = zeros(N)",
        ["c ones(N)", "-2 t ones(N)", r"t \mathbf{1}"], ["ones(N)", "zeros(N)", "b"],
    ),
    "one vector for all keys": (
        {"shapes": {"Q": ["N", "D"], "K": ["M", "D"]}}, {"E": ["M", "D"]},
        "Q E' - Q E' ones(M) ones(M)' / M = zeros(N, M)",
        ["ones(M) b'", "ones(M) (b + d)'", r"\mathbf{1} b^\top"],
        ["c ones(M) ones(D)'", "b ones(D)'", "zeros(M, D)"],
    ),
    "antisymmetric matrices": (
        {"shapes": {"x": ["D"]}}, {"W": ["D", "D"]}, "x' W x = 0",
        ["B - B'", "(G' - G)/2"], ["c I(D)", "B", "zeros(D, D)"],
    ),
    "of fixed size": (
        {"shapes": {"X": ["N", 2]}}, {"W": [2, 2]}, "diag(X W X') = zeros(N)",
        ["c [[0, 1], [-1, 0]]", "[[0, -b], [b, 0]]", "B - B'"], ["[[0, 1], [-1, 0]]", "c I(2)"],
    ),
    "a plane": (
        TABLE, {"x": [3]}, "A x = row([[14, 28]], 1)",
        [
            "row([[14, 0, 0]], 1) + a row([[-2, 1, 0]], 1) + b row([[-3, 0, 1]], 1)",
            "row([[1, 2, 3]], 1) + a row([[-2, 1, 0]], 1) + b row([[-1, -1, 1]], 1)",
        ],
        ["row([[1, 2, 3]], 1)", "row([[1, 2, 3]], 1) + a row([[-2, 1, 0]], 1)"],
    ),
}  # fmt: skip


SLOW = ("antisymmetric matrices", "one vector for all keys")
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in EQUATIONS]


@pytest.mark.parametrize("name", NAMES)
def test_all_solutions_are_found_and_verified_and_parts_of_them_are_not_enough(name: str) -> None:
    given, unknown, such_that, right, wrong = EQUATIONS[name]
    problem = made(given, unknown, such_that)
    found = solve(problem)
    assert found.verdict is (Status.PROVED if name == "a plane" else Status.ARGUED)
    assert found.verification.holds
    assert check(problem, dict(found.answer)).right
    (field,) = unknown
    assert [check(problem, {field: one}).right for one in right] == [True] * len(right)
    assert [check(problem, {field: one}).right for one in wrong] == [False] * len(wrong)


def test_a_family_that_claims_to_be_all_with_a_direction_missing_does_not_verify() -> None:
    found = solve(made(JACOBIAN, {"v": ["N"]}, "(diag(a) - a a') v = zeros(N)"))
    data = found.certificate.to_dict()
    place = next(i for i, claim in enumerate(data["claims"]) if claim["kind"] == "rank_exceeds")
    bound = int(data["claims"][place]["bound"])
    data["claims"][place]["bound"] = str(bound + 1)  # as if nothing at all were left free
    assert verify(Certificate.from_dict(data)).holds is not True


def test_one_solution_is_all_there_is_where_the_equation_leaves_nothing_free() -> None:
    problem = made(SCORES, {"B": ["D", "D"]}, "(Q B) (K M)' = Q K'")
    assert check(problem, {"B": "M^-T"}).right


def test_an_equation_that_is_not_linear_in_the_unknown_is_refused() -> None:
    with pytest.raises(InvalidProblem, match="linear in the unknown"):
        made(POOLED, {"w": ["N"]}, "hadamard(w, w)' P H = hadamard(w, w)' H")
