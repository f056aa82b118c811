"""All solutions of an equation: families are judged by how many directions they have."""

from __future__ import annotations

from typing import Any

import pytest

from regard import problems
from regard.certify import verify
from regard.checking import check
from regard.errors import InvalidProblem
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
    assert kinds.count("identity_fails") == 4  # for 2, 3, 4 and 5 tokens
    assert verify(found.certificate).holds is True


def test_where_every_row_is_the_same_other_columns_will_do_too() -> None:
    # Rows of ones(N) m' are all alike: w need not be a multiple of ones, and none is claimed.
    given = {"shapes": {"m": ["D"], "P": ["N", "N"]}, "permutations": ["P"]}
    problem = made(given, {"w": ["N"]}, "w' P ones(N) m' = w' ones(N) m'")
    assert solve(problem).verdict is Status.UNDECIDED
    assert not check(problem, {"w": "c ones(N)"}).right


def test_one_solution_is_all_there_is_where_the_equation_leaves_nothing_free() -> None:
    problem = made(SCORES, {"B": ["D", "D"]}, "(Q B) (K M)' = Q K'")
    assert check(problem, {"B": "M^-T"}).right


def test_an_equation_that_is_not_linear_in_the_unknown_is_refused() -> None:
    with pytest.raises(InvalidProblem, match="linear in the unknown"):
        made(POOLED, {"w": ["N"]}, "hadamard(w, w)' P H = hadamard(w, w)' H")
