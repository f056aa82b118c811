"""The parameters with the smallest error found, in the measure that the error is quoted in.

The largest |α − P| is neither convex nor smooth. From each start a descent goes down on a smooth
stand-in for it, and sequential quadratic programming then makes the largest differences equal:
minimise t with |α_ij − P_ij| ≤ t. With values ‖output − wanted‖² is smooth as it is. What is found
is a minimum nearby, the smallest of several: closest found, not closest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from regard.design.linear_scores.family import Array, Family, Pattern, softmax
from regard.design.linear_scores.smallest_scale import differences, off_target

__all__ = ["smallest_error", "starts"]

STARTS = 24
MOST_NUMBERS = 2_000_000  # a descent passes over all keys hundreds of times
MOST_POLISHED = 40  # parameters
ROUNDS = 3


def smallest_error(
    family: Family,
    pattern: Pattern,
    values: Array | None,
    begin: Iterable[Array],
    tolerance: float,
) -> Array:
    """The vector with the smallest error found; the first one within the tolerance will do."""
    error = off_target(pattern, values)
    best: Array | None = None
    least = np.inf
    for start in begin:
        for vector in _improved(family, pattern, values, start):
            found = error(family.scores(vector))
            if found < least or best is None:
                best, least = vector, found
            if least <= tolerance:
                return best
    assert best is not None
    return best


def _improved(
    family: Family, pattern: Pattern, values: Array | None, start: Array
) -> Iterator[Array]:
    """The start, and what each way of going down from it comes to."""
    yield start
    if family.keys.size * len(family.rows) > MOST_NUMBERS:
        return
    if values is not None:
        yield descend(family, pattern, values, start)
        return
    vector = start
    for power in (8, 48):
        vector = descend(family, pattern, None, vector, power)
        yield vector
    if family.size <= MOST_POLISHED:
        error = off_target(pattern, None)
        for _ in range(ROUNDS):
            moved = _polished(family, pattern, vector)
            if not error(family.scores(moved)) < error(family.scores(vector)) * (1 - 1e-9):
                break
            vector = moved
            yield vector


def starts(family: Family, near: Array, count: int = STARTS) -> Iterator[Array]:
    """Where a descent may begin: the closest in divergence, 0, and directions of several sizes."""
    yield near
    yield np.zeros(family.size)
    rng = np.random.default_rng(0)
    even = np.full((len(family.rows), len(family.keys)), 1 / len(family.keys))
    size = float(np.sqrt(np.linalg.norm(family.curvature(even))))
    for _ in range(count):
        direction = rng.standard_normal(family.size)
        yield direction * (10 ** rng.uniform(-1, 1.7) / max(size, 1e-300))


def descend(
    family: Family, pattern: Pattern, values: Array | None, start: Array, power: int = 8
) -> Array:
    """Go down on the error itself (on a smooth stand-in for the largest one) from `start`."""
    from scipy.optimize import minimize  # slow to load

    def error(vector: Array) -> tuple[float, Array]:
        scores = family.scores(vector)
        missed: Array = np.asarray(differences(scores, pattern), dtype=np.float64)
        if values is None:
            size = float(np.max(np.abs(missed))) or 1.0
            shares = np.abs(missed) / size
            total = float(np.sum(shares**power))
            value = size * total ** (1 / power)
            slope = total ** (1 / power - 1) * shares ** (power - 1) * np.sign(missed)
        else:
            moved = missed @ values
            value = float(np.sum(moved * moved))
            slope = 2 * moved @ values.T
        weights = softmax(scores)
        pull = weights * (slope - np.sum(weights * slope, axis=1, keepdims=True))
        return value, family.moment(pull)

    # Squares of errors of 1e-9 are far below the usual precision of a minimum.
    options = {"maxiter": 500} | ({} if values is None else {"ftol": 1e-30, "gtol": 1e-16})
    result = minimize(error, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(result.x, dtype=np.float64)


def _polished(family: Family, pattern: Pattern, start: Array) -> Array:
    """Make the largest differences equal: minimise t with |α − P| ≤ t where it is largest."""
    from scipy.optimize import minimize  # slow to load

    m, n = len(family.rows), len(family.keys)
    missed = np.abs(np.asarray(differences(family.scores(start), pattern), float)).ravel()
    active = np.argsort(-missed)[: 3 * family.size + 12]
    rows, columns = np.divmod(active, n)
    of_active = family.features(active)
    # Steps of SLSQP are in units of the variables: scores of about 1.
    unit = 1 / max(float(np.max(np.abs(of_active - np.mean(of_active, axis=0)))), 1e-300)

    def parts(point: Array) -> tuple[Array, Array]:
        scores = family.scores(point[:-1] * unit)
        return np.asarray(differences(scores, pattern), float)[rows, columns], softmax(scores)

    def limits(point: Array) -> Array:
        off, _ = parts(point)
        return np.concatenate([point[-1] - off, point[-1] + off])

    def slopes(point: Array) -> Array:
        _, weights = parts(point)
        means = np.array([_mean_feature(family, row, weights[row]) for row in range(m)])
        jacobian = unit * weights[rows, columns][:, None] * (of_active - means[rows])
        ones = np.ones((len(active), 1))
        return np.concatenate([np.hstack([-jacobian, ones]), np.hstack([jacobian, ones])])

    goal = np.zeros(family.size + 1)
    goal[-1] = 1
    constraint: dict[str, str | Callable[[Array], Array]] = {
        "type": "ineq",
        "fun": limits,
        "jac": slopes,
    }
    begin = np.append(start / unit, float(np.max(missed)))
    result = minimize(
        lambda point: float(point[-1]),
        begin,
        jac=lambda _: goal,
        constraints=[constraint],
        method="SLSQP",
        options={"maxiter": 100, "ftol": 1e-14},
    )
    found = np.asarray(result.x[:-1], dtype=np.float64) * unit
    return found if np.all(np.isfinite(found)) else start


def _mean_feature(family: Family, row: int, weights: Array) -> Array:
    return family.scale * np.outer(weights @ family.keys, family.rows[row]).ravel()
