"""Scores on tokens against their formulas on an explicit matrix of weights."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from regard.models.forward import Pass
from regard.models.scores.activations import activation_scores, period_of


def _layer(weights: np.ndarray) -> Pass:
    """Return a pass whose weights are exactly these, (heads, n, n): queries are unit vectors."""
    n = weights.shape[-1]
    with np.errstate(divide="ignore"):
        scores = np.log(weights)
    keys = np.where(np.isfinite(scores), scores, -1e4).swapaxes(-1, -2)
    query = np.broadcast_to(np.eye(n), (len(weights), n, n))
    return Pass(0, np.zeros((n, n)), query, keys, None, 1.0, np.zeros((n, n)))


def _pattern(n: int) -> np.ndarray:
    """Row i, j ≤ i, in proportion to ((3i + 2j) mod 5) + 1."""
    i, j = np.indices((n, n))
    raw = np.where(j <= i, (3 * i + 2 * j) % 5 + 1.0, 0)
    return raw / raw.sum(axis=1, keepdims=True)


def test_two_copies_of_three_tokens_give_the_fractions_worked_out_by_hand() -> None:
    found = activation_scores(_layer(_pattern(6)[None]), np.array([7, 8, 9, 7, 8, 9]), causal=True)
    for name, wanted in {
        "previous_token": Fraction(311, 700),
        "duplicate_token": Fraction(17, 48),
        "prefix_matching": Fraction(17, 120),
        "induction": Fraction(199, 1120),
        "sink": Fraction(929, 2016),
    }.items():
        assert getattr(found, name)[0] == pytest.approx(float(wanted), rel=1e-12), name
    # The row whose earlier occurrence is at 0 has no key before it, and counts as 0: two of three.
    assert found.before_duplicate[0] == pytest.approx(31 / 160 * 2 / 3, rel=1e-12)


def test_with_three_copies_all_earlier_occurrences_count() -> None:
    found = activation_scores(_layer(_pattern(9)[None]), np.array([1, 2, 3] * 3), causal=True)
    assert found.prefix_matching[0] == pytest.approx(3257 / 23760, rel=1e-12)
    assert found.duplicate_token[0] == pytest.approx(5953 / 15840, rel=1e-12)
    assert found.before_duplicate[0] == pytest.approx(22571 / 142560, rel=1e-12)


@pytest.mark.parametrize("causal", [True, False])
def test_scores_are_their_formulas_on_drawn_patterns_and_tokens(causal: bool) -> None:
    rng = np.random.default_rng(5)
    n, heads = 307, 3  # more than one block of rows
    raw = rng.exponential(size=(heads, n, n)) ** 3
    raw = np.where(np.tri(n), raw, 0) if causal else raw
    A = raw / raw.sum(axis=-1, keepdims=True)
    x = rng.integers(0, 90, n)
    found = activation_scores(_layer(A), x, causal)
    wanted = {1: np.zeros(heads), 0: np.zeros(heads), -1: np.zeros(heads)}
    rows = [i for i in range(n) if x[i] in x[:i]]
    for o, total in wanted.items():
        for i in rows:
            for j in range(i + 1):
                if 0 <= j - o < i and x[j - o] == x[i]:
                    total += A[:, i, j]
    np.testing.assert_allclose(found.prefix_matching, wanted[1] / len(rows), rtol=1e-9)
    np.testing.assert_allclose(found.duplicate_token, wanted[0] / len(rows), rtol=1e-9)
    np.testing.assert_allclose(found.before_duplicate, wanted[-1] / len(rows), rtol=1e-9)
    np.testing.assert_allclose(
        found.previous_token, np.mean([A[:, i, i - 1] for i in range(1, n)], axis=0), rtol=1e-9
    )
    np.testing.assert_allclose(found.sink, A[:, :, 0].mean(axis=1), rtol=1e-9)
    entropy = -np.sum(A * np.log(np.where(A > 0, A, 1)), axis=-1).mean(axis=1)
    np.testing.assert_allclose(found.entropy, entropy, rtol=1e-9)
    assert found.induction is None  # these tokens have no period
    np.testing.assert_allclose(found.corner, A[:, :48, :48], atol=1e-6)
    for i, T in enumerate(found.shifts):
        np.testing.assert_allclose(
            found.by_shift[:, i], np.diagonal(A, -T, axis1=1, axis2=2).mean(axis=1), rtol=1e-9
        )


def test_a_sequence_has_a_period_if_it_repeats_at_least_once_over() -> None:
    assert period_of(np.array([4, 5, 6, 4, 5, 6])) == 3
    assert period_of(np.array([4, 5, 6, 4, 5, 6, 4])) == 3
    assert period_of(np.array([4, 5, 6, 4, 5])) is None
    assert period_of(np.array([4, 4])) == 1


def test_rows_that_share_one_column_are_counted_without_the_row_that_sees_one_key() -> None:
    A = np.zeros((1, 5, 5))
    A[0, :, 0] = 1
    A[0, 4] = [0.1, 0, 0, 0.9, 0]
    found = activation_scores(_layer(A), np.arange(5), causal=True)
    assert found.sink_share[0] == pytest.approx(3 / 4)
    assert found.sink_column[0] == 0
    assert found.sink_mass[0] == pytest.approx(3 / 4)
    assert found.sink[0] == pytest.approx((4 + 0.1) / 5)
