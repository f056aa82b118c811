"""Entropy and effective support: golden values, many digits, and the scale that gives one."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard.analysis.sharpness import entropy, scale_for_support

FEW = settings(deadline=None, derandomize=True, max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)
KINDS = ["entropy", "inverse_participation"]


def in_digits(scores: Any, scale: float) -> tuple[Any, Any, Any]:
    """Entropy, 1 / Σ w² and dH/dscale in 400 digits, from their definitions."""
    with mpmath.workdps(400):
        scaled = [mpmath.mpf(float(s)) * mpmath.mpf(scale) for s in scores]
        powers = [mpmath.exp(s - max(scaled)) for s in scaled]
        weights = [p / mpmath.fsum(powers) for p in powers]
        H = -mpmath.fsum(w * mpmath.log(w) for w in weights if w > 0)
        mean = mpmath.fsum(w * float(s) for w, s in zip(weights, scores, strict=True))
        variance = mpmath.fsum(
            w * (float(s) - mean) ** 2 for w, s in zip(weights, scores, strict=True)
        )
        return H, 1 / mpmath.fsum(w**2 for w in weights), -mpmath.mpf(scale) * variance


def support(scores: Any, scale: Any, kind: str) -> Any:
    found = entropy(scores, scale=scale)
    return found.effective_support if kind == "entropy" else found.inverse_participation


def test_the_entropy_of_the_golden_scores() -> None:
    found = entropy([2, 1, 0, -1], scale=1.5)  # G50
    np.testing.assert_allclose(
        found.weights,
        [0.7788002927724683, 0.17377383404996488, 0.038774183421175334, 0.008651689756391445],
        rtol=1e-14,
    )
    np.testing.assert_allclose(found.entropy, 0.6659165347987294, rtol=1e-14)
    np.testing.assert_allclose(found.effective_support, 1.9462735315360664, rtol=1e-14)
    np.testing.assert_allclose(found.inverse_participation, 1.5666478704667492, rtol=1e-14)
    np.testing.assert_allclose(found.slope, -0.49477963649097206, rtol=1e-14)


def test_gaps_bound_what_is_not_on_the_top_key() -> None:
    found = entropy([5, 1, 0, -2])  # G55
    leak = np.sum(found.weights[1:])
    np.testing.assert_allclose(leak, 0.02530832534520062, rtol=1e-13)
    assert 0.01798620996209156 < leak < 0.0520850061724844
    np.testing.assert_allclose(
        [entropy([0.1, 0.001]).weights[0], entropy([1000, 990]).weights[0]],
        [0.524729805230163, 0.9999546021312976],
        rtol=1e-12,
    )


@FEW
@given(SEEDS, st.sampled_from([1, 2, 3, 13]), st.floats(-20, 20), st.sampled_from([0.01, 1, 100]))
def test_every_number_agrees_with_its_definition_in_many_digits(
    seed: int, n: int, scale: float, size: float
) -> None:
    scores = size * np.random.default_rng(seed).standard_normal(n)
    found = entropy(scores, scale=scale)
    H, participation, slope = in_digits(scores, scale)
    # The exponents are rounded to 2^-53 of the scores, and weights are as good as they are.
    close = {"rtol": 1e-12 + 1e-15 * size * abs(scale)}
    np.testing.assert_allclose(found.entropy, float(H), **close, atol=1e-300)
    np.testing.assert_allclose(found.effective_support, float(mpmath.exp(H)), **close)
    np.testing.assert_allclose(found.inverse_participation, float(participation), **close)
    np.testing.assert_allclose(found.slope, float(slope), **close, atol=1e-300)


@FEW
@given(SEEDS, st.sampled_from([1, 2, 7]), st.floats(0, 30))
def test_support_lies_between_one_and_all_and_only_falls(seed: int, n: int, scale: float) -> None:
    scores = np.random.default_rng(seed).standard_normal(n)
    found = entropy(scores, scale=scale)
    assert found.inverse_participation >= 1 - 1e-14
    assert found.inverse_participation <= found.effective_support * (1 + 1e-14)
    assert found.effective_support <= n * (1 + 1e-14)
    assert found.slope <= 0
    later = entropy(scores, scale=scale + 0.1)
    assert later.entropy <= found.entropy * (1 + 1e-14)
    shifted = entropy(scores + 64.0, scale=scale)
    np.testing.assert_allclose(shifted.entropy, found.entropy, rtol=1e-10, atol=1e-12)


def test_equal_scores_have_the_entropy_of_their_number() -> None:
    for scale in (-3.0, 0.0, 1e300):
        found = entropy(np.full((2, 7), 3.0), scale=scale)
        np.testing.assert_allclose(found.entropy, np.full(2, math.log(7)), rtol=1e-15)
        np.testing.assert_array_equal(found.slope, np.zeros(2))


def test_a_small_entropy_keeps_its_precision() -> None:
    p = math.exp(-600)
    found = entropy([0.0, -600.0])
    np.testing.assert_allclose(found.entropy, 601 * p, rtol=1e-13)
    np.testing.assert_allclose(found.slope, -(600.0**2) * p, rtol=1e-13)


def test_keys_that_are_masked_do_not_count() -> None:
    scores = np.array([[2.0, -np.inf, 1.0, 0.0, -1.0], [2.0, 1.0, 0.0, -1.0, -np.inf]])
    found = entropy(scores, scale=1.5)
    np.testing.assert_allclose(found.entropy, np.full(2, 0.6659165347987294), rtol=1e-14)
    np.testing.assert_array_equal(found.weights[[0, 1], [1, 4]], [0, 0])
    np.testing.assert_allclose(entropy(scores, scale=0.0).effective_support, [4, 4], rtol=1e-14)
    downward = entropy(scores, scale=-1.5)
    np.testing.assert_allclose(downward.entropy, np.full(2, 0.6659165347987294), rtol=1e-14)
    wanted = scale_for_support(scores, 1.9462735315360664)
    np.testing.assert_allclose(wanted, [1.5, 1.5], rtol=1e-12)


def test_scores_far_below_the_others_are_harmless() -> None:
    found = entropy([0.0, -1e300, 0.0], scale=2.0)
    np.testing.assert_allclose(found.entropy, math.log(2), rtol=1e-15)
    assert found.slope == 0


def test_the_top_key_is_found_where_scaled_scores_would_overflow() -> None:
    found = entropy([1e300, 1e300 + 1.5e284], scale=1e10)
    np.testing.assert_array_equal(found.weights, [0, 1])
    assert found.entropy == 0


def test_a_batch_gives_what_each_row_gives() -> None:
    rng = np.random.default_rng(3)
    scores, scale = rng.standard_normal((5, 1, 7)), rng.standard_normal((5, 3))
    found = entropy(scores, scale=scale)
    for i in range(5):
        for j in range(3):
            one = entropy(scores[i, 0], scale=scale[i, j])
            for name in ("weights", "entropy", "inverse_participation", "slope"):
                np.testing.assert_array_equal(getattr(found, name)[i, j], getattr(one, name))


def test_the_scale_for_the_golden_support() -> None:
    scores = [2, 1, 0, -1]  # G50
    np.testing.assert_allclose(scale_for_support(scores, 1.9462735315360664), 1.5, rtol=1e-13)
    np.testing.assert_allclose(
        scale_for_support(scores, 1.5666478704667492, kind="inverse_participation"),
        1.5,
        rtol=1e-13,
    )


@pytest.mark.parametrize("p", [1e-9, 1e-3, 0.2, 0.4, 0.49])
def test_the_scale_for_two_keys_is_the_logit(p: float) -> None:
    # Near even weights the support hardly depends on the scale, and loses half its digits.
    rtol = 1e-13 / (0.5 - p) ** 2
    H = -p * math.log(p) - (1 - p) * math.log1p(-p)
    gap = math.log((1 - p) / p)
    scale = scale_for_support([-1.0, 2.0], math.exp(H))
    np.testing.assert_allclose(scale, gap / 3, rtol=max(rtol, 1e-16 / p))
    scale = scale_for_support([-1.0, 2.0], 1 / (p * p + (1 - p) ** 2), kind="inverse_participation")
    np.testing.assert_allclose(scale, gap / 3, rtol=max(rtol, 1e-16 / p))


@FEW
@given(
    SEEDS,
    st.sampled_from([2, 3, 7, 31]),
    st.integers(1, 3),
    st.sampled_from(KINDS),
    st.sampled_from([1e-9, 1e-3, 0.3, 0.9, 1 - 1e-6]),
    st.sampled_from([1e-250, 1e-3, 1.0, 1e200]),
)
def test_the_scale_gives_the_support_that_was_asked_for(
    seed: int, n: int, tied: int, kind: str, share: float, unit: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = unit * rng.standard_normal((5, n))
    tied = min(tied, n - 1)
    scores[:, :tied] = np.max(scores, axis=1, keepdims=True) + unit
    wanted = tied + share * (n - tied)
    scale = scale_for_support(scores, wanted, kind=kind)
    assert np.all(scale > 0)
    np.testing.assert_allclose(support(scores, scale, kind), np.full(5, wanted), rtol=1e-12)
    np.testing.assert_array_equal(scale, [scale_for_support(s, wanted, kind=kind) for s in scores])


@pytest.mark.parametrize("kind", KINDS)
def test_the_scale_agrees_with_a_root_in_many_digits(kind: str) -> None:
    scores = np.array([0.0, -1.0, -1.25, -7.0])
    for wanted in (1 + 2.0**-40, 1.0625, 2.5, 3.9990234375):
        found = scale_for_support(scores, wanted, kind=kind)

        def excess(c: Any, wanted: float = wanted) -> Any:
            H, participation, _ = in_digits(scores, c)
            return (mpmath.exp(H) if kind == "entropy" else participation) - wanted

        with mpmath.workdps(50):
            root = mpmath.findroot(excess, (0.9 * found, 1.1 * found), solver="anderson")
        np.testing.assert_allclose(found, float(root), rtol=1e-11)


def test_nearly_tied_scores_are_told_apart() -> None:
    scores = np.array([1.0, 1.0 - 2.0**-52, 0.0])
    scale = scale_for_support(scores, 1.5)
    assert scale > 1e15
    np.testing.assert_allclose(support(scores, scale, "entropy"), 1.5, rtol=1e-12)


def test_a_whole_batch_of_supports_is_one_call() -> None:
    scores = np.random.default_rng(5).standard_normal((3, 1, 11))
    wanted = np.linspace(1.5, 11.0, 7)
    scale = scale_for_support(scores, wanted)
    assert scale.shape == (3, 7)
    np.testing.assert_allclose(
        support(scores, scale, "entropy"), np.broadcast_to(wanted, (3, 7)), rtol=1e-12
    )
    np.testing.assert_array_equal(scale[:, -1], np.zeros(3))
    assert np.all(np.diff(scale, axis=1) < 0)


def test_all_keys_need_no_scale() -> None:
    assert scale_for_support([3.0, 3.0, 3.0], 3) == 0
    assert scale_for_support([1.0, 2.0, -np.inf], 2) == 0
    assert scale_for_support([1.0], 1) == 0


@pytest.mark.parametrize(
    ("scores", "wanted", "words"),
    [
        (
            [1, 2, 3],
            3.5,
            "support must be between 1 and the number of keys, 3. Got 3.5.",
        ),
        ([1, 2, 3], 0.5, "support must be between 1 and the number of keys, 3. Got 0.5."),
        (
            [1, 2, -np.inf],
            2.5,
            "support must be between 1 and the number of keys, 2. Got 2.5.",
        ),
        (
            [1, 2, 3],
            1,
            "support must be above 1, the number of keys that share the highest of scores: it "
            "falls towards that as the scale grows, and never below. Got 1.",
        ),
        (
            [[1, 2, 3], [3, 3, 1]],
            1.5,
            "support must be above 2, the number of keys that share the highest of scores[1]: it "
            "falls towards that as the scale grows, and never below. Got 1.5.",
        ),
        (
            [[1, np.nan, 3], [3, 3, 1]],
            1.5,
            "scores must be finite, or −inf for a key that is not attended to. "
            "Got nan in scores[0, 1].",
        ),
        ([[0, 1], [-np.inf] * 2], 1.5, "scores[1] has nothing to attend to: all −inf."),
        (
            np.zeros((5, 2)),
            np.ones(3),
            "support must be one number, or one per row of scores: shape (5,). Got support (3,).",
        ),
        ([0.0, 1e-320], 1.5, "the scale is too large for float64. Pass scores in larger units."),
    ],
)
def test_a_support_that_no_scale_gives_is_refused(scores: Any, wanted: Any, words: str) -> None:
    with pytest.raises((regard.ShapeError, regard.ParameterError)) as caught:
        scale_for_support(scores, wanted)
    assert str(caught.value) == f"scale_for_support: {words}"


def test_other_arguments_that_cannot_be_used_are_named() -> None:
    for call, words in (
        (
            lambda: scale_for_support([1, 2], 1.5, kind="perplexity"),
            "scale_for_support: kind must be one of 'entropy', 'inverse_participation'. "
            "Got 'perplexity'.",
        ),
        (
            lambda: entropy(3.0),
            "entropy: scores need at least one key, (..., n). Got scores ().",
        ),
        (
            lambda: entropy([1e300, -1e300], scale=1e10),
            "entropy: scale · scores is too large for float64. Pass a smaller scale.",
        ),
    ):
        with pytest.raises((regard.ShapeError, regard.ParameterError)) as caught:
            call()  # type: ignore[no-untyped-call]
        assert str(caught.value) == words


def test_the_entropy_prints_as_a_summary() -> None:
    found = entropy([2, 1, 0, -1], scale=1.5)
    assert str(found) == (
        "Sharpness of the weights\n"
        "========================\n"
        "\n"
        "keys                   4\n"
        "entropy                0.665917\n"
        "effective support      1.94627\n"
        "inverse participation  1.56665\n"
        "slope in the scale     -0.49478"
    )
    assert ">1.946</td>" in found._repr_html_()
    assert "batch                  (2,)" in str(entropy([[1, 2], [3, 5]]))
