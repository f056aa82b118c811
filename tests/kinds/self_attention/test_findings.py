"""What the solver finds, before a word is said about it."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from kinds.self_attention.test_solve import ID, problem
from regard.kinds.self_attention import solve as finding
from regard.problems import load
from regard.solving import Status, solve
from regard.solving.finding import Finding
from regard.solving.often import often_got_wrong

SUM = ["u_a", "u_b", "u_a + u_b"]
BOTH_AT_THE_THIRD = {
    "attend": {"x_1": "x_3", "x_2": "x_3"},
    "outputs": {"c_1": "u_a", "c_2": "u_b"},
}
OUTCOMES = {
    finding.OfFormulas: (["u_a", "u_b"], {"outputs": {"c_1": "u_b", "c_2": "u_a"}}, {}),
    # x_3 = x_1 + x_2: what V makes of x_3 follows from the others, and weights have to do the rest.
    finding.OfNumbers: (
        SUM,
        {"outputs": {"c_1": "u_a", "c_2": "u_b", "c_3": "u_a"}},
        {"names": ["u_a", "u_b"]},
    ),
    finding.Impossible: (["u_a", "u_a"], {"outputs": {"c_1": "u_b", "c_2": "u_c"}}, {}),
    finding.Contradicted: (["u_a", "u_b", "u_c"], BOTH_AT_THE_THIRD, {}),
    finding.Undecided: (
        ["u_a", "u_b", "u_c"],
        {**BOTH_AT_THE_THIRD, "tolerance": 0.2},
        {"norm": 1.0},
    ),
}
STATUS = {
    finding.OfFormulas: Status.PROVED,
    finding.OfNumbers: Status.PROVED,
    finding.Impossible: Status.IMPOSSIBLE,
    finding.Contradicted: Status.IMPOSSIBLE,
    finding.Undecided: Status.UNDECIDED,
}


def outcome(kind: type[Finding]) -> Any:
    tokens, goal, given = OUTCOMES[kind]
    return problem(tokens, goal, **given)


@pytest.mark.parametrize("kind", OUTCOMES)
def test_each_outcome_is_a_class_of_its_own_and_its_verified_claims_bear_it_out(
    kind: type[Finding],
) -> None:
    solution = solve(outcome(kind))
    assert type(solution.finding) is kind
    assert solution.status is solution.verdict is STATUS[kind]
    assert bool(solution.reaches) is (kind is not finding.Undecided)


@pytest.mark.parametrize("kind", OUTCOMES)
def test_a_solution_that_was_sent_elsewhere_says_the_same(kind: type[Finding]) -> None:
    solution = solve(outcome(kind))
    assert str(pickle.loads(pickle.dumps(solution))) == str(solution)


def test_the_errors_with_a_closed_form_are_data() -> None:
    found = finding.solve(load(ID))
    assert isinstance(found, finding.OfFormulas)
    first, second = found.closed_errors
    # Both rows look at one of three tokens, which scores 1 above both others, at 0.
    assert [(one.row, one.gap, one.others) for one in found.closed_errors] == [
        (0, 1.0, 2),
        (1, 1.0, 2),
    ]
    # V keeps u_b and turns u_c around: of u_b + u_d, u_a, u_b + u_c it makes u_b, 0, u_b - u_c.
    np.testing.assert_allclose(first.missed, [0, -1, 2, 0], atol=1e-12)
    np.testing.assert_allclose(second.missed, [0, -1, -1, 0], atol=1e-12)
    np.testing.assert_allclose(first.wanted, [0, 1, -1, 0], atol=1e-12)


def test_what_a_mistake_costs_is_told_by_the_judge() -> None:
    found = finding.solve(load(ID))
    assert isinstance(found, finding.OfFormulas)
    told = {one.idea: one.sentence for one in often_got_wrong(load(ID), found.answer)}
    # Where β is 24, 8 times as long: V brings u_b - u_c times β², off by (β² - 1) β √2, over 8.
    assert (
        f"Off by {(24**2 - 1) * 24 * math.sqrt(2) / 8:.3g},"
        in told["The length not divided out of V"]
    )
    # With scores 1, 0, 0 the row has weights e, 1, 1 over e + 2; V x_j are u_b, 0, u_b - u_c.
    b, c = found.head.at.basis[1:3]
    mean = (b + math.e * (b - c)) / (math.e + 2)
    small = max(
        np.linalg.norm(mean - (b - c)),
        np.linalg.norm((math.e * b + b - c) / (math.e + 2) - b),
    )
    assert f"Off by {small:.3g}," in told["Scores that are not far apart"]
    assert told["Without matrices"].startswith("What a token finds where it looks")
    assert told["Keys and queries exchanged"].startswith("Keys and queries have changed places")


def test_vectors_that_are_short_enough_are_said_to_be_so() -> None:
    goal = {"outputs": {"c_1": "u_b", "c_2": "u_a"}, "tolerance": 0.3}
    short = finding.solve(problem(["u_a", "u_b"], goal, parameters={"beta": 0.3}))
    assert isinstance(short, finding.OfFormulas)
    assert short.short
    # Of two tokens each gets what the other leaves: the error is √2 β / (e^(β²) + 1).
    norm = short.needs_norm
    assert norm is not None
    np.testing.assert_allclose(math.sqrt(2) * norm / (math.exp(norm**2) + 1), 0.3, rtol=1e-9)
    long = finding.solve(problem(["u_a", "u_b"], goal, parameters={"beta": 3.0}))
    assert isinstance(long, finding.OfFormulas)
    assert not long.short
