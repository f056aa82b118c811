"""Heads that look T ± B/2 steps back: blocks zeroed, or the best weights."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import regard
from design.rounding import rounded_up
from regard.certify import Certificate, verify
from regard.core import reference
from regard.design.positions.band import band
from regard.design.positions.result import PositionalDesign

Array = NDArray[np.float64]

GRID = [
    (d_model, T, B, n)
    for d_model in (6, 16, 34)
    for T in (0, 5, -3, 22)
    for B in (0.0, 2.0, 5.0, 8.0)
    for n in (23, 41)
]


def gap_of(design: PositionalDesign, transition: int = 0, base: float = 10000.0) -> float:
    """The gap from the scores of all pairs of positions, whose tables come from NumPy."""
    d_model, n = len(design.A), design.n
    angles = np.arange(n)[:, None] * base ** (-np.arange(d_model // 2) / (d_model // 2))
    E = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)
    scores = E @ design.A @ E.T  # keys are rows
    away = np.abs(np.arange(n) - np.arange(n)[:, None] - design.T)
    inside, outside = away <= design.B / 2, away > design.B / 2 + transition
    return float(np.min(scores[inside]) - np.max(scores[outside]))


def proved(design: PositionalDesign) -> dict[str, float]:
    result = verify(design.certificate)
    assert result.holds, str(result)
    return {claim.kind: claim.fields["bound"] for claim in design.certificate.claims}


@pytest.mark.parametrize(("d_model", "T", "B", "n"), GRID)
def test_the_best_weights_beat_zeroing_and_are_proved_to_be_the_best(
    d_model: int, T: int, B: float, n: int
) -> None:
    zero = band(T, B, d_model, n=n)
    best = band(T, B, d_model, n=n, method="optimal")
    signed = band(T, B, d_model, n=n, method="optimal", signed=True)
    assert zero.gap < best.gap <= signed.gap + 1e-12
    for design in (zero, best, signed):
        np.testing.assert_allclose(design.gap, gap_of(design), rtol=0, atol=1e-13)
        np.testing.assert_allclose(np.sum(np.hypot(design.kernel.a, design.kernel.b)), 1)
        np.testing.assert_array_equal(design.W_K @ design.W_Q.T, design.A)
        assert design.W_Q.shape == (d_model, 2 * len(design.kept))
        assert (design.missed is None) == (design.gap > 0)
        bounds = proved(design)
        assert bounds["band_gap"] == design.gap
        assert 0 <= bounds.get("band_optimal", design.gap) - design.gap <= 1e-9


@pytest.mark.parametrize(
    ("phase", "first", "edge"),
    [
        (math.pi / 4, 7, 0.9801600371304349),
        (math.pi / 3, 6, 0.9666954320292219),
        (math.pi / 2, 5, 0.9448052528724049),
        (math.pi, 2, 0.8013723398928769),
    ],
)
def test_the_blocks_zeroed_are_those_of_the_theory(phase: float, first: int, edge: float) -> None:
    """G36: d_model = 64, B = 10."""
    design = band(4, 10, 64, n=97, phase=phase)
    assert design.kept == tuple(range(first, 32))
    assert not design.A[: 2 * first].any()
    assert not design.A[:, : 2 * first].any()
    f = design.kernel([4, 9, -1])
    np.testing.assert_allclose(f[1:] / f[0], edge, rtol=1e-9)
    sizes = np.hypot(design.kernel.a, design.kernel.b)[first:]
    np.testing.assert_allclose(sizes, 1 / (32 - first), rtol=1e-14)


def test_gaps_and_weights_are_those_of_the_theory() -> None:
    """G37 and G57: d_model = 16, B = 8, shifts up to 40."""
    assert f"{band(0, 8, 16, n=41).gap:.4f}" == "0.0514"
    best = band(0, 8, 16, n=41, method="optimal")
    assert f"{best.gap:.4f}" == "0.1915"
    assert len(best.kept) == 2
    signed = band(0, 8, 16, n=41, method="optimal", signed=True)
    np.testing.assert_allclose(signed.gap, 0.3188921041146767, rtol=1e-8)
    assert signed.kept == (0, 1, 2)
    weights = [-0.18841693674279858, 0.3992571545781831, 0.4123259086790183]
    np.testing.assert_allclose(signed.kernel.a[:3], weights, rtol=1e-8)
    np.testing.assert_array_equal(signed.kernel.b, np.zeros(8))
    witness = signed.certificate.claims[1].witness
    assert sorted(witness["inside"]["shifts"]) == [0, 4]
    assert sorted(witness["outside"]["shifts"]) == [5, 16]


def test_a_ripple_and_a_transition_are_kept() -> None:
    """The theory's 0.551 for d_model = 64, B = 10, ripple 0.02, transition 2."""
    design = band(0, 10, 64, n=100, method="optimal", signed=True, ripple=0.02, transition=2)
    assert f"{design.gap:.3f}" == "0.551"
    inside = design.kernel(np.arange(-5, 6))
    assert np.max(inside) - np.min(inside) <= 0.02
    np.testing.assert_allclose(design.gap, gap_of(design, 2), atol=1e-12)
    assert 0 <= proved(design)["band_optimal"] - design.gap <= 1e-9
    small = band(3, 6, 8, n=29, method="optimal", ripple=1e-6)
    assert np.sum(np.hypot(small.kernel.a, small.kernel.b)) < 0.5
    assert 0 <= proved(small)["band_optimal"] - small.gap <= 1e-9
    proved(band(0, 1, 8, n=29, method="optimal", ripple=0))


