"""Names of quantities, and the numbers of a head in float64."""

from __future__ import annotations

import numpy as np
import pytest

from regard.checking.weighings import WEIGHINGS
from regard.kinds.compute.instance import Example, forward, pick
from regard.kinds.compute.spec import ComputeGiven, is_quantity, quantity

GIVEN = ComputeGiven(
    tokens=[[1, 0], ["1/2", 2]], W_Q=[[1, 0, 2], [0, 1, 1]], W_K=[[1, 1, 0], [0, 2, 1]],
    W_V=[[3], [4]], scale="1/sqrt(d_k)",
)  # fmt: skip


def test_names_stand_for_a_row_or_for_all_of_them() -> None:
    assert quantity("a_12") == ("a", 12)
    assert quantity("Z") == ("z", None)
    assert list(quantity("C").tokens(3)) == [1, 2, 3]
    assert list(quantity("q_2").tokens(3)) == [2]
    assert [is_quantity(name, 2) for name in ("q_2", "q_3", "Q", "x_1", "q_0", "q")] == [
        True, False, True, False, False, False,
    ]  # fmt: skip


def test_floats_and_exact_numbers_are_one_example() -> None:
    example = Example(GIVEN)
    np.testing.assert_allclose(example.scale, 3**-0.5, rtol=1e-15)
    inputs = example.inputs
    again = forward(*(inputs["tokens"] @ inputs[name] for name in ("W_Q", "W_K", "W_V")), 3**-0.5)
    for letter, rows in example.right.items():
        np.testing.assert_allclose(rows, again[letter], rtol=1e-14, err_msg=letter)
    # q_2 = (1/2, 2, 3), k_1 = (1, 1, 0): 5/2 over the root of 3.
    np.testing.assert_allclose(pick(example.right, "z_2")[0], 2.5 / 3**0.5, rtol=1e-15)
    np.testing.assert_array_equal(pick(example.right, "V"), [[3], [9.5]])


@pytest.mark.parametrize(
    ("tag", "weights"),
    [
        ("softmax-over-columns", [[1 / 4, 1 / 3], [3 / 4, 2 / 3]]),
        ("unnormalised-weights", [[1, 1], [3, 2]]),
        ("softmax-over-all", [[1 / 7, 1 / 7], [3 / 7, 2 / 7]]),
        ("values-not-weighted", [[1 / 2, 1 / 2], [1 / 2, 1 / 2]]),
        ("largest-score-takes-all", [[1, 0], [1, 0]]),
        ("sign-error", [[1 / 2, 1 / 2], [2 / 5, 3 / 5]]),
        ("scores-instead-of-weights", np.log([[1, 1], [3, 2]])),
    ],
)
def test_what_takes_the_place_of_softmax(tag: str, weights: list[list[float]]) -> None:
    scores = np.log([[1.0, 1.0], [3.0, 2.0]])
    np.testing.assert_allclose(WEIGHINGS[tag](scores), weights, rtol=1e-14)
