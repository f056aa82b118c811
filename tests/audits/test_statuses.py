"""A status says no more than verified claims do: proved means that one of them is the goal."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audits.goal_claims import TABLE, shows_goal
from regard import problems, solving
from regard.certify import Certificate, Claim
from regard.certify.claims.algebra.conditions import condition_claim
from regard.problems import from_dict
from regard.solving import Solution, Status

DOCUMENTS = Path(__file__).parents[2] / "docs"
SAYS_MORE = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED)


def assert_borne_out(solution: Solution) -> None:
    if solution.verdict in SAYS_MORE or solution.verdict is Status.ARGUED:
        assert shows_goal(solution), (solution.verdict, solution.reaches, solution.verification)


@pytest.mark.parametrize("name", problems.names())
def test_the_status_of_a_bundled_problem_is_borne_out(name: str) -> None:
    solution = solving.solve(name)
    assert solution.verdict is not Status.UNDECIDED
    assert_borne_out(solution)


def _documented() -> list[Any]:
    found = []
    for page in sorted(DOCUMENTS.rglob("*.md")):
        for text in re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            if 'kind = "' in text:
                found.append(pytest.param(text, id=f"{page.stem}-{len(found)}"))
    return found


@pytest.mark.parametrize("text", _documented())
def test_the_status_of_a_documented_problem_is_borne_out(text: str) -> None:
    assert_borne_out(solving.solve(from_dict(tomllib.loads(text))))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", problems.names())
def test_the_status_of_a_variant_is_borne_out(name: str, seed: int) -> None:
    assert_borne_out(solving.solve(solving.variant(problems.load(name), seed)))


def _random_keys(alpha: float, tolerance: float, **goal: Any) -> Any:
    return {
        "schema": 1,
        "id": "random-keys",
        "title": "Random keys",
        "kind": "heads" if "heads" in goal else "query",
        "statement": "Find it.",
        "given": {
            "n": 5,
            "keys": {
                "law": "gaussian",
                "mean": {"law": "orthonormal"},
                "covariance": "alpha I",
            },
            "names": {"a": 0, "b": 1},
            "parameters": {"alpha": alpha},
        },
        "goal": {"weights": {"a": 0.5, "b": 0.5}, "tolerance": tolerance, **goal},
    }


# For alpha = 1e-3 the least exact error of C (mu_a + mu_b - 2/n sum mu_i) is 0.0697, at C = 3.66,
# and the least that the theorem proves of it is 0.0733.
@pytest.mark.parametrize(
    ("alpha", "tolerance", "wanted"),
    [
        (1e-3, 0.0900, Status.PROVED),
        (1e-3, 0.0715, Status.NUMERIC),
        (1e-3, 0.0680, Status.UNDECIDED),
        (1e-4, 0.0400, Status.PROVED),
    ],
)
def test_what_is_computed_and_not_proved_says_so(
    alpha: float, tolerance: float, wanted: Status
) -> None:
    solution = solving.solve(from_dict(_random_keys(alpha, tolerance)))
    assert solution.verdict is wanted
    assert_borne_out(solution)
    assert wanted.value in str(solution.report())


def test_two_heads_are_proved_together() -> None:
    solution = solving.solve(from_dict(_random_keys(1e-3, 0.005, heads=2)))
    assert solution.verdict is Status.PROVED
    assert_borne_out(solution)


def test_mean_scores_that_cannot_be_had_are_not_an_impossibility() -> None:
    data = _random_keys(1e-3, 0.6)
    data["given"] |= {"n": 3, "names": {"a": 0, "b": 2}}
    data["given"]["keys"]["mean"] = {"law": "fixed", "rows": [[-1.0], [0.0], [1.0]]}
    # The query 0 has the weights 1/3 each, off by sqrt(1/6) = 0.408: the goal can be reached.
    assert solving.solve(from_dict(data)).verdict is not Status.IMPOSSIBLE


class TestTheMechanism:
    """The verdict follows from the certificate, whatever the solver says."""

    base = solving.solve("average-two-values")

    def changed(self, **changes: Any) -> Solution:
        finding = dataclasses.replace(self.base.finding, **changes)
        return Solution(self.base.problem, finding)

    def test_proved_needs_a_claim_that_is_the_goal(self) -> None:
        assert self.base.verdict is Status.PROVED
        assert self.changed(reaches=()).verdict is Status.UNDECIDED
        assert self.changed(reaches=(99,)).verdict is Status.UNDECIDED
        assert self.changed(reaches=(-1,)).verdict is Status.UNDECIDED

    @pytest.mark.parametrize("status", [Status.IMPOSSIBLE, Status.COMPUTED, Status.ARGUED])
    def test_so_do_the_others_that_say_something(self, status: Status) -> None:
        assert self.changed(status=status).verdict is status
        assert self.changed(status=status, reaches=()).verdict is Status.UNDECIDED

    def test_every_claim_has_to_hold(self) -> None:
        false = Claim("ceiling", {"key": 0, "bound": 0.0, "radius": None}, {"combination": [1.0]})
        certificate = self.base.certificate
        more = Certificate(certificate.arrays, (*certificate.claims, false), certificate.scale)
        assert self.changed(certificate=more).verdict is Status.UNDECIDED

    def test_a_goal_that_was_tested_is_argued_and_says_on_how_many(self) -> None:
        instances = [{"x": number} for number in range(1, 8)]
        tested = condition_claim("sufficient", "x > 0", "x^2 > 0", instances)
        solution = self.changed(certificate=Certificate({}, (tested,)), reaches=(0,))
        assert solution.verdict is Status.ARGUED
        assert solution.outcome == "argued in steps, tested on 7 instances"
        assert "Answer: argued in steps, tested on 7 instances" in str(solution.report())
        assert solution.to_dict()["status"] == "argued"

    def test_a_counterexample_is_a_proof(self) -> None:
        against = condition_claim("not sufficient", "x > 0", "x > 1", [{"x": 1}])
        solution = self.changed(
            status=Status.IMPOSSIBLE, certificate=Certificate({}, (against,)), reaches=(0,)
        )
        assert solution.verdict is Status.IMPOSSIBLE

    def test_words_that_were_there_are_there(self) -> None:
        words = {status.name: status.value for status in Status}
        assert words["PROVED"] == "solved and proved"
        assert words["IMPOSSIBLE"] == "impossible and proved"
        assert words["COMPUTED"] == "computed exactly"
        assert words["UNDECIDED"] == "undecided"

    def test_every_kind_has_a_row_in_the_table(self) -> None:
        kinds = {problems.load(name).kind for name in problems.names()}
        assert kinds == set(TABLE)


class TestAssumptions:
    """What a solver takes for granted is part of what it prints."""

    @pytest.mark.parametrize(
        ("name", "word"),
        [
            ("average-with-random-keys", "independent of each other"),
            ("one-head-under-noise", "in this order: α → 0, C → ∞"),
            ("two-heads-under-noise", "negative"),
            ("dot-product-variance", "independent"),
            ("position-disturbs-content", "uniform"),
            ("look-back-exactly", "only positions"),
            ("look-back-roughly", "only positions"),
        ],
    )
    def test_they_are_printed(self, name: str, word: str) -> None:
        solution = solving.solve(name)
        text = " ".join(str(solution.report()).split())
        assert "Assumed: " in text
        assert word in text.split("Assumed: ")[1].split("Why")[0]

    def test_normal_entries_are_said_where_a_token_meets_itself(self) -> None:
        law = {"mean": "mu", "variance": "sigma^2"}
        given = {"of": "q' k", "q": law, "same": True, "parameters": {"D": 8, "mu": 1, "sigma": 2}}
        data = {
            "schema": 1, "id": "same", "title": "Same", "kind": "moments", "statement": "Find it.",
            "given": given, "goal": {"find": ["mean", "variance"]},
        }  # fmt: skip
        solution = solving.solve(from_dict(data))
        assert "normal" in " ".join(solution.assumes)
        assert solution.verdict is Status.PROVED
        # The same formulas are wrong for entries that are 1 or -1: q·q = D always.
        assert solution.answer["variance"] != "0"


def test_keys_without_a_law_are_solved_for_an_example_only() -> None:
    data = _random_keys(0.0, 0.01)
    data["given"] |= {"n": 3, "d": 2, "keys": {"law": "arbitrary"}, "parameters": {}}
    data["goal"]["weights"] = {"a": 1.0}
    solution = solving.solve(from_dict(data))
    assert solution.verdict in (Status.ARGUED, Status.UNDECIDED, Status.IMPOSSIBLE)
    if solution.verdict is Status.ARGUED:
        assert solution.outcome == "argued in steps, tested on 1 instance"
    assert np.isfinite(solution.answer["q"]).all()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("worked-scores", "computed exactly"),  # whole numbers
        ("rotary-in-numbers", "computed, proved to within rounding"),  # cos 1 has no exact form
    ],
)
def test_exact_is_said_only_of_numbers_without_a_bound(name: str, words: str) -> None:
    assert solving.solve(name).outcome == words
