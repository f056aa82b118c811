"""Sinusoidal positions: accuracy against 60-digit arithmetic, laws, and every refusal."""

from __future__ import annotations

import decimal
import math
from typing import Any

import mpmath
import numpy as np
import pytest

from regard.core.positions import sinusoidal
from regard.errors import ParameterError

WIDTHS = [2, 6, 10, 64, 512]
BASES = [10000.0, 3.7, 500000.0, 1e300, 0.5]
EXTREME_BASES = [1e-300, 5e-324, 1.0, 1.7e308]

# The promise is 1 ulp. The method gives 0.7, and a lost low-order term shows against that.
METHOD = 0.7


def frequency(i: int, d: int, base: float) -> mpmath.mpf:
    return mpmath.mpf(base) ** (mpmath.mpf(-2 * i) / d)


def ulps(got: float, exact: mpmath.mpf) -> float:
    """Return the error of `got` in units of the last place of the exact value."""
    if exact == 0:
        return 0.0 if got == 0 else math.inf
    unit = mpmath.ldexp(1, max(int(mpmath.frexp(abs(exact))[1]) - 53, -1074))
    return float(abs(mpmath.mpf(float(got)) - exact) / unit)


def worst_ulps(d: int, base: float, positions: list[int], columns: list[int]) -> float:
    # A base below 1 makes frequencies up to 1/base; its digits before the point come on top.
    with mpmath.workdps(60 + max(0, -math.floor(math.log10(base)))):
        worst = 0.0
        for t in positions:
            row = sinusoidal(1, d, base, start=t)[0]
            for i in columns:
                angle = t * frequency(i, d, base)
                worst = max(worst, ulps(row[2 * i], mpmath.sin(angle)))
                worst = max(worst, ulps(row[2 * i + 1], mpmath.cos(angle)))
    return worst


