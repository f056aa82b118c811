"""Designs in very many dimensions, where thousands of keys share what is decided."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regard.certify import verify
from regard.design import query as design_query
from regard.design.linear_scores.block_pivoting import LARGE, block_pivoting
from regard.design.linear_scores.min_norm_point import nearest_point, point_set


def test_pivoting_finds_the_nearest_point_of_a_hull() -> None:
    rng = np.random.default_rng(2)
    for m, d in ((3, 7), (29, 31), (61, 67)):
        points = rng.normal(size=(m, d)) + rng.normal(size=d)
        found = block_pivoting(points)
        assert found is not None
        at, weights = found
        assert np.min(weights) > 0
        np.testing.assert_allclose(np.sum(weights), 1)
        x = weights @ points[at]
        assert np.min(points @ x) >= x @ x * (1 - 1e-9)  # which makes it the nearest


def test_pivoting_makes_no_guess_where_points_depend_on_each_other() -> None:
    assert block_pivoting(np.ones((5, 3))) is None
    assert block_pivoting(np.zeros((3, 5))) is None


def test_the_nearest_point_begins_with_the_guess() -> None:
    points = np.eye(LARGE + 3)
    nearest = nearest_point(point_set(points))
    np.testing.assert_allclose(nearest.upper, 1 / math.sqrt(LARGE + 3), rtol=1e-12)
    assert len(nearest.indices) == LARGE + 3


@pytest.mark.parametrize("law", ["orthonormal", "whole numbers"])
def test_a_copy_over_many_keys_in_many_dimensions_is_the_shortest(law: str) -> None:
    n = LARGE + 5
    rng = np.random.default_rng(4)
    keys = np.eye(n) if law == "orthonormal" else rng.integers(-4, 5, (n, n)).astype(float)
    design = design_query(keys, 0)
    assert design.longer == 1e-9
    assert verify(design.certificate, keys=keys).holds
    if law == "orthonormal":  # √((n − 1)/n) ln((n − 1)(1 − ε)/ε)
        length = math.sqrt((n - 1) / n) * math.log((n - 1) * 999)
        np.testing.assert_allclose(np.linalg.norm(design.query), length, rtol=1e-9)
