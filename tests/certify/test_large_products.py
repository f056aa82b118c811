"""Products of large arrays as balls: they hold the exact ones, and are small."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from regard.certify import balls
from regard.certify.balls import BALLS, combine, products, with_bits
from regard.certify.large_products import LARGE, applies, large_combination, large_products

RNG = np.random.default_rng(11)
ARRAYS = {
    "normal": RNG.standard_normal((331, 211)),
    "whole": RNG.integers(-4, 5, (331, 211)).astype(float),
    "unlike": RNG.standard_normal((331, 211)) * np.exp(RNG.uniform(-30, 30, (331, 211))),
    "cancelling": np.c_[np.full((331, 1), 1e15), np.full((331, 1), -1e15), np.ones((331, 209))],
    "sparse": np.eye(331, 211),
}


def exact(x: float) -> Fraction:
    return Fraction(x)


def holds(ball: arb, number: Fraction) -> bool:
    with with_bits(4096):
        return bool(ball.contains(arb(fmpq(number.numerator, number.denominator))))


@pytest.mark.parametrize("name", ARRAYS)
def test_the_balls_hold_the_exact_products_and_are_small(name: str) -> None:
    points = ARRAYS[name]
    assert points.size >= LARGE
    direction = RNG.standard_normal(211)
    with with_bits(64):
        assert applies(points)
        found = products(points, [arb(x) for x in direction.tolist()], BALLS)
    sizes = np.abs(points) @ np.abs(direction)
    for row in range(0, 331, 30):
        pairs = zip(points[row].tolist(), direction.tolist(), strict=True)
        assert holds(found[row], sum((exact(a) * exact(b) for a, b in pairs), Fraction(0)))
    radii = np.array([float(ball.rad()) for ball in found])
    assert np.all(radii <= 211 * 2.0**-61 * sizes + 1e-290)


@pytest.mark.parametrize("name", ARRAYS)
def test_the_balls_hold_the_exact_combinations(name: str) -> None:
    points, weights = ARRAYS[name], np.exp(-60 * RNG.random(331))
    with with_bits(64):
        found = combine([arb(x) for x in weights.tolist()], points, BALLS)
    for column in range(0, 211, 30):
        pairs = zip(points[:, column].tolist(), weights.tolist(), strict=True)
        assert holds(found[column], sum((exact(a) * exact(b) for a, b in pairs), Fraction(0)))


def test_a_direction_of_balls_widens_the_products() -> None:
    points = ARRAYS["normal"]
    with with_bits(64):
        third = large_products(points, [arb(1) / 3] * 211)
        vague = large_products(points, [arb(1, 1e-3)] * 211)
    assert third is not None
    assert vague is not None
    total = sum((exact(x) for x in points[7].tolist()), Fraction(0))
    assert holds(third[7], total / 3)
    assert holds(vague[7], total * Fraction(1001, 1000) - Fraction(1, 10**9))
    size = float(np.sum(np.abs(points[7])))
    assert 1e-3 * size <= float(vague[7].rad()) <= 1.01e-3 * size


def test_numbers_out_of_range_are_left_to_balls_throughout() -> None:
    points = np.full((300, 300), 1e300)
    with with_bits(64):
        assert large_products(points, [arb(1e300)] * 300) is None
        assert large_combination([arb(1e300)] * 300, points) is None
        found = products(points, [arb(1e300)] * 300, BALLS)
    assert holds(found[0], 300 * exact(1e300) ** 2)
    tiny = np.full((300, 300), 5e-324)
    with with_bits(64):
        below = large_products(tiny, [arb(5e-324)] * 300)
    assert below is not None
    assert holds(below[0], 300 * exact(5e-324) ** 2)


def test_more_bits_are_asked_of_balls_throughout(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(balls, "large_products", never)
    with with_bits(128):
        found = products(ARRAYS["whole"], [arb(1)] * 211, BALLS)
    assert found[3] == int(np.sum(ARRAYS["whole"][3]))
