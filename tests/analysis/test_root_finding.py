"""Zeros of functions of one number, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from regard.analysis.root_finding import crossing

CASES: dict[str, tuple[Callable[[float], float], float, float, float]] = {
    "a falling logarithm": (lambda x: math.log(5 * math.exp(-x)) + 4, 0.0, 50.0, math.log(5) + 4),
    "a rising square": (lambda x: x * x - 3, 0.0, 7.0, math.sqrt(3)),
    "an exponential that is flat at one end": (
        lambda x: math.exp(-x) - 1e-8,
        0.0,
        90.0,
        8 * math.log(10),
    ),
    "a cube around its own zero": (lambda x: (x - 2) ** 3, -1.0, 4.5, 2.0),
    "the lower end itself": (lambda x: x - 2, 2.0, 3.0, 2.0),
    "the upper end itself": (lambda x: x - 3, 2.0, 3.0, 3.0),
}


@pytest.mark.parametrize("case", CASES)
def test_the_zero_is_found_to_rounding(case: str) -> None:
    f, low, high, root = CASES[case]
    near = 1e-4 if "cube" in case else 1e-14  # a cube is 0 in float64 from far away
    assert crossing(f, low, high) == pytest.approx(root, rel=near)
    assert crossing(f, high, low) == pytest.approx(root, rel=near)


def test_ends_that_are_one_unit_apart_are_enough() -> None:
    low = 1.5
    assert crossing(lambda x: x - 1.5, low, math.nextafter(low, 2)) == low


def test_few_values_are_needed_where_the_function_is_nearly_straight() -> None:
    asked: list[float] = []

    def f(x: float) -> float:
        asked.append(x)
        return math.log(sum(math.exp(-x * k) for k in (1.0, 2.0, 3.5))) + 4

    crossing(f, 0.0, 50.0)
    assert len(asked) < 15
