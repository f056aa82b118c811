"""T, B and what goes with them, off patterns whose answers are plain."""

from __future__ import annotations

import numpy as np
import pytest

from regard.models.scores.kernel import read_kernel


def _logs(f: object, n: int, causal: bool = False) -> np.ndarray:
    """Log weights of scores f(t − τ)."""
    t = np.arange(n)
    shift = t[:, None] - t[None]
    scores = np.vectorize(f)(shift).astype(float)  # type: ignore[call-overload]
    scores = np.where(shift < 0, -np.inf, scores) if causal else scores
    scores -= scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("T", "causal"), [(1, False), (-2, False), (5, False), (0, True), (7, True)]
)
def test_a_peak_at_one_shift_is_found_with_the_mass_of_its_odds(T: int, causal: bool) -> None:
    n = 37
    found = read_kernel(_logs(lambda s: np.log(9.0) * (s == T), n, causal), causal)
    assert (found.T, found.B, found.rows_at_T) == (T, 0, 1.0)
    rows = range(max(T, 0), min(n, n + T))
    wanted = np.mean([9 / (9 + (t if causal else n - 1)) for t in rows])
    assert found.mean_weight == pytest.approx(wanted, rel=1e-12)
    assert not found.at_edge


def test_mass_is_the_share_of_one_shift_in_the_kernel() -> None:
    n, weight = 40, {-1: 2.0, 0: 7.0, 3: 4.0}
    logs = np.full((n, n), -50.0)
    for t in range(n):
        for shift, w in weight.items():
            if 0 <= t - shift < n:
                logs[t, t - shift] = np.log(w)
    found = read_kernel(logs, False)
    assert found.T == 0
    assert found.mass == pytest.approx(7 / 13, rel=1e-12)


@pytest.mark.parametrize("B", [2, 4, 6])
def test_a_window_of_nearly_equal_weights_has_its_width(B: int) -> None:
    found = read_kernel(_logs(lambda s: 3.0 * (abs(s - 4) <= B / 2) + 0.3 * (s == 4), 41), False)
    assert (found.T, found.B) == (4, B)


def test_a_kernel_that_still_rises_where_the_window_ends_is_flagged() -> None:
    found = read_kernel(_logs(lambda s: 0.1 * s, 40, True), True)
    assert found.T == 30
    assert found.at_edge


def test_what_shifts_explain_of_a_sink_is_little_and_of_a_kernel_nearly_all() -> None:
    sink = np.log(np.where(np.arange(40) == 0, 0.61, 0.01))[None].repeat(40, axis=0)
    assert read_kernel(sink, False).toeplitz_share < 0.15
    assert read_kernel(_logs(lambda s: -0.3 * abs(s - 2), 40), False).toeplitz_share > 0.9


def test_even_weights_are_read_as_no_shift_that_is_wide() -> None:
    found = read_kernel(np.full((40, 40), -np.log(40)), False)
    assert (found.T, found.B) == (0, 60)
    assert found.mean_weight == pytest.approx(1 / 40)
    assert found.mass == pytest.approx(1 / 61)  # shifts −30 to 30 are looked at