def some_columns(d: int, rng: np.random.Generator) -> list[int]:
    chosen = rng.choice(d // 2, size=min(7, d // 2), replace=False)
    return sorted({0, d // 2 - 1, *(int(i) for i in chosen)})


def nearest_to_quarter_turns(omega: mpmath.mpf, limit: int) -> list[int]:
    """Return the t ≤ limit with t ω nearest to a multiple of π/2: continued fraction of 2ω/π."""
    x = 2 * omega / mpmath.pi
    before, now, found = 1, 0, []
    while now <= limit:
        digit = int(mpmath.floor(x))
        before, now = now, digit * now + before
        found.append(now)
        if x == digit:
            break
        x = 1 / (x - digit)
    return [t for t in found if 0 < t <= limit]


@pytest.mark.parametrize("base", BASES + EXTREME_BASES)
@pytest.mark.parametrize("d", WIDTHS)
def test_every_entry_is_within_one_ulp_at_random_positions(d: int, base: float) -> None:
    rng = np.random.default_rng(d)
    positions = [int(t) for t in rng.integers(-(10**6), 10**6, endpoint=True, size=53)]
    positions += [0, 1, -1, 2, 10**6, -(10**6)]
    limit = METHOD if base in BASES else 1.0
    assert worst_ulps(d, base, positions, some_columns(d, rng)) <= limit


@pytest.mark.parametrize("t", [355, 710, 1065, 103993, 208341, 312689, 833719, 11, 22, 333, 52174])
def test_whole_radians_nearest_to_quarter_turns_are_within_one_ulp(t: int) -> None:
    assert worst_ulps(2, 10000.0, [t, -t], [0]) <= METHOD


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("d", WIDTHS)
def test_angles_nearest_to_quarter_turns_are_within_one_ulp(d: int, base: float) -> None:
    for i in some_columns(d, np.random.default_rng(d)):
        with mpmath.workdps(60):
            positions = nearest_to_quarter_turns(frequency(i, d, base), 10**6)
        assert worst_ulps(d, base, positions, [i]) <= METHOD


@pytest.mark.parametrize("base", [10000.0, 0.5, 1e-300])
def test_the_largest_positions_are_still_within_one_ulp(base: float) -> None:
    rng = np.random.default_rng(17)
    positions = [int(t) for t in rng.integers(-(2**53), 2**53, size=101)] + [2**53 - 1, 1 - 2**53]
    assert worst_ulps(6, base, positions, [0, 1, 2]) <= 1.0


def test_long_tables_agree_with_the_plain_formula_row_by_row() -> None:
    for n, d in ((8209, 2), (257, 130)):
        t, i = np.arange(n)[:, None], np.arange(d // 2)
        angle = t * 10000.0 ** (-2 * i / d)
        expected = np.empty((n, d))
        expected[:, 0::2], expected[:, 1::2] = np.sin(angle), np.cos(angle)
        np.testing.assert_allclose(sinusoidal(n, d), expected, rtol=0, atol=1e-11)


def test_rotation_blocks_give_the_largest_score_exactly_three_steps_back() -> None:
    # 000_864f93c60dd98ecb (a): d_model = 8, T = 3, t = 20, block i is the rotation by 3 ω_i.
    blocks = [
        [[-0.9899924966004454, -0.1411200080598672], [0.1411200080598672, -0.9899924966004454]],
        [[0.955336489125606, -0.2955202066613396], [0.2955202066613396, 0.955336489125606]],
        [[0.9995500337489875, -0.02999550020249566], [0.02999550020249566, 0.9995500337489875]],
        [[0.999995500003375, -0.002999995500002025], [0.002999995500002025, 0.999995500003375]],
    ]
    expected = [
        1.964889526277523,
        2.5637177479613436,
        3.535255971562872,
        4.0,
        3.535255971562872,
        2.5637177479613436,
        1.964889526277523,
    ]
    A = np.zeros((8, 8))
    for i, block in enumerate(blocks):
        A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
    e = sinusoidal(21, 8)
    scores = np.array([e[20 - back] @ A @ e[20] for back in range(7)])
    np.testing.assert_allclose(scores, expected, rtol=1e-10)
    np.testing.assert_equal(int(scores.argmax()), 3)


def test_each_pair_lies_on_the_unit_circle() -> None:
    e = sinusoidal(211, 38, 3.7, start=-97)
    squares = e[:, 0::2] ** 2 + e[:, 1::2] ** 2
    np.testing.assert_allclose(squares, np.ones((211, 19)), rtol=0, atol=5e-16)


def test_position_zero_is_sine_zero_and_cosine_one() -> None:
    for base in BASES + EXTREME_BASES:
        np.testing.assert_array_equal(sinusoidal(1, 6, base), [[0, 1, 0, 1, 0, 1]])


def test_start_shifts_the_rows() -> None:
    np.testing.assert_array_equal(sinusoidal(7, 6, start=5), sinusoidal(12, 6)[5:])
    np.testing.assert_allclose(
        sinusoidal(1, 2, start=-3), [[-0.1411200080598672, -0.9899924966004454]], rtol=1e-15
    )


def test_no_positions_give_no_rows() -> None:
    empty = sinusoidal(0, 6)
    np.testing.assert_equal(empty.shape, (0, 6))
    np.testing.assert_equal(empty.dtype, np.dtype(np.float64))


def test_a_table_may_be_changed_without_changing_the_next_one() -> None:
    first = sinusoidal(3, 2)
    first[:] = 7.0
    np.testing.assert_allclose(sinusoidal(3, 2)[1], [math.sin(1), math.cos(1)], rtol=1e-15)


def test_the_settings_of_the_caller_do_not_reach_the_table() -> None:
    # Bases used nowhere else, so that no cached frequencies answer.
    with decimal.localcontext(prec=4, traps=[decimal.Inexact]), np.errstate(all="raise"):
        assert worst_ulps(6, 77.25, [12345], [0, 1, 2]) <= 1.0
        assert worst_ulps(6, 7.75e299, [12345], [0, 1, 2]) <= 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": -1}, "sinusoidal: n must be a whole number ≥ 0. Got -1."),
        ({"n": 2.0}, "sinusoidal: n must be a whole number ≥ 0. Got 2.0."),
        ({"d_model": 0}, "sinusoidal: d_model must be a whole number ≥ 2. Got 0."),
        (
            {"d_model": 7},
            "sinusoidal: d_model must be even, because sines and cosines come in pairs. "
            "Got 7. Try 8.",
        ),
        ({"base": 0.0}, "sinusoidal: base must be a positive finite number. Got 0.0."),
        ({"base": math.inf}, "sinusoidal: base must be a positive finite number. Got inf."),
        ({"start": 0.5}, "sinusoidal: start must be a whole number. Got 0.5."),
        (
            {"start": -(2**53) + 2},
            "sinusoidal: start must satisfy |start| + n ≤ 2**53, beyond which float64 skips "
            "whole numbers. Got start -9007199254740990, n 3.",
        ),
    ],
)
def test_sinusoidal_says_what_is_wrong(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        sinusoidal(**{"n": 3, "d_model": 4, **arguments})
    np.testing.assert_equal(str(caught.value), message)
