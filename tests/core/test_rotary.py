"""Rotary positions: turns of complex numbers, accuracy, and the words of every refusal."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from regard.core.positions import rotary
from regard.errors import ParameterError, ShapeError


def frequency(i: int, d: int, base: float) -> mpmath.mpf:
    return mpmath.mpf(base) ** (mpmath.mpf(-2 * i) / d)


def ulps(got: float, exact: mpmath.mpf) -> float:
    """Return the error of `got` in units of the last place of the exact value."""
    if exact == 0:
        return 0.0 if got == 0 else math.inf
    unit = mpmath.ldexp(1, max(int(mpmath.frexp(abs(exact))[1]) - 53, -1074))
    return float(abs(mpmath.mpf(float(got)) - exact) / unit)


def turn(x: np.ndarray, t: Any, base: float = 10000.0, *, halves: bool = False) -> np.ndarray:
    """Turn pairs as complex numbers, (a + bi) exp(i t ω), with angles of 40 digits."""
    d = x.shape[-1]
    a, b = (x[..., : d // 2], x[..., d // 2 :]) if halves else (x[..., 0::2], x[..., 1::2])
    with mpmath.workdps(40):
        omega = [frequency(i, d, base) for i in range(d // 2)]
        units = [[complex(mpmath.expj(float(s) * w)) for w in omega] for s in np.ravel(t)]
    z = (a + 1j * b) * np.array(units).reshape(*np.shape(t), d // 2)
    if halves:
        return np.concatenate([z.real, z.imag], axis=-1)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@pytest.mark.parametrize("base", [10000.0, 3.7, 0.5])
@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_rotary_turns_complex_numbers(layout: str, base: float) -> None:
    x = np.random.default_rng(1).normal(size=(3, 5, 7, 22))
    for t in (np.arange(7), np.arange(7) - 2.25, 4, 0.5, np.array([3]), np.array([[[6]]])):
        expected = turn(x, t, base, halves=layout == "halves")
        np.testing.assert_allclose(rotary(x, t, base, layout=layout), expected, rtol=0, atol=2e-15)


def test_positions_may_differ_between_batches() -> None:
    x = np.random.default_rng(2).normal(size=(2, 3, 5, 14))
    t = np.array([[0, 1, 2, 3, 4], [7, 9, 11, 13, 17]])
    got = rotary(x, t[:, None, :])
    for batch in range(2):
        for head in range(3):
            expected = turn(x[batch, head], t[batch])
            np.testing.assert_allclose(got[batch, head], expected, rtol=0, atol=2e-15)


def test_the_score_of_turned_vectors_depends_only_on_the_distance() -> None:
    q, k = np.random.default_rng(3).normal(size=(2, 26))
    omega = 10000.0 ** (-2.0 * np.arange(13) / 26)
    products = (q[0::2] + 1j * q[1::2]) * np.conj(k[0::2] + 1j * k[1::2])
    for distance in (-11, 0, 5, 401):
        expected = (products * np.exp(1j * distance * omega)).real.sum()
        for t in (0, 3, 10**5, -77):
            score = rotary(q, t + distance) @ rotary(k, t)
            np.testing.assert_allclose(score, expected, rtol=0, atol=1e-13)


def test_the_layouts_differ_by_a_permutation_of_the_entries() -> None:
    x = np.random.default_rng(4).normal(size=(5, 14))
    t = np.array([0, 1, 5, 400, -3])
    to_halves = np.concatenate([np.arange(0, 14, 2), np.arange(1, 14, 2)])
    np.testing.assert_array_equal(
        rotary(x[:, to_halves], t, layout="halves"), rotary(x, t)[:, to_halves]
    )
    np.testing.assert_allclose(
        rotary([[1.0, 2.0, 3.0, 4.0]], math.pi, 1.0, layout="halves"), [[-1, -2, -3, -4]]
    )


def test_position_zero_turns_nothing() -> None:
    x = np.random.default_rng(5).normal(size=(3, 10))
    np.testing.assert_array_equal(rotary(x, 0), x)
    np.testing.assert_array_equal(rotary(x, np.zeros(3), layout="halves"), x)


@pytest.mark.parametrize("base", [10000.0, 3.7, 0.5, 0.01])
def test_fractional_positions_are_within_one_ulp(base: float) -> None:
    t = np.random.default_rng(6).uniform(-(10**6), 10**6, size=101)
    x = np.tile([1.0, 0.0], (101, 3))  # turns into cosines and sines themselves
    got = rotary(x, t, base)
    with mpmath.workdps(60):
        for r in range(101):
            for i in range(3):
                angle = mpmath.mpf(float(t[r])) * frequency(i, 6, base)
                assert ulps(got[r, 2 * i], mpmath.cos(angle)) <= 1.0
                assert ulps(got[r, 2 * i + 1], mpmath.sin(angle)) <= 1.0


def test_whole_positions_are_exact_turns_for_every_base_also_as_floats() -> None:
    x = np.tile([1.0, 0.0], (1, 3))
    with mpmath.workdps(400):
        expected = []
        for i in range(3):
            angle = 7919 * frequency(i, 6, 1e-300)
            expected += [float(mpmath.cos(angle)), float(mpmath.sin(angle))]
    np.testing.assert_allclose(rotary(x, 7919, 1e-300), [expected], rtol=3e-16)
    np.testing.assert_allclose(rotary(x, 7919.0, 1e-300), [expected], rtol=3e-16)


@pytest.mark.parametrize(
    ("dtype", "out", "tolerance"),
    [
        (np.float64, np.float64, 2e-15),
        (np.float32, np.float32, 1e-6),
        (np.float16, np.float16, 2e-3),
        (np.int32, np.float64, 2e-15),
        (np.uint8, np.float64, 2e-15),
    ],
)
def test_the_dtype_is_kept_and_far_positions_lose_nothing(
    dtype: type, out: type, tolerance: float
) -> None:
    x = np.random.default_rng(7).integers(0, 3, size=(5, 14)).astype(dtype)
    before = x.copy()
    t = 10**6 - np.arange(5)
    got = rotary(x, t)
    np.testing.assert_equal(got.dtype, np.dtype(out))
    np.testing.assert_allclose(
        got.astype(np.float64), turn(x.astype(np.float64), t), rtol=0, atol=tolerance
    )
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", ["float16", "float32", ">f8", "int8", "uint8", "uint64", ">i4"])
def test_positions_may_have_any_dtype_of_numbers(dtype: str) -> None:
    x = np.random.default_rng(10).normal(size=(5, 6))
    got = rotary(x, np.arange(2, 7).astype(dtype))
    np.testing.assert_allclose(got, turn(x, np.arange(2, 7)), rtol=0, atol=2e-15)


def test_float16_is_computed_in_float32() -> None:
    x = np.random.default_rng(8).normal(size=(11, 34)).astype(np.float16)
    expected = turn(x.astype(np.float64), np.arange(11))
    unit = np.spacing(np.abs(expected).astype(np.float16)).astype(np.float64)
    errors = np.abs(rotary(x, np.arange(11)).astype(np.float64) - expected) / unit
    assert errors.max() <= 0.51


def test_strided_and_empty_arrays_are_turned() -> None:
    x = np.random.default_rng(9).normal(size=(14, 5)).T
    np.testing.assert_allclose(rotary(x, np.arange(5)), turn(x, np.arange(5)), atol=1e-14)
    np.testing.assert_equal(rotary(np.empty((3, 0, 4)), np.arange(0)).shape, (3, 0, 4))
    np.testing.assert_equal(rotary(np.empty((0, 5, 4)), np.arange(5) / 2).shape, (0, 5, 4))


SHAPES = "Need x (..., n, d), positions (n,) or (..., n). "
PAIRS = (
    "rotary: x must have an even number d ≥ 2 of entries on its last axis, because they are "
    "turned in pairs. Need x (..., n, d). Got x "
)


@pytest.mark.parametrize(
    ("x", "positions", "error", "message"),
    [
        (np.ones((3, 5)), 0, ShapeError, PAIRS + "(3, 5)."),
        (np.ones((3, 0)), 0, ShapeError, PAIRS + "(3, 0)."),
        (np.float64(1), 0, ShapeError, PAIRS + "()."),
        (
            np.ones((3, 5, 4)),
            np.arange(7),
            ShapeError,
            "rotary: positions do not match x in n (7 vs 5). "
            + SHAPES
            + "Got x (3, 5, 4), positions (7,).",
        ),
        (
            np.ones((2, 3, 5, 4)),
            np.ones((2, 5)),
            ShapeError,
            "rotary: positions do not broadcast to (..., n) of x. "
            + SHAPES
            + "Got x (2, 3, 5, 4), positions (2, 5). "
            + "An axis is missing: try positions[..., None, :].",
        ),
        (
            np.ones((5, 4)),
            np.ones((3, 5)),
            ShapeError,
            "rotary: positions do not broadcast to (..., n) of x. "
            + SHAPES
            + "Got x (5, 4), positions (3, 5).",
        ),
        (
            np.ones((3, 4), dtype=complex),
            0,
            ParameterError,
            "rotary: x has dtype complex128. Need float16, bfloat16, float32, float64 or integers. Pass x.real, if the imaginary part is zero.",
        ),
        (
            np.ones((3, 4), dtype=bool),
            0,
            ParameterError,
            'rotary: x has dtype bool. Need float16, bfloat16, float32, float64 or integers. Pass x.astype("float64").',
        ),
        (
            np.ones((2, 4)),
            np.array([True, False]),
            ParameterError,
            'rotary: positions has dtype bool. Need float16, bfloat16, float32, float64 or integers. Pass positions.astype("float64").',
        ),
        (
            np.ones((2, 4)),
            [0, math.nan],
            ParameterError,
            "rotary: positions must be finite and at most 2**53 in size. Got nan.",
        ),
        (
            np.ones((2, 4)),
            [0, 2**53 + 1],
            ParameterError,
            "rotary: positions must be finite and at most 2**53 in size. Got 9007199254740993.",
        ),
    ],
)
def test_rotary_says_what_is_wrong(
    x: Any, positions: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        rotary(x, positions)
    np.testing.assert_equal(str(caught.value), message)


def test_rotary_refuses_unknown_layouts_and_bases_that_spin_too_fast() -> None:
    x = np.ones((3, 4))
    with pytest.raises(ParameterError) as caught:
        rotary(x, 0, layout="split")
    np.testing.assert_equal(
        str(caught.value),
        "rotary: layout must be one of 'interleaved', 'halves'. Got 'split'.",
    )
    with pytest.raises(ParameterError) as caught:
        rotary(x, 0, -1.0)
    np.testing.assert_equal(
        str(caught.value), "rotary: base must be a positive finite number. Got -1.0."
    )
    with pytest.raises(ParameterError) as caught:
        rotary(x, 0.5, 5e-324)
    np.testing.assert_equal(
        str(caught.value),
        "rotary: positions must be whole numbers when base is this small: the angles exceed "
        "2**53 quarter turns. Got base 5e-324.",
    )
