"""Names of quantities, and the numbers of a head in float64."""

from __future__ import annotations

import numpy as np
import pytest

from regard.checking.tags.softmax_substitutes import SOFTMAX_SUBSTITUTES
from regard.kinds.compute.instance import Example, pick
from regard.kinds.compute.spec import ComputeGiven, is_quantity, quantity

GIVEN = ComputeGiven(
    tokens=[[1, 0], ["1/2", 2]], W_Q=[[1, 0, 2], [0, 1, 1]], W_K=[[1, 1, 0], [0, 2, 1]],
    W_V=[[3], [4]], scale="1/sqrt(d_k)",
)  # fmt: skip


def test_names_stand_for_a_matrix_a_row_or_an_entry() -> None:
    assert quantity("a_12") == ("A", 12, None)
    assert quantity("Z") == ("Z", None, None)
    assert quantity("a_h2_3_1") == ("A_h2", 3, 1)
    assert quantity("weights_2") == quantity("a_2")
    assert quantity("output_1", GIVEN) == ("C", 1, None)
    assert list(quantity("C").rows(3)) == [1, 2, 3]
    assert list(quantity("q_2").rows(3)) == [2]
    names = ("q_2", "q_3", "Q", "x_1", "q_0", "q", "q_2_3", "q_2_4", "Q_2", "O", "H", "h_2")
    assert [is_quantity(name, GIVEN) for name in names] == [
        True, False, True, False, False, False, True, False, False, False, True, True,
    ]  # fmt: skip


def test_floats_are_those_of_the_definition() -> None:
    example = Example(GIVEN)
    np.testing.assert_allclose(example.setup.scale, 3**-0.5, rtol=1e-15)
    # q_2 = (1/2, 2, 3), k_1 = (1, 1, 0): 5/2 over the root of 3.
    np.testing.assert_allclose(pick(example.right, "z_2")[0], 2.5 / 3**0.5, rtol=1e-15)
    np.testing.assert_array_equal(pick(example.right, "V"), [[3], [9.5]])
    # k_2 = (1/2, 9/2, 2).
    z = np.array([2.5, 0.25 + 9 + 6]) / 3**0.5
    np.testing.assert_allclose(pick(example.right, "a_2"), np.exp(z) / np.exp(z).sum(), rtol=1e-14)


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
    np.testing.assert_allclose(SOFTMAX_SUBSTITUTES[tag](scores), weights, rtol=1e-14)
