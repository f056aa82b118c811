"""Error-free transformations against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st

from regard.core.double_double import add, quick_two_sum, two_product, two_sum

U = Fraction(1, 2**53)

floats = st.floats(min_value=-(2.0**1000), max_value=2.0**1000)
# Products of two of these neither overflow nor lose their last bits to underflow.
magnitudes = st.floats(min_value=2.0**-480, max_value=2.0**480)
moderate = st.one_of(magnitudes, magnitudes.map(lambda a: -a), st.just(0.0))


def array(a: float) -> np.ndarray:
    return np.array([a])


def total(pair: tuple[np.ndarray, np.ndarray]) -> Fraction:
    return Fraction(float(pair[0][0])) + Fraction(float(pair[1][0]))


def normalised(a: float, b: float) -> tuple[float, float]:
    """Write a + b 2**-50 as a double-double with correctly rounded parts."""
    exact = Fraction(a) + Fraction(b) / 2**50
    hi = float(exact)
    return hi, float(exact - Fraction(hi))


@given(floats, floats)
@example(1.0, 2.0**-60)
@example(2.0**-60, 1.0)
@example(0.1, -0.1)
@example(5e-324, -1.0)
def test_two_sum_is_exact_and_its_first_part_is_the_rounded_sum(a: float, b: float) -> None:
    pair = two_sum(array(a), array(b))
    np.testing.assert_equal(total(pair), Fraction(a) + Fraction(b))
    np.testing.assert_array_equal(pair[0], array(float(Fraction(a) + Fraction(b))))


@given(floats, floats)
@example(1.0, 2.0**-60)
@example(3.0, -(2.0**-53))
@example(0.0, 7.5)
def test_quick_two_sum_is_exact_when_the_larger_comes_first(a: float, b: float) -> None:
    if a != 0.0:
        a, b = sorted((a, b), key=abs, reverse=True)
    pair = quick_two_sum(array(a), array(b))
    np.testing.assert_equal(total(pair), Fraction(a) + Fraction(b))
    np.testing.assert_array_equal(pair[0], array(float(Fraction(a) + Fraction(b))))


@given(moderate, moderate)
@example(1.0 + 2.0**-52, 1.0 + 2.0**-52)
@example(134217729.0, 134217727.0)
@example(2.0**995, 2.0**-995 * (1 + 2.0**-52))
@example(1.1 * 2.0**-484, 1.3 * 2.0**-484)
def test_two_product_is_exact_and_its_first_part_is_the_rounded_product(a: float, b: float) -> None:
    pair = two_product(array(a), array(b))
    np.testing.assert_equal(total(pair), Fraction(a) * Fraction(b))
    np.testing.assert_array_equal(pair[0], array(float(Fraction(a) * Fraction(b))))


@given(moderate, moderate, moderate, moderate, st.booleans())
@example(1.0, 0.5, -1.0, -0.4999, False)
@example(1.0, 1.0, -1.0 - 2.0**-52, 1.0, False)
@example(1.0, 0.3, 2.0**-54, 2.0**-60, False)
@example(1.0, 2.0**-4, -1.0, 2.0**-30 * (1 + 2.0**-40), False)
def test_the_sum_of_two_double_doubles_keeps_its_relative_error_even_when_they_cancel(
    a: float, b: float, c: float, d: float, cancel: bool
) -> None:
    # Only pairs whose low part is really low: b 2**-50 must not exceed a.
    assume(abs(b) <= 2 * abs(a) and abs(d) <= 2 * abs(c))
    x = normalised(a, b)
    y = normalised(-a if cancel else c, d if not cancel else -b * (1 + 2.0**-20))
    z = add(array(x[0]), array(x[1]), array(y[0]), array(y[1]))
    exact = Fraction(x[0]) + Fraction(x[1]) + Fraction(y[0]) + Fraction(y[1])
    bound = 3 * U**2 / (1 - 4 * U) * abs(exact)
    assert abs(total(z) - exact) <= bound, (x, y, float(total(z) - exact))
    np.testing.assert_array_equal(z[0], z[0] + z[1])  # the parts do not overlap


def test_operands_broadcast_like_numpy() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(3, 1)), rng.normal(size=5)
    for function, exact in ((two_sum, Fraction.__add__), (two_product, Fraction.__mul__)):
        hi, lo = function(a, b)
        assert hi.shape == lo.shape == (3, 5)
        for i in range(3):
            for j in range(5):
                np.testing.assert_equal(
                    Fraction(hi[i, j]) + Fraction(lo[i, j]),
                    exact(Fraction(a[i, 0]), Fraction(b[j])),
                )
