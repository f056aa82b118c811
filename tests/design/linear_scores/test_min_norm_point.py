"""The nearest point of a hull to the origin, by hand and against a quadratic program."""

from __future__ import annotations

import cvxpy
import numpy as np
import pytest

from regard.design.linear_scores.min_norm_point import (
    Nearest,
    PointSet,
    nearest_point,
    point_set,
)


def combined(points: np.ndarray, found: Nearest) -> np.ndarray:
    """Check that it is an average of points of the hull, and return that average."""
    assert np.all(found.weights > 0)
    assert np.sum(found.weights) == pytest.approx(1, abs=1e-12)
    return found.weights @ points[found.indices]


def test_the_foot_of_a_perpendicular_is_inside_a_segment() -> None:
    points = np.array([[1.0, -1.0], [1.0, 2.0]])  # on the line x = 1
    found = nearest_point(point_set(points))
    np.testing.assert_allclose(found.point, [1, 0], atol=1e-12)
    np.testing.assert_allclose(found.weights[np.argsort(found.indices)], [2 / 3, 1 / 3])
    assert found.lower == pytest.approx(1) == found.upper


def test_a_corner_is_nearest_where_all_else_lies_behind_it() -> None:
    points = np.array([[3.0, 4.0], [6.0, 5.0], [4.0, 9.0]])
    found = nearest_point(point_set(points))
    np.testing.assert_array_equal(found.indices, [0])
    assert found.upper == pytest.approx(5)


def test_a_face_of_a_simplex_is_found_in_its_middle() -> None:
    found = nearest_point(point_set(np.eye(7)))
    np.testing.assert_allclose(found.point, np.full(7, 1 / 7), atol=1e-12)
    assert found.upper == pytest.approx(1 / np.sqrt(7))


def test_a_hull_around_the_origin_is_separated_by_nothing() -> None:
    points = np.array([[2.0, 0.0], [-1.0, 1.0], [-1.0, -3.0]])
    found = nearest_point(point_set(points))
    assert found.lower <= 0
    assert found.upper < 1e-6


def test_points_that_are_only_a_little_lower_are_looked_at() -> None:
    angles = np.linspace(-0.3, 0.3, 101)  # an arc; nearest is the middle of its chord
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found = nearest_point(point_set(points), start=np.array([-1.0, 0.0]))  # the chord's ends last
    np.testing.assert_allclose(found.point, [np.cos(0.3), 0], atol=1e-12)
    np.testing.assert_array_equal(np.sort(found.indices), [0, 100])


def test_points_that_do_not_take_part_are_in_no_average() -> None:
    points = np.array([[1.0, 0.0], [3.0, 0.0], [3.0, 1.0]])
    others = PointSet(3, lambda w: np.append(np.inf, points[1:] @ w), lambda i: points[i])
    found = nearest_point(others)
    np.testing.assert_array_equal(found.indices, [1])
    np.testing.assert_allclose(found.point, [3, 0])


@pytest.mark.parametrize("seed", range(5))
def test_no_quadratic_program_finds_a_nearer_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((53, 5)) + 3 * rng.standard_normal(5)
    found = nearest_point(point_set(points))
    weights = cvxpy.Variable(53, nonneg=True)
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(weights @ points)), [cvxpy.sum(weights) == 1])
    distance = program.solve()
    np.testing.assert_allclose(combined(points, found), found.point, atol=1e-10)
    assert found.lower - 1e-9 <= distance <= found.upper + 1e-6
    assert found.upper <= distance + 1e-6
    if found.lower > 0:  # the bound is what it says: all points are that far along the direction
        direction = found.point / np.linalg.norm(found.point)
        assert np.min(points @ direction) >= found.lower - 1e-12
