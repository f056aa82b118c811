"""Right answers rewritten stay right, and answers beyond the tolerance lose it.

What a rewriting comes to is computed here, in NumPy; nothing of a judge is used for it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from regard.checking import check

WRITTEN = (
    "{0}",
    "1 ({0})",
    "({0}) + 0 ({0})",
    "-(-({0}))",
    "2 ({0}) - ({0})",
    "({0})/2 + ({0})/2",
    "3/2 ({0}) - 0.5 ({0})",
)
SEEDS = [pytest.param(s, marks=[pytest.mark.slow] if s >= 2 else []) for s in range(25)]


def rewritten(text: str, rng: np.random.Generator) -> str:
    for way in rng.integers(len(WRITTEN), size=2):
        text = WRITTEN[way].format(text)
    return text


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_of_two_keys_that_differ_by_more_than_is_allowed_are_wrong(seed):
    rng = np.random.default_rng([1, seed])
    # Weights 1/(1 + e^±δ) are within 0.001 of 1/2 up to δ = 2 artanh 0.002.
    edge = 2 * math.atanh(2e-3)
    delta = edge * float(rng.choice([0.2, 0.9, 1.1, 3.0]))
    q = rewritten(f"C (k_a + k_b) + {delta:.6f} k_a", rng)
    assert (check("average-two-values", {"q": q}).score == 1) == (delta < edge), q


@pytest.mark.parametrize("seed", SEEDS)
def test_two_bounds_on_scores_are_right_if_they_are_far_enough_apart(seed):
    rng = np.random.default_rng([2, seed])
    needed = math.log(9 * (1 - 1e-6) / 1e-6)
    low = float(np.round(rng.uniform(-30, 30), 1))
    gap = needed + float(rng.choice([-3.0, -0.3, -0.06, 0.06, 0.3, 3.0]))
    high = float(np.round(low + gap, 1))
    text = f"s_i <= {low} and s_j >= {high}"
    if abs(high - low - needed) > 0.02:  # one decimal is read as two
        right = high - low > needed
        assert (check("copy-a-value", {"condition": text}).score == 1) == right, text


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_that_agree_on_both_subspaces_are_right(seed):
    rng = np.random.default_rng([3, seed])
    free = "(I - S pinv(S) - T pinv(T))"
    times = int(rng.integers(-5, 6))
    leak = float(rng.choice([0.0, 1e-3]))
    M = rewritten(f"2 S pinv(S) + {times} {free}", rng) + f" + {leak} T pinv(T)"
    verdict = check("take-a-value-out-of-an-average", {"M": M, "side": "c M"})
    assert (verdict.score == 1) == (leak == 0), M


@pytest.mark.parametrize("seed", SEEDS)
def test_formulas_of_moments_in_other_words(seed):
    rng = np.random.default_rng([4, seed])
    off = float(rng.choice([1.0, 1.02, 0.98]))
    mean = rewritten("D_k mu^2" if off == 1 else f"{off} D_k mu^2", rng)
    assert (check("dot-product-mean", {"mean": mean}).score == 1) == (off == 1), mean
