"""Take a value out of a sum or an average: the matrix as a formula, on every instance of the law."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import regard.solving as separator
from regard.errors import InvalidProblem
from regard.kinds.separator import vary as variants
from regard.language import parse
from regard.problems import from_dict, load, separator_instance
from regard.report import Plot
from regard.solving import Solution, Status, variant
from solving.reading import SEEDS

SUM, AVERAGE = "take-a-value-out-of-a-sum", "take-a-value-out-of-an-average"


def problem(given: dict[str, Any], **goal: Any) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "separator", "statement": "p"}
    return from_dict({**head, "given": given, "goal": goal})


def fixed(*rows: list[float]) -> dict[str, Any]:
    return {"law": "fixed", "rows": [list(row) for row in rows]}


def recovers(solution: Solution, asked: Any, rng: np.random.Generator | None) -> None:
    """The formula of the answer gives the value back, on an instance of the law."""
    S, T = separator_instance(asked.given, rng)
    formula = parse(solution.answer["M"])
    bases = {"S": S, "T": T}
    M = np.asarray(formula.evaluate({name: bases[name] for name in formula.names}))
    numbers = np.random.default_rng(5)
    for _ in range(3):
        from_S, from_T = S @ numbers.normal(size=S.shape[1]), T @ numbers.normal(size=T.shape[1])
        c = asked.given.share * (from_S + from_T)
        wanted = from_S if asked.goal.recover == "S" else from_T
        got = M @ c if asked.goal.side == "M c" else c @ M
        np.testing.assert_allclose(got, wanted, atol=1e-9)


@pytest.mark.parametrize(("name", "M"), [(SUM, "S S'"), (AVERAGE, "2 S (S' S)^-1 S'")])
def test_the_bundled_problems_are_solved_and_proved(name: str, M: str) -> None:
    asked = load(name)
    solution = separator.solve(asked)
    assert solution.verdict is Status.PROVED
    assert solution.answer == {"M": M, "side": asked.goal.side}
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 4
    assert any(isinstance(block, Plot) for block in solution.details)
    recovers(solution, asked, None)
    for seed in range(5):
        recovers(solution, asked, np.random.default_rng(seed))


def test_mistakes_of_the_average_are_those_of_the_theory() -> None:
    factor, orthonormal, coordinates, angles = separator.solve(load(AVERAGE)).mistakes
    assert "c' M is (0.5, 0) and not v" in factor  # half of (1, 0) without the 2
    assert "c' M is (1.36, 0.48, 0) and not v" in orthonormal  # s_1 + 0.6 s_2
    assert "M makes (3.8, 4.2) of c = (1.9, 1.2, 3.5)" in coordinates  # 2 S' c
    assert "(2, 0, 0)" in angles


def test_mistakes_of_the_sum_are_those_of_the_theory() -> None:
    said = " ".join(separator.solve(load(SUM)).mistakes)
    assert "M makes (2, 3) of c = (2, 3, 7)" in said  # A' s
    assert "(2.2, 1.6)" in said
    assert "(3.76, 2.08)" in said
    assert "(1, 0, 0)" in said  # a_1 = b_1


def test_the_matrix_of_the_instance_is_that_of_the_theory() -> None:
    given = {
        "d": 3,
        "S": fixed([1, 0, 0], [0.6, 0.8, 0]),
        "T": fixed([0, 0, 1]),
        "orthogonal": True,
        "share": 0.5,
    }
    solution = separator.solve(problem(given))
    M = np.asarray(solution.certificate.claims[0].witness["M"])
    np.testing.assert_allclose(M, np.diag([2.0, 2.0, 0.0]), atol=1e-12)
    np.testing.assert_allclose(M @ [1.1, 0.8, 2.5], [2.2, 1.6, 0], atol=1e-12)


@pytest.mark.parametrize("name", [SUM, AVERAGE])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_variant_is_solved(name: str, seed: int) -> None:
    changed = variants.vary(load(name), np.random.default_rng(seed))
    asked = problem(changed["given"], **changed["goal"])
    solution = separator.solve(asked)
    assert solution.verdict is Status.PROVED
    recovers(solution, asked, None)
    S, T = separator_instance(asked.given)
    both = np.concatenate([S, T], axis=1)
    coordinates = np.linalg.lstsq(both, np.eye(len(S)), rcond=None)[0][: S.shape[1]]
    M = S @ coordinates / asked.given.share  # keeps S, drops T and what is outside of both
    np.testing.assert_allclose(
        np.asarray(solution.certificate.claims[0].witness["M"]), M, atol=1e-9
    )
    np.testing.assert_allclose(np.linalg.norm(S, axis=0), 1, atol=1e-9)


def test_a_variant_passes_the_gate() -> None:
    assert variant(load(AVERAGE), 4).given != load(AVERAGE).given


@pytest.mark.parametrize("side", ["M c", "c M"])
@pytest.mark.parametrize("recover", ["S", "T"])
@pytest.mark.parametrize("orthogonal", [True, False])
@pytest.mark.parametrize("share", [0.5, 1.0, 0.3])
def test_every_side_subspace_angle_and_share_is_answered(
    side: str, recover: str, orthogonal: bool, share: float
) -> None:
    given = {
        "d": 7,
        "S": {"law": "unit", "count": 3},
        "T": {"law": "orthonormal", "count": 2},
        "orthogonal": orthogonal,
        "share": share,
    }
    asked = problem(given, recover=recover, side=side)
    solution = separator.solve(asked)
    assert solution.verdict is Status.PROVED
    recovers(solution, asked, None)
    for seed in (1, 2):
        recovers(solution, asked, np.random.default_rng(seed))
    assert str(solution.report())


@pytest.mark.parametrize("first", ["S", "T"])
@pytest.mark.parametrize("orthogonal", [True, False])
def test_one_basis_may_be_given_and_the_other_drawn(first: str, orthogonal: bool) -> None:
    given: dict[str, Any] = {"d": 5, "orthogonal": orthogonal}
    given[first] = fixed([3, 4, 0, 0, 0], [0, 1, 0, 2, 0])
    given["T" if first == "S" else "S"] = {"law": "unit", "count": 2}
    asked = problem(given)
    S, T = separator_instance(asked.given)
    assert (np.max(np.abs(S.T @ T)) < 1e-12) == orthogonal
    recovers(separator.solve(asked), asked, np.random.default_rng(1))


def test_the_norm_is_one_over_share_times_the_sine_of_the_angle() -> None:
    # 30 degrees between the only two directions.
    given = {
        "d": 2,
        "S": fixed([1, 0]),
        "T": fixed([3**0.5 / 2, 0.5]),
        "orthogonal": False,
        "share": 0.25,
    }
    solution = separator.solve(problem(given))
    M = np.asarray(solution.certificate.claims[0].witness["M"])
    np.testing.assert_allclose(np.linalg.norm(M, 2), 1 / (0.25 * 0.5))
    assert re.search(r"= 8, .*30", solution.steps[-2][1])
    # v = 0, w = (√3/2, 1/2): the projection at right angles makes (√3/2, 0) of them.
    factor, angles = solution.mistakes
    assert "M c is (0.25, 0) and not v" in factor
    assert f"M c is ({3**0.5 / 2:.4g}, 0) and not v" in angles


def test_subspaces_with_a_vector_in_common_are_proved_impossible() -> None:
    given = {
        "d": 3,
        "S": fixed([1, 0, 0], [0, 1, 0]),
        "T": fixed([1, 1, 0], [0, 0, 1]),
        "orthogonal": False,
    }
    solution = separator.solve(problem(given))
    assert solution.verdict is Status.IMPOSSIBLE
    assert solution.certificate.claims[0].kind == "no_separator"
    assert solution.answer == {"possible": False}
    assert str(solution.report())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"d": 3, "S": fixed([1, 0]), "T": fixed([0, 1, 0])},
            "the vectors of S have 2 numbers, and d = 3",
        ),
        ({"d": 2, "S": fixed([1, 1], [2, 2]), "T": fixed([1, 0])}, "no basis"),
        ({"d": 3, "S": fixed([1, 0, 0]), "T": fixed([1, 1, 0])}, "not at right angles"),
        (
            {"d": 2, "S": {"law": "unit", "count": 2}, "T": {"law": "unit", "count": 1}},
            "more than d = 2",
        ),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidProblem, match=says):
        problem(given)
