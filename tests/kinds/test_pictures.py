"""The pictures of kinds whose answers are counts, statements, keys and matrices for sequences."""

from __future__ import annotations

import numpy as np
import pytest

import regard
from regard.report import Plot


def picture(name: str) -> Plot:
    """Return the first picture of a bundled problem's solution."""
    return next(one for one in regard.solve(name).report().blocks if isinstance(one, Plot))


def looks(name: str) -> list[int]:
    """Return where each row of a map looks most, counted from 0."""
    return [int(np.argmax(row)) for row in picture(name).rows]


def test_a_layer_of_attention_is_made_of_four_squares() -> None:
    (series,) = picture("parameters-of-attention").series
    assert series.x == ("$W_Q$", "$W_K$", "$W_V$", "$W_O$")
    assert series.y == (512**2,) * 4


def test_statements_that_hold_are_marked() -> None:
    plot = picture("memory-of-the-scores")
    assert plot.column_labels == ("(a)", "(b)", "(c)", "(d)", "(e)", "(f)")
    assert plot.rows == ((1, 0, 1, 0, 1, 1),)


def test_the_weights_with_a_new_key_are_those_wanted() -> None:
    weights, wanted = picture("replace-a-key-to-average").series
    assert wanted.y == pytest.approx((1 / 3, 1 / 3, 1 / 3, 0))
    np.testing.assert_allclose(weights.y, wanted.y, atol=1e-3)


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("copy-every-token", None),
        ("copy-the-first-token", [0] * 8),
        ("copy-the-previous-token", [0, 0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_heads_for_every_sequence_look_where_they_should(
    name: str, places: list[int] | None
) -> None:
    plot = picture(name)
    np.testing.assert_allclose(np.sum(plot.rows, axis=1), 1, rtol=1e-12)
    n = len(plot.rows)
    for i, j in enumerate(looks(name)):
        same = plot.row_labels[i] == plot.row_labels[j]
        assert same if places is None else j == places[:n][i]


def test_an_induction_head_looks_at_what_followed_the_same_token() -> None:
    plot = picture("induction-head")
    assert plot.row_labels == ("a", "b", "c", "a", "b")
    assert looks("induction-head")[3:] == [1, 2]  # a: at b after a; b: at c after b


def test_two_previous_token_heads_look_two_steps_back_together() -> None:
    assert looks("two-steps-back-by-two-heads")[2:] == [1, 2, 3]  # layer 1 did the other step
