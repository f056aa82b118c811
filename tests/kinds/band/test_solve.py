"""Look back T ± B/2: which blocks are zeroed, and what is left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import regard.solving as band
from regard.errors import InvalidProblem
from regard.kinds.band import vary as variants
from regard.kinds.band.instance import Window
from regard.kinds.band.solve import best_weights
from regard.language import parse
from regard.problems import from_dict, load
from regard.report import Facts, Plot, Table
from regard.solving import Solution, Status, variant
from regard.solving.general_remarks import GENERAL_REMARKS
from solving.reading import SEEDS, facts, with_column

ID = "look-back-roughly"


def problem(given: dict[str, Any], **goal: Any) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "band", "statement": "p"}
    return from_dict({**head, "given": given, "goal": goal})


def omegas(d: int, base: float = 10000.0) -> np.ndarray:
    return np.array([base ** (-2 * i / d) for i in range(d // 2)])


def zeroed(solution: Solution, d: int, B: float, base: float = 10000.0) -> list[int]:
    """The blocks for which the inequality of the answer holds."""
    rule = parse(solution.answer["zeroed"])
    found = []
    for i, omega in enumerate(omegas(d, base)):
        values = {"w_i": float(omega), "B": B, "i": float(i)}
        if rule.evaluate({name: values[name] for name in rule.names}):
            found.append(i)
    return found


def window(T: int, B: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    shifts = np.arange(1 - n, n)
    inside = np.abs(shifts - T) <= B / 2
    return shifts[inside] - T, shifts[~inside] - T


def gap(weights: np.ndarray, omega: np.ndarray, T: int, B: float, n: int) -> float:
    inside, outside = window(T, B, n)
    low = np.min(np.cos(np.outer(inside, omega)) @ weights)
    return float(low - np.max(np.cos(np.outer(outside, omega)) @ weights))


def largest_gap(omega: np.ndarray, T: int, B: float, n: int) -> float:
    """The largest gap of weights ≥ 0 that sum to 1, by a linear program of its own."""
    inside, outside = window(T, B, n)
    m = len(omega)
    above = np.column_stack(
        [-np.cos(np.outer(inside, omega)), np.ones(len(inside)), np.zeros(len(inside))]
    )
    below = np.column_stack(
        [np.cos(np.outer(outside, omega)), np.zeros(len(outside)), -np.ones(len(outside))]
    )
    found = linprog(
        [*[0.0] * m, -1.0, 1.0],
        A_ub=np.vstack([above, below]),
        b_ub=np.zeros(len(above) + len(below)),
        A_eq=[[1.0] * m + [0.0, 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)] * 2,
    )
    return float(-found.fun)


def test_the_bundled_problem_is_solved_and_proved() -> None:
    solution = band.solve(load(ID))
    assert solution.verdict is Status.PROVED
    assert solution.answer == {"zeroed": "w_i B/2 > pi/2"}
    assert zeroed(solution, 64, 10.0) == [0, 1, 2, 3, 4]
    assert facts(solution)["zeroed blocks"] == "0, 1, 2, 3, 4"
    assert 4 <= len(solution.steps) <= 8
    assert 2 <= len(solution.mistakes) <= 4
    assert any(isinstance(block, Plot) for block in solution.details)


def test_the_phases_of_the_theory_keep_its_blocks() -> None:
    rows = {row[0]: row for row in with_column(band.solve(load(ID)), "first kept").rows}
    expected = {
        "π/4": (6.431040983758779, 7, 25, 0.9801600371304349),
        "π/3": (5.4315310908923795, 6, 26, 0.9666954320292219),
        "π/2": (4.02280101844693, 5, 27, 0.9448052528724049),
        "π": (1.6145610531350796, 2, 30, 0.8013723398928769),
    }
    assert set(rows) == set(expected)
    for name, numbers in expected.items():
        got = [float(cell) for cell in rows[name][1:5]]
        np.testing.assert_allclose(got, numbers, rtol=1e-9)


def test_zeroing_and_the_best_weights_of_a_small_case_are_those_of_the_theory() -> None:
    solution = band.solve(load(ID))
    beyond = solution.details[solution.details.index(GENERAL_REMARKS[0]) :]
    small = next(block for block in beyond if isinstance(block, Table)).rows[0]
    np.testing.assert_allclose(
        [float(cell) for cell in small[1:]], [0.0514204, 0.1915387, 0.3188921041146767], rtol=1e-6
    )
    assert "0: -0.1884, 1: 0.3993, 2: 0.4123" in str(
        [pair for block in solution.details if isinstance(block, Facts) for pair in block.pairs]
    )
    both = best_weights(Window(16, 41, 0, 10000.0, 8.0), signed=False).design
    assert both is not None
    assert len(both.kept) == 2


def test_the_same_small_case_as_a_problem_has_the_same_gaps() -> None:
    solution = band.solve(problem({"d_model": 16, "n": 41, "T": 0, "B": 8}))
    own = with_column(solution, "best weights").rows[0]
    np.testing.assert_allclose(float(own[3]), 0.3188921041146767, rtol=1e-7)
    assert solution.verdict is Status.PROVED


@pytest.mark.parametrize("seed", SEEDS)
def test_a_variant_zeroes_the_fast_blocks_and_has_the_gap_it_claims(seed: int) -> None:
    changed = variants.vary(load(ID), np.random.default_rng(seed))
    drawn = problem(changed["given"], **changed["goal"])
    solution = band.solve(drawn)
    given = drawn.given
    omega = omegas(given.d_model)
    gone = [i for i, w in enumerate(omega) if w * given.B / 2 > math.pi / 2]
    assert zeroed(solution, given.d_model, given.B) == gone
    assert solution.verdict is Status.PROVED
    weights = np.ones(len(omega))
    weights[gone] = 0
    weights /= weights.sum()
    place = (given.T, given.B, given.n)
    claimed = float(facts(solution)["gap per unit of weight"])
    np.testing.assert_allclose(claimed, gap(weights, omega, *place), rtol=1e-5)
    best = float(with_column(solution, "best weights").rows[0][2])
    np.testing.assert_allclose(best, largest_gap(omega, *place), rtol=1e-6)


def test_a_variant_passes_the_gate() -> None:
    assert variant(load(ID), 3).given != load(ID).given


def test_another_phase_is_answered_in_its_own_terms() -> None:
    given = {"d_model": 64, "n": 128, "T": 10, "B": 10}
    assert band.solve(problem(given, phase=math.pi / 4)).answer["zeroed"] == "w_i B/2 > pi/4"
    solution = band.solve(problem(given, phase=0.9))
    assert solution.answer["zeroed"] == "w_i B/2 > 0.9"
    assert zeroed(solution, 64, 10.0) == [i for i, w in enumerate(omegas(64)) if 5 * w > 0.9]


def test_zeroing_that_misses_is_not_called_proved() -> None:
    # One block is left, whose period of 628 steps comes back within 1000.
    solution = band.solve(problem({"d_model": 4, "n": 1000, "T": 0, "B": 8}))
    assert zeroed(solution, 4, 8.0) == [0]
    assert gap(np.array([0.0, 1.0]), omegas(4), 0, 8.0, 1000) < 0
    assert solution.status is not Status.PROVED
    assert "zeroing is not enough" in " ".join(text for text, _ in solution.steps)
    assert solution.verification.holds


def test_where_no_weights_do_it_that_is_proved() -> None:
    # cos(u) is about -1 at 3, which is in the window, and about 1 at 6, which is not.
    solution = band.solve(problem({"d_model": 2, "n": 30, "T": 5, "B": 8}))
    assert solution.verdict is Status.IMPOSSIBLE
    assert "zeroes all of them" in " ".join(text for text, _ in solution.steps)
    assert str(solution.report())


def test_a_window_of_one_shift_keeps_everything_slow_enough() -> None:
    solution = band.solve(problem({"d_model": 16, "n": 20, "T": -2, "B": 1}))
    assert zeroed(solution, 16, 1.0) == []
    assert solution.verdict is Status.PROVED
    assert facts(solution)["zeroed blocks"] == "none"


@pytest.mark.parametrize(
    ("given", "goal", "says"),
    [
        ({"d_model": 8, "n": 5, "T": 0, "B": 40}, {}, "leaves nothing outside"),
        ({"d_model": 8, "n": 50, "T": 0, "B": 4}, {"phase": 0.1}, "outside of accept"),
        ({"d_model": 8, "n": 50, "T": 0, "B": 0}, {}, "must be more than 0"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(
    given: dict[str, Any], goal: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidProblem, match=says):
        problem(given, **goal)
