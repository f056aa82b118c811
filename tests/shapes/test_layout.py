"""Which axes of a call are batch, heads and lengths."""

from __future__ import annotations

import numpy as np
import pytest

from regard.errors import ShapeError
from regard.shapes.layout import Layout, fit


def of(*shape: int) -> np.ndarray:
    return np.zeros(shape)


def test_two_axes_are_lengths_and_widths_alone() -> None:
    assert fit("f", of(3, 5), of(7, 5), of(7, 11), None) == Layout((), (), 3, 7, 5, 11)


def test_a_third_axis_is_the_heads() -> None:
    found = fit("f", of(2, 3, 5), of(2, 7, 5), of(2, 7, 11), None)
    assert found == Layout((2,), (2, 1), 3, 7, 5, 11)


def test_heads_of_queries_are_split_among_fewer_heads_of_keys() -> None:
    found = fit("f", of(13, 6, 3, 5), of(13, 2, 7, 5), of(13, 2, 7, 11), None)
    assert found == Layout((13, 6), (13, 2, 3), 3, 7, 5, 11)


def test_batch_axes_of_length_one_stretch() -> None:
    found = fit("f", of(1, 2, 3, 5), of(13, 2, 7, 5), of(1, 2, 7, 11), None)
    assert found.outer == (13, 2)
    assert found.batch == (13,)


def test_a_mask_may_add_a_batch_axis() -> None:
    found = fit("f", of(2, 3, 5), of(2, 7, 5), of(2, 7, 11), of(13, 2, 3, 7))
    assert found.outer == (13, 2)


def test_without_values_their_width_is_zero() -> None:
    assert fit("f", of(3, 5), of(7, 5), None, None).d_v == 0


@pytest.mark.parametrize(
    ("query", "key", "value", "mask"),
    [
        ((3, 5), (7, 4), (7, 11), None),  # widths
        ((3, 5), (7, 5), (6, 11), None),  # lengths of keys and values
        ((4, 3, 5), (3, 7, 5), (3, 7, 11), None),  # four heads among three
        ((13, 2, 3, 5), (12, 2, 7, 5), (12, 2, 7, 11), None),  # batches
        ((3, 5), (7, 5), (7, 11), (3, 6)),  # a mask of other lengths
    ],
)
def test_shapes_that_disagree_are_refused(query, key, value, mask) -> None:
    with pytest.raises(ShapeError, match=r"^f: "):
        fit("f", of(*query), of(*key), of(*value), None if mask is None else of(*mask))


def test_an_array_is_spread_over_groups_without_a_copy() -> None:
    layout = fit("f", of(13, 6, 3, 5), of(13, 2, 7, 5), of(13, 2, 7, 11), None)
    key = np.random.default_rng(0).standard_normal((13, 2, 7, 5))
    spread = layout.spread(key)
    assert spread.shape == (13, 2, 3, 7, 5)
    assert np.shares_memory(spread, key)
    for head in range(6):  # heads 0, 1, 2 read the first head of the keys
        np.testing.assert_array_equal(spread[:, head // 3, head % 3], key[:, head // 3])
