"""Look back exactly T steps: the blocks, how large they must be, and the proof."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import regard.design
import regard.solving as offset
from regard.design.positions.reasons import ShiftsAlike
from regard.design.reasons import undecided
from regard.errors import InvalidProblem
from regard.kinds.offset import vary as variants
from regard.language import parse
from regard.problems import from_dict, load
from regard.report import Plot
from regard.solving import Solution, Status, variant
from solving.reading import SEEDS, facts, with_column

ID = "look-back-exactly"


def problem(given: dict[str, Any], tolerance: float = 0.01) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "offset", "statement": "p"}
    return from_dict({**head, "given": given, "goal": {"tolerance": tolerance}})


def positions(times: np.ndarray, d: int, base: float = 10000.0) -> np.ndarray:
    """The embedding by its definition."""
    table = np.empty((len(times), d))
    for i in range(d // 2):
        table[:, 2 * i] = np.sin(times / base ** (2 * i / d))
        table[:, 2 * i + 1] = np.cos(times / base ** (2 * i / d))
    return table


def matrix(solution: Solution, d: int, T: int, base: float = 10000.0) -> np.ndarray:
    """A out of the answer's two formulas."""
    block, off = (parse(solution.answer[name]) for name in ("block", "off_block"))
    A = np.empty((d, d))
    for i in range(d // 2):
        for j in range(d // 2):
            formula = block if i == j else off
            values = {"w_i": base ** (-2 * i / d), "T": float(T)}
            A[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = formula.evaluate(
                {name: values[name] for name in formula.names}
            )
    return A


def least_weight(A: np.ndarray, T: int, n: int, base: float = 10000.0) -> float:
    """The least weight on t - T over all queries t with that key, from the embeddings."""
    d = len(A)
    queries = np.arange(n) + float(T)
    scores = positions(queries, d, base) @ A.T @ positions(np.arange(float(n)), d, base).T
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return float(np.min(np.diagonal(weights)))


def test_the_bundled_problem_is_solved_and_proved() -> None:
    solution = offset.solve(load(ID))
    assert solution.verdict is Status.PROVED
    assert set(solution.answer) == {"block", "off_block"}
    assert 4 <= len(solution.steps) <= 8
    assert 3 <= len(solution.mistakes) <= 5
    assert any(isinstance(block, Plot) for block in solution.details)


def test_the_blocks_take_a_position_to_the_one_T_steps_before() -> None:
    given = load(ID).given
    A = matrix(offset.solve(load(ID)), given.d_model, given.T)
    times = np.array([0.0, 3.0, 41.0, 1000.0])
    there = positions(times, given.d_model) @ A.T
    np.testing.assert_allclose(there, positions(times - given.T, given.d_model), atol=1e-12)


def test_the_scales_of_the_bundled_problem_are_those_of_the_theory() -> None:
    solution = offset.solve(load(ID))
    found = facts(solution)
    np.testing.assert_allclose(solution.finding.size, 4.882223496655555, rtol=1e-9)
    assert found["smallest C"] == "4.883"  # rounded up: 4.882 is not enough
    np.testing.assert_allclose(solution.finding.enough, 8.714533652915149, rtol=1e-9)
    assert found["C that is enough for certain"] == "8.715"
    by_name = {row[0]: float(row[2]) for row in with_column(solution, "least weight on t − T").rows}
    np.testing.assert_allclose(by_name["1/√d_k"], 0.03687330897176578, rtol=1e-9)
    np.testing.assert_allclose(by_name["1"], 0.577284518294752, rtol=1e-9)
    np.testing.assert_allclose(by_name["3"], 0.9279731409998724, rtol=1e-9)
    assert any("3.7 %" in mistake for mistake in solution.mistakes)


def test_rivals_of_other_widths_are_those_of_the_theory() -> None:
    rows = {row[0]: row for row in with_column(offset.solve(load(ID)), "strongest rival").rows}
    gaps = {"8": 0.20820111743534034, "16": 0.5148337565124999, "64": 1.083168338380974}
    for width, gap in gaps.items():
        np.testing.assert_allclose(float(rows[width][2]), gap, rtol=1e-8)
    np.testing.assert_allclose(float(rows["8"][3]), 0.4647440284371276, rtol=1e-8)
    np.testing.assert_allclose(float(rows["512"][2]), 6.897902172637029, rtol=1e-8)
    np.testing.assert_allclose(float(rows["2"][2]), 1.8173640789234052e-09, rtol=1e-6)
    assert [rows[d][1] for d in ("2", "8", "16", "64", "128", "512")] == [
        "710", "63", "1", "1", "1", "1",
    ]  # fmt: skip
    # How far the smooth formula is off: 0.04 %, 0.08 % and 3.3 % for 512; 3.8 % for 64 at 30.
    assert rows["512"][4:] == ("0.037 %", "0.081 %", "3.3 %")
    assert rows["64"][5] == "3.8 %"


def test_blocks_and_scores_of_a_small_width_are_those_of_the_theory() -> None:
    solution = offset.solve(problem({"d_model": 8, "n": 21, "T": 3}))
    blocks = with_column(solution, "cos w_i T").rows
    cosines = [-0.9899924966004454, 0.955336489125606, 0.9995500337489875, 0.999995500003375]
    sines = [0.1411200080598672, 0.2955202066613396, 0.02999550020249566, 0.002999995500002025]
    np.testing.assert_allclose([float(row[2]) for row in blocks], cosines, rtol=1e-9)
    np.testing.assert_allclose([float(row[3]) for row in blocks], sines, rtol=1e-9)
    scores = [float(row[1]) for row in with_column(solution, "score for C = 1").rows]
    half = [1.964889526277523, 2.5637177479613436, 3.535255971562872]
    np.testing.assert_allclose(scores, [*half, 4.0, *half[::-1]], rtol=1e-9)


def test_the_positions_of_a_finite_sequence_do_not_determine_the_entries() -> None:
    assert "1.6e+11" in str(offset.solve(load(ID)).report())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_variant_needs_exactly_the_scale_it_names(seed: int) -> None:
    original = load(ID)
    changed = variants.vary(original, np.random.default_rng(seed))
    drawn = problem(changed["given"], changed["goal"]["tolerance"])
    solution = offset.solve(drawn)
    given, tolerance = drawn.given, drawn.goal.tolerance
    assert solution.verdict is Status.PROVED
    A = matrix(solution, given.d_model, given.T)
    C = solution.finding.size
    np.testing.assert_allclose(least_weight(C * A, given.T, given.n), 1 - tolerance, rtol=1e-7)
    assert least_weight(0.99 * C * A, given.T, given.n) < 1 - tolerance
    enough = float(facts(solution)["C that is enough for certain"])
    assert least_weight(enough * A, given.T, given.n) >= 1 - tolerance


def test_a_variant_passes_the_gate_and_is_the_same_for_the_same_seed() -> None:
    one, other = variant(load(ID), 7), variant(load(ID), 7)
    assert one == other
    assert one.given != load(ID).given


def test_a_transposed_matrix_looks_ahead() -> None:
    solution = offset.solve(load(ID))
    given = load(ID).given
    C = solution.finding.size
    A = C * matrix(solution, given.d_model, given.T).T
    assert least_weight(A, -given.T, given.n) > 0.98
    assert "10 steps ahead, and not 10 steps back" in solution.mistakes[0]


@pytest.mark.parametrize("T", [-5, 0])
def test_a_head_may_also_look_ahead_or_at_its_own_place(T: int) -> None:
    solution = offset.solve(problem({"d_model": 16, "n": 40, "T": T}))
    assert solution.verdict is Status.PROVED
    C = solution.finding.size
    np.testing.assert_allclose(least_weight(C * matrix(solution, 16, T), T, 40), 0.99, rtol=1e-7)
    assert str(solution.report())


def test_a_narrow_head_keeps_as_many_frequencies_as_fit() -> None:
    solution = offset.solve(problem({"d_model": 16, "n": 30, "T": 2, "d_k": 7}))
    assert solution.verdict is Status.PROVED
    assert facts(solution)["rank of A"] == "6 (d_k = 7)"
    A = np.asarray(solution.certificate.claims[0].witness["A"])
    assert np.linalg.matrix_rank(A) == 6
    assert least_weight(A, 2, 30) >= 0.99


def test_another_base_is_used_throughout() -> None:
    solution = offset.solve(problem({"d_model": 12, "n": 25, "T": 4, "base": 50.0}))
    assert solution.verdict is Status.PROVED
    C = solution.finding.size
    A = C * matrix(solution, 12, 4, 50.0)
    np.testing.assert_allclose(least_weight(A, 4, 25, 50.0), 0.99, rtol=1e-7)


def test_two_positions_are_enough_for_a_problem() -> None:
    solution = offset.solve(problem({"d_model": 2, "n": 2, "T": 1}, 0.1))
    assert solution.verdict is Status.PROVED
    # One rival at shift 1: 1 / (1 + exp(-C (1 - cos 1))) = 0.9.
    C = math.log(9) / (1 - math.cos(1))
    np.testing.assert_allclose(solution.finding.size, C, rtol=1e-9)


def test_what_cannot_be_decided_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise undecided(ShiftsAlike(T=3, rival=17, gap=2e-13, off=1e-12), None, None)

    monkeypatch.setattr(regard.design, "offset", refuse)
    solution = offset.solve(load(ID))
    assert solution.verdict is Status.UNDECIDED
    assert solution.steps[-1][0] == (
        "No scale is certain to be enough. Shifts 3 and 17 look too nearly alike: their scores "
        "differ by 2e-13 of a block's size, and float64 positions may be off by 1e-12 of it."
    )
    assert str(solution.report())


@pytest.mark.parametrize(
    ("given", "tolerance", "says"),
    [
        ({"d_model": 8, "n": 5, "T": 5}, 0.01, "T = 5 must be less than n = 5"),
        ({"d_model": 8, "n": 5, "T": 1}, 0.8, "asks for nothing"),
        ({"d_model": 8, "n": 5, "T": 1, "d_k": 1}, 0.01, "must be at least 2"),
        ({"d_model": 7, "n": 5, "T": 1}, 0.01, "multiple of 2"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(
    given: dict[str, Any], tolerance: float, says: str
) -> None:
    with pytest.raises(InvalidProblem, match=says):
        problem(given, tolerance)
