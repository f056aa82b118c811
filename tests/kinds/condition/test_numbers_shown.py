"""A number in a condition is an answer where the statement shows the number, and not elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from regard import problems
from regard.checking import check
from regard.checking.numbers.stated_numbers import left_open
from regard.solving import variant

OPEN = (
    "The weights are softmax of the scores of $n$ keys. When is $\\alpha_j \\ge 1 - \\varepsilon$? "
    "Answer with `condition`, in $s_j$, $s_i$, $s$, $n$ and `epsilon`."
)
SCORED = ("copy-a-value", "one-key-dominates", "output-under-dominance", "overwhelming-weight")


def asked(statement: str = OPEN, **goal: Any) -> Any:
    data = problems.to_dict(problems.load("one-key-dominates"))  # n = 4 and epsilon = 0.001
    return problems.from_dict({**data, "statement": statement, "goal": {**data["goal"], **goal}})


@pytest.mark.parametrize(
    "condition",
    ["s_j - s_i >= 8.01", "s_j - s_i > 100", "s_j - s_i >= 1e9", "exp(s_j) >= 999 sum(exp(s))"],
)
def test_a_number_is_not_enough_for_every_epsilon(condition: str) -> None:
    found = check(asked(), {"condition": condition})
    assert found.score == 0


def test_a_number_in_a_name_of_its_own_is_a_number() -> None:
    found = check(asked(), {"condition": "s_j - s_i >= gap", "gap": 30})
    assert found.score == 0
    assert "does not name epsilon, which the statement leaves open" in found.goals[0].sentence


@pytest.mark.parametrize(
    ("condition", "score"),
    [
        ("s_j - s_i >= log(3/epsilon)", 0),  # 3 is n - 1 for the instance alone
        ("s_j - s_i >= log((n - 1)/epsilon)", 1),
        ("exp(s_j) >= (1 - epsilon) sum(exp(s))", 1),
        ("s_j - s_i >= C", 1),
        ("s_j - s_i >= log(C n)", 1),
    ],
)
def test_n_is_no_number_either(condition: str, score: float) -> None:
    assert check(asked(), {"condition": condition}).score == score


def test_sufficient_for_its_own_numbers_is_not_half_where_exactly_is_asked() -> None:
    assert check(asked(exact=True), {"condition": "s_j - s_i >= 9"}).score == 0


@pytest.mark.parametrize(
    "shown",
    [
        OPEN + " Here $n = 4$ and $\\varepsilon = 0.001$.",
        "Four keys: under which condition on the scores has key $j$ the weight 0.999?",
    ],
)
def test_what_the_statement_shows_may_stand_as_a_number(shown: str) -> None:
    assert check(asked(shown), {"condition": "s_j - s_i >= 8.01"}).score == 1
    assert check(asked(shown), {"condition": "s_j - s_i >= 7.9"}).score == 0


def test_the_number_of_keys_may_be_shown_and_epsilon_not() -> None:
    statement = OPEN + " There are $n = 4$ keys."
    assert check(asked(statement), {"condition": "s_j - s_i >= log(3/epsilon)"}).score == 1
    assert check(asked(statement), {"condition": "s_j - s_i >= 8.01"}).score == 0


@pytest.mark.parametrize("name", SCORED)
def test_statements_of_the_library_show_their_numbers_and_variants_theirs(name: str) -> None:
    one = problems.load(name)
    for problem in (one, *(variant(one, seed) for seed in range(4))):
        assert not left_open(problem.statement, "n", "epsilon", "R")
        assert f"$n = {problem.given.n}$" in problem.statement
        if problem.goal.effect == "pairwise":
            assert f"$R = {problem.goal.ratio:g}$" in problem.statement
        else:
            shown = problem.statement.split("\\varepsilon = ")[1].split("$")[0]
            assert float(shown) == problem.goal.epsilon