def test_a_ripple_that_rounding_cannot_hold_is_not_called_impossible() -> None:
    asked = {"method": "optimal", "signed": True, "transition": 2.5}
    with pytest.raises(regard.ParameterError, match=r"ripple must be larger.* Got ripple = 0\."):
        band(-5, 5, 16, n=34, ripple=0, **asked)
    fine = band(-5, 5, 16, n=34, ripple=1e-7, **asked)
    assert fine.how == "the largest gap, proved"
    assert proved(fine)["band_optimal"] - fine.gap <= 1e-7
    coarse = band(-5, 5, 16, n=34, ripple=1e-12, **asked)
    short = proved(coarse)["band_optimal"] - coarse.gap
    assert short > 1e-5
    assert coarse.how == f"within {rounded_up(short)} of the largest gap, proved"


def test_zeroing_the_slow_blocks_is_caught() -> None:
    for T, n in [(0, 67), (6, 53)]:
        design = band(T, 10, 64, n=n)
        slow_zeroed = np.zeros((64, 64))
        for i in range(5):  # the blocks that should have been zeroed, and they alone
            angle = T * 10000.0 ** (-i / 32)
            c, s = math.cos(angle) / 5, math.sin(angle) / 5
            slow_zeroed[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
        data = design.certificate.to_dict()
        data["claims"][0]["witness"]["A"] = slow_zeroed.tolist()
        (result,) = verify(data).claims
        assert result.status == "fails"
        data["claims"][0]["bound"] = 0.0  # it does not lift the window at all
        assert verify(data).claims[0].status == "fails"


def test_the_transpose_is_caught() -> None:
    for method in ("zero", "optimal"):
        design = band(7, 4, 16, n=31, method=method)
        data = design.certificate.to_dict()
        data["claims"][0]["witness"]["A"] = design.A.T.tolist()
        assert verify(data).claims[0].status == "fails"


def test_where_zeroing_misses_the_shift_is_named() -> None:
    """d_model = 2 keeps ω = 1 for B = 2, and cos 6 = 0.96 is above cos 1 = 0.54."""
    design = band(0, 2, 2, n=10)
    np.testing.assert_allclose(design.gap, math.cos(1) - math.cos(6), atol=1e-14)
    assert abs(design.missed or 0) == 6
    assert "It misses its goal: shift 6" in str(design)
    proved(design)
    back = band(5, 2, 2, n=10)
    assert back.missed == -1  # 11 is as far from 5, but out of range
    assert band(0, 2, 16, n=10).missed is None
    assert "misses" not in str(band(0, 2, 16, n=10))


def test_a_window_that_no_weights_lift_is_refused_with_a_proof() -> None:
    for signed in (False, True):
        with pytest.raises(regard.InfeasibleDesign) as caught:
            band(0, 4, 2, n=10, method="optimal", signed=signed)
        proof, best = caught.value.certificate, caught.value.best
        assert verify(proof).holds
        assert verify(best.certificate).holds
        assert [claim.kind for claim in proof.claims] == ["band_optimal"]
        assert 0 <= proof.claims[0].fields["bound"] < 1e-12
        np.testing.assert_allclose(best.gap, math.cos(2) - math.cos(6), atol=1e-14)
        assert best.missed == 6
    with pytest.raises(regard.InfeasibleDesign, match="all within 0 above all other shifts"):
        band(0, 6, 8, n=30, method="optimal", ripple=0)


def test_scores_depend_on_the_shift_alone_and_are_the_kernel() -> None:
    design = band(-4, 6, 10, n=19, method="optimal", signed=True)
    E = regard.sinusoidal(19, 10)
    scores = E @ design.A @ E.T
    shifts = np.arange(19) - np.arange(19)[:, None]
    np.testing.assert_allclose(scores, design.kernel(shifts), atol=1e-14)


def test_the_head_and_the_fast_path_agree_with_the_reference() -> None:
    design = band(3, 4, 10, n=31, scale=60.0)
    values = np.random.default_rng(1).standard_normal((31, 7))
    E = regard.sinusoidal(31, 10)
    wanted = reference.attention(E @ design.W_Q, E @ design.W_K, values, scale=60.0)
    top = np.argmax(wanted.weights, axis=1)
    np.testing.assert_array_equal(top[3:], np.arange(28))
    np.testing.assert_allclose(design.apply(values), wanted.output, atol=1e-8)
    out = design.head()(np.zeros((31, 10)), positions=E)
    np.testing.assert_allclose(out, wanted.weights @ E, atol=1e-12)


def test_a_larger_case_is_solved_and_proved() -> None:
    design = band(100, 30, 128, n=2003, method="optimal", signed=True)
    assert 0 <= proved(design)["band_optimal"] - design.gap <= 1e-9
    assert design.gap > 10 * band(100, 30, 128, n=2003).gap > 0


def test_a_certificate_survives_json() -> None:
    for options in ({}, {"method": "optimal"}, {"method": "optimal", "ripple": 0.1}):
        design = band(2, 4, 8, n=13, **options)  # type: ignore[arg-type]
        data = json.loads(json.dumps(design.certificate.to_dict()))
        assert verify(Certificate.from_dict(data)).holds


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"T": 7, "n": 7},
            "T must satisfy |T| < n: among n = 7 positions none is 7 steps from another. "
            "Got T = 7.",
        ),
        (
            {"d_model": 7},
            "d_model must be even, because sines and cosines come in pairs. Got 7. Try 8.",
        ),
        ({"B": -1}, "B must be at least 0. Got -1."),
        ({"transition": -2}, "transition must be at least 0. Got -2."),
        ({"method": "best"}, "method must be one of 'zero', 'optimal'. Got 'best'."),
        ({"signed": True}, "signed needs method='optimal': zeroing leaves nothing to choose."),
        ({"ripple": 0.1}, "ripple needs method='optimal': zeroing leaves nothing to choose."),
        (
            {"B": 40},
            "B and transition must leave shifts outside: |t − τ| < n = 19, and T ± (B/2 + "
            "transition) covers all of them. Take a larger n, or less of these. Got T = 1, B = 40, "
            "transition = 0.",
        ),
        (
            {"d_model": 2, "B": 4},
            "no block is slow enough: within B/2 the slowest turns by 2, more than phase = 1.5708. "
            "Take a larger phase or base, or method='optimal'.",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_name(
    arguments: dict[str, float], message: str
) -> None:
    given = {"T": 1, "B": 4, "d_model": 8, "n": 19, **arguments}
    with pytest.raises(regard.ParameterError) as caught:
        band(**given)  # type: ignore[arg-type]
    assert str(caught.value) == f"design.band: {message}"
