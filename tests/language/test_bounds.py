"""Bounds in few digits stay true, and are as near as so many digits allow."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import regard
from regard.language.bounds import lower_bound, upper_bound


def test_bounds_lie_on_their_side_and_within_one_unit_of_the_last_digit() -> None:
    rng = np.random.default_rng(11)
    for _ in range(2000):
        x = float(rng.standard_normal() * 10.0 ** rng.uniform(-300, 300))
        digits = int(rng.integers(1, 12))
        low, high = (Fraction(one(x, digits)) for one in (lower_bound, upper_bound))
        assert low <= Fraction(repr(x)) <= high
        assert high - low <= Fraction(10) ** (1 - digits) * abs(Fraction(x)) * 10


@pytest.mark.parametrize(
    ("x", "low", "high"),
    [
        (0.1, "0.1", "0.1"),  # the float that 0.1 means is written 0.1
        (np.nextafter(0.25, 1), "0.25", "0.250001"),
        (np.nextafter(0.25, 0), "0.249999", "0.25"),
        (-np.nextafter(0.25, 1), "-0.250001", "-0.25"),
        (0.0, "0", "0"),
        (123456789.0, "1.23456e+08", "1.23457e+08"),
        (2**53 + 1, "9.00719e+15", "9.0072e+15"),
        (float("inf"), "infinity", "infinity"),
        (float("nan"), "not a number", "not a number"),
    ],
)
def test_numbers_at_the_edges(x: float, low: str, high: str) -> None:
    assert (lower_bound(x), upper_bound(x)) == (low, high)


def test_large_whole_numbers_have_an_exponent() -> None:
    assert upper_bound(2_000_001.0, 3) == "2.01e+06"
    assert lower_bound(1410.0, 3) == "1410"
    assert upper_bound(10**400) == "1.00000E+400"


def test_what_a_refusal_prints_is_excluded_and_what_its_best_has_is_had() -> None:
    """Keys −1, 0, 1: the least error is (√5 − 1)/4 = 0.30901699437…"""
    keys, target = [[-1.0], [0.0], [1.0]], {0: 0.5, 2: 0.5}
    with pytest.raises(regard.InfeasibleDesign) as caught:
        regard.design.query(keys, target, tolerance=0.30901699437)
    said = str(caught.value)
    assert "to within 0.309016: " in said
    assert "with error at most 0.309017" in said
    with pytest.raises(regard.InfeasibleDesign) as caught:
        regard.design.query([[-1.0], [0.0], [1.0], [0.0]], 1, tolerance=0.1)
    # Key 1 is the average of all keys, and equal to key 3: by symmetry the query 0 serves it best.
    bound = caught.value.certificate.claims[0].fields["bound"]
    printed = Fraction(str(caught.value).split("more than ")[1].split(":")[0])
    assert printed >= Fraction(1, 4)
    assert printed >= Fraction(repr(float(bound)))
