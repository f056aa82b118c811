"""Heads that look exactly T steps back."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import regard
from regard.certify import Certificate, verify
from regard.core import reference
from regard.design.positions.offset import offset
from regard.design.positions.result import Kernel, PositionalDesign

Array = NDArray[np.float64]

GRID = [
    (d_model, T, n, d_k)
    for d_model, n, d_k in [
        (2, 5, None),
        (4, 7, None),
        (6, 2, None),
        (8, 23, None),
        (8, 41, 3),
        (14, 29, 7),
        (16, 31, 2),
        (22, 19, 31),
    ]
    for T in (0, 1, -1, n // 2, 1 - n, n - 1)
]


def reference_weights(design: PositionalDesign, d_model: int, base: float = 10000.0) -> Array:
    """Weights (n, n) of the queries T..T+n-1 on the keys 0..n-1; the diagonal is wanted."""
    n = design.n
    queries = regard.sinusoidal(n, d_model, base, start=design.T) @ design.W_Q
    keys = regard.sinusoidal(n, d_model, base) @ design.W_K
    return reference.attention(queries, keys, np.zeros((n, 1)), scale=design.scale).weights


@pytest.mark.parametrize(("d_model", "T", "n", "d_k"), GRID)
def test_every_query_looks_t_steps_back_with_the_weight_that_is_proved(
    d_model: int, T: int, n: int, d_k: int | None
) -> None:
    design = offset(T, d_model, n=n, d_k=d_k, scale=0.5)
    weights = reference_weights(design, d_model)
    np.testing.assert_array_equal(np.argmax(weights, axis=1), np.arange(n))
    least = np.min(np.diagonal(weights))
    assert 0.99 <= design.mass <= least <= 0.99 + 1e-4
    result = verify(design.certificate)
    assert result.holds, str(result)
    assert [claim.kind for claim in result.claims] == ["offset_mass", "strongest_rival"]
    width = d_model if d_k is None else d_k
    assert design.W_Q.shape == design.W_K.shape == (d_model, width)
    np.testing.assert_array_equal(design.W_K @ design.W_Q.T, design.A)
    assert len(design.kept) == min(width, d_model) // 2


@pytest.mark.parametrize(("d_model", "T", "n", "d_k"), GRID)
def test_the_gap_is_that_of_the_rival_which_is_named(
    d_model: int, T: int, n: int, d_k: int | None
) -> None:
    design = offset(T, d_model, n=n, d_k=d_k)
    start = regard.sinusoidal(1, d_model)[0]
    others = [T + u for u in range(1 - n, n) if u]
    scores = {s: start @ design.A @ regard.sinusoidal(1, d_model, start=s)[0] for s in [T, *others]}
    gaps = [scores[T] - scores[s] for s in others]
    room = 1e-12 * abs(scores[T])
    np.testing.assert_allclose(design.gap, min(gaps), rtol=1e-9, atol=room)
    np.testing.assert_allclose(scores[T] - scores[design.rival], min(gaps), rtol=1e-9, atol=room)


def test_blocks_and_scores_are_those_of_the_theory() -> None:
    """G33: d_model = 8, T = 3, t = 20."""
    design = offset(3, 8, n=64)
    blocks = [
        [[-0.9899924966004454, -0.1411200080598672], [0.1411200080598672, -0.9899924966004454]],
        [[0.955336489125606, -0.2955202066613396], [0.2955202066613396, 0.955336489125606]],
        [[0.9995500337489875, -0.02999550020249566], [0.02999550020249566, 0.9995500337489875]],
        [[0.999995500003375, -0.002999995500002025], [0.002999995500002025, 0.999995500003375]],
    ]
    size = math.hypot(design.A[0, 0], design.A[1, 0])
    wanted = np.zeros((8, 8))
    for i, block in enumerate(blocks):
        wanted[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
    np.testing.assert_allclose(design.A / size, wanted, rtol=1e-12, atol=0)
    E = regard.sinusoidal(21, 8)
    scores = [E[20 - shift] @ design.A @ E[20] / size for shift in range(7)]
    golden = [1.964889526277523, 2.5637177479613436, 3.535255971562872, 4.0]
    np.testing.assert_allclose(scores, golden + golden[2::-1], rtol=1e-10)
    np.testing.assert_allclose(design.kernel(np.arange(7)) / size, scores, rtol=1e-10)


@pytest.mark.parametrize(
    ("d_model", "n", "shift", "gap"),
    [
        (8, 5, 1, 0.4647440284371276),
        (8, 5001, 63, 0.20820111743534034),
        (16, 5001, 1, 0.5148337565124999),
        (64, 5001, 1, 1.083168338380974),
        (512, 701, 1, 6.897902172637029),
        (2, 711, 710, 1.8173640789234052e-09),
    ],
)
def test_gap_and_rival_are_those_of_the_theory(
    d_model: int, n: int, shift: int, gap: float
) -> None:
    """G34."""
    T = 2
    design = offset(T, d_model, n=n)
    size = math.hypot(design.A[0, 0], design.A[1, 0])
    assert abs(design.rival - T) == shift
    np.testing.assert_allclose(design.gap / size, gap, rtol=1e-9)


def test_the_scale_is_that_of_the_theory() -> None:
    """G35: 4.882223496655555 for d_model = 64, n = 128, whose worst row is t = 74."""
    for scale in (1.0, 0.125):
        design = offset(10, 64, n=128, tolerance=0.01, scale=scale)
        size = math.hypot(design.A[0, 0], design.A[1, 0])
        np.testing.assert_allclose(size * scale, 4.882223496655555, rtol=1e-8)


@pytest.mark.parametrize("tolerance", [0.3, 1e-2, 1e-5, 1e-6, 1e-9])
def test_the_scale_is_the_smallest_that_serves(tolerance: float) -> None:
    design = offset(4, 12, n=37, tolerance=tolerance, d_k=8)
    assert verify(design.certificate).holds
    f = design.kernel(np.arange(4 - 36, 4 + 37))

    def leaks(factor: float) -> float:
        terms = np.exp(factor * (f - f[36]))
        rows = [np.sum(terms[c : c + 37]) - 1 for c in range(37)]
        return max(leak / (1 + leak) for leak in rows)

    assert leaks(1.0) <= tolerance < leaks(1 - 1e-6)
    np.testing.assert_allclose(1 - design.mass, tolerance, rtol=1e-6)


def test_the_transpose_looks_ahead_and_is_caught() -> None:
    design = offset(5, 16, n=43)
    E = regard.sinusoidal(43, 16)
    scores = E @ design.A.T @ E.T  # keys are rows
    np.testing.assert_array_equal(np.argmax(scores, axis=0)[:38], np.arange(5, 43))
    data = design.certificate.to_dict()
    for claim in data["claims"]:
        claim["witness"]["A"] = design.A.T.tolist()
    assert [result.status for result in verify(data).claims] == ["fails", "fails"]
    ahead = offset(-5, 16, n=43)
    np.testing.assert_allclose(ahead.A, design.A.T, rtol=1e-12)


def test_the_blocks_kept_have_the_largest_gap() -> None:
    for d_model, d_k, n in [(12, 4, 61), (10, 6, 400), (16, 2, 97), (18, 5, 131)]:
        design = offset(1, d_model, n=n, d_k=d_k)
        omega = 10000.0 ** (-np.arange(d_model // 2) / (d_model // 2))
        terms = 1 - np.cos(np.arange(1, n)[:, None] * omega)
        choices = itertools.combinations(range(d_model // 2), d_k // 2)
        gaps = {kept: float(np.min(np.sum(terms[:, kept], axis=1))) for kept in choices}
        np.testing.assert_allclose(gaps[design.kept], max(gaps.values()), rtol=1e-12)
        assert f"all {len(gaps)} choices" in str(design)


def test_among_many_choices_no_single_exchange_is_better() -> None:
    design = offset(0, 64, n=211, d_k=12)
    omega = 10000.0 ** (-np.arange(32) / 32)
    terms = 1 - np.cos(np.arange(1, 211)[:, None] * omega)
    gap = np.min(np.sum(terms[:, design.kept], axis=1))
    for out in design.kept:
        for new in set(range(32)) - set(design.kept):
            kept = [new if i == out else i for i in design.kept]
            assert np.min(np.sum(terms[:, kept], axis=1)) <= gap * (1 + 1e-9)


def test_the_bound_holds_for_positions_that_are_off() -> None:
    """The worst tables: every entry is moved against the wanted key as far as allowed."""
    T, n, d_model, eta = 3, 53, 2, 1e-12
    design = offset(T, d_model, n=n, tolerance=1e-6)
    t = 30
    e_t = regard.sinusoidal(1, d_model, start=t)[0]
    keys = regard.sinusoidal(n, d_model)
    keys[:] += eta * np.sign(design.A @ e_t)
    keys[t - T] -= 2 * eta * np.sign(design.A @ e_t)
    scores = keys @ design.A @ e_t
    leak = np.sum(np.exp(scores - scores[t - T])) - 1
    assert leak / (1 + leak) <= 1 - design.mass


@pytest.mark.parametrize("base", [1e-3, 1.0, 7.0, 1e12, 1e300])
def test_other_bases_serve(base: float) -> None:
    design = offset(2, 6, n=17, base=base)
    weights = reference_weights(design, 6, base)
    assert design.mass <= np.min(np.diagonal(weights))
    assert verify(design.certificate).holds


def test_a_single_position_attends_to_itself() -> None:
    design = offset(0, 6, n=1, d_k=2)
    assert (design.mass, design.gap, design.rival) == (1.0, math.inf, None)
    assert verify(design.certificate).holds
    np.testing.assert_array_equal(reference_weights(design, 6), [[1.0]])


def test_the_head_copies_the_position_t_steps_back() -> None:
    design = offset(4, 10, n=29, tolerance=1e-6, scale=2.0)
    E = regard.sinusoidal(29, 10)
    out = design.head()(np.zeros((29, 10)), positions=E)
    np.testing.assert_allclose(out[4:], E[:-4], atol=3e-6)


def test_apply_is_attention_by_position() -> None:
    design = offset(-3, 10, n=29, scale=2.0)
    values = np.random.default_rng(0).standard_normal((29, 5))
    E = regard.sinusoidal(29, 10)
    wanted = reference.attention(E @ design.W_Q, E @ design.W_K, values, scale=2.0).output
    np.testing.assert_allclose(design.apply(values), wanted, atol=1e-8)
    for given in (values, values, values.astype(np.float32)):  # scores are kept for the next call
        out, bound = design.apply_with_bound(given)
        assert out.dtype == given.dtype
        rounded = np.abs(given - values).max()
        assert (np.abs(out - wanted).max(axis=-1) <= np.asarray(bound) + rounded + 1e-12).all()
    twice = dataclasses.replace(design, scale=4.0).apply(values)
    wanted = reference.attention(E @ design.W_Q, E @ design.W_K, values, scale=4.0).output
    np.testing.assert_allclose(twice, wanted, atol=1e-8)


def test_what_apply_cannot_take_is_refused_in_its_own_name() -> None:
    design = offset(2, 8, n=11)
    for values, message in [
        (
            np.ones(11),
            r"apply: values needs at least 2 axes.*Add the missing axis: values\[:, None\]",
        ),
        (np.full((11, 2), np.nan), "apply: values must be finite"),
    ]:
        with pytest.raises(ValueError, match=message):
            design.apply(values)
    with pytest.raises(regard.ParameterError, match="apply: precision must lie between 0 and 1"):
        design.apply_with_bound(np.ones((11, 2)), precision=1.5)
    out, bound = design.apply_with_bound(np.zeros((3, 0, 2), dtype=np.float32))
    assert (out.shape, out.dtype, bound.shape) == ((3, 0, 2), np.float32, (3, 0))


@pytest.mark.parametrize("tolerance", [1e-2, 3e-7, 1e-9, 1e-12])
def test_the_mass_that_is_proved_reaches_the_tolerance(tolerance: float) -> None:
    design = offset(3, 16, n=20, tolerance=tolerance)
    assert design.mass >= 1 - tolerance
    assert verify(design.certificate).holds


@pytest.mark.parametrize("n", [1, 2, 3, 50, 1000, 70_000])
def test_a_kernel_at_all_shifts_is_within_its_bound(n: int) -> None:
    rng = np.random.default_rng(n)
    weights = rng.standard_normal((2, 16)) * (rng.random(16) < 0.7)
    kernel = Kernel(*weights, base=5000.0)
    found, off = kernel.up_to(n)
    delta = np.unique(np.linspace(1 - n, n - 1, 200).astype(int))
    omega = np.longdouble(5000) ** (-np.arange(16) / np.longdouble(16))
    turns = np.outer(delta.astype(np.longdouble), omega)
    exact = np.cos(turns) @ weights[0] + np.sin(turns) @ weights[1]
    assert found.shape == (2 * n - 1,)
    assert np.abs(found[delta + n - 1] - exact).max() <= off
    assert off <= 1e-14 * np.abs(weights).sum()


def test_scores_kept_for_the_next_call_are_those_of_the_same_kernel_and_length() -> None:
    a, b = np.array([1.0, 0.5]), np.array([0.25, 2.0])
    for kernel in (
        Kernel(a, b, base=1e4),
        Kernel(a, b, base=500.0),
        Kernel(b, b, base=1e4),
        Kernel(a, a, base=1e4),
    ):
        for n in (3, 7, 3):
            found, _ = kernel.up_to(n)
            np.testing.assert_allclose(found, kernel(np.arange(1 - n, n)), atol=1e-13)
            assert not found.flags.writeable


def test_the_bound_of_apply_has_room_for_the_rounding_of_large_scores() -> None:
    n, design = 40, dataclasses.replace(offset(1, 8, n=40), scale=1e8)
    delta = np.arange(1 - n, n).astype(np.longdouble)
    turns = np.outer(delta, np.longdouble(10) ** -np.arange(4))  # base 10000, d_model 8
    exact = np.cos(turns) @ design.kernel.a + np.sin(turns) @ design.kernel.b
    off = float(np.abs(design.scale * design.kernel.up_to(n)[0] - design.scale * exact).max())
    assert off > 1e-8
    _, bound = design.apply_with_bound(np.ones((n, 2)))
    assert (bound >= math.expm1(2 * off)).all()


def test_a_certificate_survives_json() -> None:
    design = offset(2, 4, n=13)
    data = json.loads(json.dumps(design.certificate.to_dict()))
    assert verify(Certificate.from_dict(data)).holds
    assert data["claims"][0]["bound"] == design.mass
    assert data["claims"][1]["bound"] == design.gap


def test_a_design_says_what_it_does() -> None:
    text = str(offset(2, 4, n=13))
    for words in ("T = 2", "length n", "at least 0.99", "strongest rival", "shift 8", "2 of 2"):
        assert words in text
    assert "<table" in offset(2, 4, n=13)._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"T": 7, "d_model": 8, "n": 7},
            "T must satisfy |T| < n: among n = 7 positions none is 7 steps from another. "
            "Got T = 7.",
        ),
        (
            {"T": -9, "d_model": 8, "n": 7},
            "T must satisfy |T| < n: among n = 7 positions none is 9 steps from another. "
            "Got T = -9.",
        ),
        (
            {"T": 1, "d_model": 7, "n": 7},
            "d_model must be even, because sines and cosines come in pairs. Got 7. Try 8.",
        ),
        (
            {"T": 1, "d_model": 8, "n": 7, "d_k": 1},
            "d_k must be at least 2, because each frequency needs a sine and a cosine. Got 1.",
        ),
        (
            {"T": 1, "d_model": 8, "n": 5, "tolerance": 0.8},
            "tolerance must be below 1 − 1/n = 0.8, which a head that looks at nothing misses by. "
            "Got 0.8.",
        ),
        (
            {"T": 1, "d_model": 8, "n": 5, "tolerance": 1e-13},
            "tolerance must be at least 1e-12, near where float64 cannot tell a weight from 1. "
            "Got 1e-13.",
        ),
        (
            {"T": 1, "d_model": 8, "n": 5, "scale": 0},
            "scale must be a positive finite number. Got 0.",
        ),
        (
            {"T": 1, "d_model": 8, "n": 5, "scale": 1e-200},
            "scale must not be so small: the blocks would have to be larger than 1e+150. "
            "Got 1e-200.",
        ),
        ({"T": 1.5, "d_model": 8, "n": 5}, "T must be a whole number. Got 1.5."),
        ({"T": 0, "d_model": 8, "n": 0}, "n must be a whole number ≥ 1. Got 0."),
        (
            {"T": 0, "d_model": 64, "n": 2**19},
            "n · d_model must be at most 2**24. Got n 524288, d_model 64.",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_name(
    arguments: dict[str, float], message: str
) -> None:
    with pytest.raises(regard.ParameterError) as caught:
        offset(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == f"design.offset: {message}"


def test_shifts_that_float64_cannot_part_are_undecided() -> None:
    """312689 is 49766 turns of ω = 1 but for 2.9e-6: the scores differ by 4.2e-12."""
    with pytest.raises(regard.UndecidedDesign, match="shifts 0 and 312689 look too nearly alike"):
        offset(0, 2, n=312690)
