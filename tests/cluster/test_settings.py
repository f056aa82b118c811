from __future__ import annotations

import itertools

import numpy as np
import pytest

from regard.cluster.sweeps.settings import expand, generator, read_cells, values
from regard.errors import ParameterError


def test_a_grid_has_every_combination_and_the_last_name_changes_fastest() -> None:
    grid = {"n": [2, 3], "method": ["a", "b", "c"], "d": 5}
    expected = [
        {"n": n, "method": m, "d": 5} for n, m in itertools.product([2, 3], ["a", "b", "c"])
    ]
    assert expand("sweep", grid) == expected


def test_ranges_are_whole_numbers_even_steps_or_even_factors() -> None:
    assert values("sweep", "n", {"from": 3, "to": 6}) == [3, 4, 5, 6]
    assert values("sweep", "x", {"from": 0, "to": 1, "steps": 5}) == [0, 0.25, 0.5, 0.75, 1]
    log = values("sweep", "x", {"from": 1, "to": 16, "steps": 5, "spacing": "log"})
    np.testing.assert_allclose(log, [1, 2, 4, 8, 16], rtol=1e-15)
    assert values("sweep", "x", np.arange(3)) == [0, 1, 2]


def test_the_stream_of_a_cell_is_a_child_of_the_seed_and_depends_on_its_settings_alone() -> None:
    few = read_cells("sweep", {"n": [2, 3], "scale": [1.0, 7.0]})
    many = read_cells("sweep", {"scale": [7.0, 5.0, 1.0], "n": [3, 11, 2]})
    by_name = {cell.name: cell for cell in many}
    for cell in few:
        assert by_name[cell.name].stream == cell.stream
        child = np.random.SeedSequence(17, spawn_key=cell.stream)
        expected = np.random.Generator(np.random.PCG64(child)).random(5)
        np.testing.assert_array_equal(generator(17, cell.stream).random(5), expected)
    assert len({cell.stream for cell in many}) == 9
    assert generator(17, few[0].stream).random() != generator(18, few[0].stream).random()


def test_paired_settings_share_their_draws_and_others_do_not() -> None:
    cells = read_cells("sweep", {"n": [2, 3], "heads": [1, 2, 5]}, paired=["heads"])
    assert len({cell.name for cell in cells}) == 6
    assert len({cell.stream for cell in cells}) == 2
    alone = read_cells("sweep", {"n": [2]})[0]
    assert cells[0].stream == alone.stream  # as if heads were not there


def test_whole_floats_are_the_same_setting_as_whole_numbers() -> None:
    one, other = (read_cells("sweep", [{"scale": x}])[0] for x in (2, 2.0))
    assert one.name == other.name
    assert (
        read_cells("sweep", [{"scale": True}])[0].name
        != read_cells("sweep", [{"scale": 1}])[0].name
    )


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n": [2, 3, 2]}, "cells 0 and 2 have the same settings, {'n': 2}. To draw one several"),
        ({"n": []}, "sweep: n has no values."),
        ({"n": np.array([])}, "sweep: n has no values."),
        ([], "sweep: settings are empty: there is nothing to do. Give settings their values"),
        ({"x": [0.5, float("nan")]}, "sweep: x is NaN, not a number. Leave that cell out."),
        ([{"x": [1, np.float32("nan")]}], "sweep: x is NaN, not a number."),
        ({"x": {"from": 0, "to": float("inf"), "steps": 3}}, "sweep: x must be a range {from, to} of finite numbers"),
        ("scale", "sweep: settings must be a grid such as"),
        ([{"keys": np.ones(3)}], "sweep: keys must be numbers, words, True or False"),
        ({"n": {"from": 1.5, "to": 3}}, "a range without steps goes over whole numbers"),
        ({"n": {"from": -1, "to": 3, "steps": 3, "spacing": "log"}}, "must lie above 0"),
        ({"n": range(10**4), "m": range(10**4)}, "the grid has 100000000 cells"),
        ({"status": [1]}, "sweep: a setting cannot be called 'status'."),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused_in_a_sentence(
    settings: object, sentence: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        read_cells("sweep", settings)
    assert sentence in str(refused.value)
