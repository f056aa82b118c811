"""The simplex method of reading bands, against a general solver of linear programs."""

from __future__ import annotations

import numpy as np
import pytest

from regard.analysis.positions.band_exchange import Best
from regard.analysis.positions.band_program import cosines, solve
from regard.analysis.positions.read_band import _Task


def gap(table: np.ndarray, inner: int, outer: int, weights: np.ndarray) -> float:
    """The least f in the window minus the largest outside, per unit of the sum of |weights|."""
    f = table @ weights / np.sum(np.abs(weights))
    return float(np.min(f[: inner + 1]) - np.max(f[outer:]))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("d", [6, 16, 34])
def test_weights_stay_the_best_while_the_length_grows(d: int, signed: bool) -> None:
    rng = np.random.default_rng(d)
    for _ in range(6):
        inner, longest = int(rng.integers(0, 30)), int(rng.integers(80, 300))
        outer = inner + 1 + int(rng.integers(0, 4))
        table = cosines(d, 10000.0, longest)
        best = Best(table, inner, outer, signed=signed)
        for count in (outer + 1, (outer + longest) // 2, longest):
            assert best.grow(count)
            np.testing.assert_allclose(np.sum(np.abs(best.weights)), 1, atol=1e-9)
            assert signed or np.min(best.weights) >= -1e-11
            found = solve(table[:count], inner, outer, signed=signed, ripple=None).weights
            ours = gap(table[:count], inner, outer, best.weights)
            theirs = gap(table[:count], inner, outer, found)
            np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_no_more_work_is_done_than_is_allowed() -> None:
    table = cosines(32, 10000.0, 300)
    assert Best(table, 9, 10, signed=True).grow(300)
    best = Best(table, 9, 10, signed=True, work=2e4)
    assert not best.grow(300)
    assert best.work <= 0
    best = Best(table, 5, 6, signed=False)
    assert best.grow(60)
    task = _Task(best.weights, 1e-8, 10000.0, 60, 60)
    before = task.work
    task.fit(5)
    assert task.work < before


def test_where_no_weights_have_a_gap_the_best_still_sum_to_1() -> None:
    best = Best(cosines(2, 10000.0, 40), 3, 4, signed=False)
    assert best.grow(40)
    np.testing.assert_allclose(best.weights, [1.0])


def test_lengths_begin_and_end_where_f_allows() -> None:
    one = np.array([1.0])  # cos x: the window |x| ≤ 1 ends at cos 1, and f is above it again at 6
    assert _Task(one, 0.1, 10000.0, 3, 30).end(1, 2) == 6
    assert _Task(one, 0.3, 10000.0, 3, 30).end(1, 2) == 30  # or noise says so
    starts = [_Task(one, 0.1, 10000.0, least, 30).start(5, 7) for least in (1, 20, 99)]
    assert starts == [13, 20, 30]


def test_lengths_go_on_to_the_last() -> None:
    for most in range(60, 120, 7):
        task = _Task(np.ones(8), 1e-8, 10000.0, 1, most)
        best = Best(task.table, 5, 6, signed=False)
        for count in task.many_lengths(5, best):
            assert best.grow(count)
        assert best.lasts() == most


def test_the_best_weights_say_up_to_which_length_they_are_so() -> None:
    table = cosines(16, 10000.0, 400)
    best = Best(table, 5, 6, signed=False)
    count, lengths = 7, []
    while count <= 400:
        assert best.grow(count)
        lengths.append(best.lasts())
        widest = gap(table[:count], 5, 6, best.weights)
        np.testing.assert_allclose(
            gap(table[: lengths[-1]], 5, 6, best.weights), widest, atol=1e-10
        )
        count = lengths[-1] + 1
        if count <= 400:
            assert gap(table[:count], 5, 6, best.weights) < widest - 1e-12
    assert lengths[0] < lengths[-1] == 400


def test_signs_help_where_a_general_solver_says_so() -> None:
    helped = []
    for inner in (2, 4, 9, 20):
        table = cosines(16, 10000.0, 60)
        best = Best(table, inner, inner + 1, signed=False)
        assert best.grow(60)
        plain, either = (
            gap(
                table,
                inner,
                inner + 1,
                solve(table, inner, inner + 1, signed=s, ripple=None).weights,
            )
            for s in (False, True)
        )
        helped.append(either > plain + 1e-9)
        assert best.signs_help() or not helped[-1]
    assert any(helped)
