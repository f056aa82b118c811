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


def test_one_head_of_queries_reads_every_head_of_keys() -> None:
    found = fit("f", of(3, 5), of(6, 7, 5), of(6, 7, 11), None)
    assert found == Layout((6,), (6, 1), 3, 7, 5, 11)
    assert found.batch == (6,)  # a lone axis may be a batch as well


def test_a_mask_stretches_a_single_head_unless_the_heads_are_settled() -> None:
    arrays = of(1, 3, 5), of(1, 7, 5), of(1, 7, 11), of(4, 3, 7)
    assert fit("f", *arrays).outer == (4,)
    with pytest.raises(ShapeError, match="mask does not broadcast"):
        fit("f", *arrays, heads_settled=True)


def test_keys_and_values_in_other_groups_are_each_read_by_their_own_heads() -> None:
    layout = fit("f", of(6, 3, 5), of(2, 7, 5), of(3, 7, 11), None)
    value = np.random.default_rng(0).standard_normal((3, 7, 11))
    spread = layout.spread(value).reshape(6, 7, 11)
    for head in range(6):  # heads 0 and 1 read the first head of the values
        np.testing.assert_array_equal(spread[head], value[head // 2])


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
