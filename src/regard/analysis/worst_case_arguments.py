"""Read the arguments of `analysis.worst_case`: what may move, how far, and along what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import numbers
from regard.errors import ParameterError, ShapeError
from regard.shapes import real, show
from regard.shapes.goals import read_rows, read_vector

__all__ = ["Arguments", "read_arguments", "read_radii"]

FUNCTION = "analysis.worst_case"
Array = NDArray[np.float64]
LARGEST = 1e300  # of a number whose sums are still floats


@dataclass(frozen=True, eq=False)
class Arguments:
    """What is given, checked.

    Attributes:
        values: (n, d_v).
        directions: (m, d_v).
        single: whether one number is asked for, and not one per direction.
        scale: what scores are multiplied by.
        scores: (2, n), lower and upper ends; None where keys move.
        query: (d,), keys: (n, d), radii: (n,); None, None and 0 where scores are given.
    """

    values: Array
    directions: Array
    single: bool
    scale: float
    scores: Array | None
    query: Array | None
    keys: Array | None
    radii: Array

    @property
    def heights(self) -> NDArray[np.longdouble]:
        """The values along each direction, (m, n)."""
        wide = self.values.astype(np.longdouble)
        return np.einsum("md,nd->mn", self.directions.astype(np.longdouble), wide)

    @property
    def rounding(self) -> float:
        """How far off each of these may be, at most."""
        size = np.max(np.abs(self.directions) @ np.abs(self.values).T)
        return float((self.values.shape[1] + 2) * np.finfo(np.longdouble).eps * size)

    @property
    def moves(self) -> Array | None:
        """How each key moves to raise its score, (n, d): along the query, as far as it may."""
        if self.query is None or self.keys is None:
            return None
        wide = self.query.astype(np.longdouble)
        length = np.sqrt(np.sum(wide * wide))
        if length == 0 or self.scale == 0:
            return np.zeros_like(self.keys)
        unit = (np.sign(self.scale) * wide / length).astype(np.float64)
        return np.asarray(self.radii[:, None] * unit)


def read_arguments(
    query: Any, keys: Any, values: Any, radius: Any, scores: Any, direction: Any, scale: Any
) -> Arguments:
    """Check the arguments of `worst_case`, or say what is wrong with them."""
    if (radius is None) == (scores is None):
        both = "Got neither." if radius is None else "Got both."
        raise ParameterError(
            f"{FUNCTION}: pass radius (how far keys may move) or scores (their intervals). {both}"
        )
    averaged, flat = _read_values(values)
    directions, single = _read_directions(direction, averaged.shape[1], flat)
    factor, n = real(FUNCTION, "scale", scale), len(averaged)
    if scores is not None:
        ends = _read_scores(scores, n)
        return Arguments(averaged, directions, single, 1.0, ends, None, None, np.zeros(n))
    for name, x in (("query", query), ("keys", keys)):
        if x is None:
            raise ParameterError(f"{FUNCTION}: {name} is None. With radius, {name} is needed.")
    table = read_rows(FUNCTION, "keys", keys, "(n, d)", rows=n)
    vector = read_vector(FUNCTION, "query", query, table.shape[1])
    radii = read_radii(FUNCTION, radius, n)
    return Arguments(averaged, directions, single, factor, None, vector, table.copy(), radii)


def read_radii(function: str, radius: object, n: int) -> Array:
    """Read how far each of n keys may move: one number ≥ 0 for all, or a vector."""
    array = np.asarray(numbers(function, "radius", radius).array, dtype=np.float64)
    if array.shape not in ((), (n,)):
        raise ShapeError(
            f"{function}: radius must be one number, or one per key: shape ({n},). "
            f"Got shape {show(array.shape)}."
        )
    radii = np.array(np.broadcast_to(array, (n,)))
    if np.any(np.isposinf(radii)):
        raise ParameterError(
            f"{function}: radius must be finite. Got infinity: the output of keys that may be "
            f"anywhere comes as near as one likes to each value, and reaches none."
        )
    if not np.all(radii >= 0):
        worst = int(np.argmin(np.where(np.isnan(radii), -np.inf, radii)))
        raise ParameterError(f"{function}: radius must be ≥ 0. Got {radii[worst]:g}.")
    return radii


def _read_values(values: Any) -> tuple[Array, bool]:
    """Values as (n, d_v), and whether they were single numbers."""
    array = numbers(FUNCTION, "values", values).array
    flat = array.ndim == 1
    table = read_rows(FUNCTION, "values", array[:, None] if flat else array, "(n, d_v)").copy()
    if np.max(np.abs(table)) > LARGEST:
        raise ParameterError(
            f"{FUNCTION}: values must be at most {LARGEST:g} in size. "
            f"Got {np.max(np.abs(table)):g}."
        )
    return table, flat


def _read_directions(direction: Any, width: int, flat: bool) -> tuple[Array, bool]:
    if direction is None:
        return np.eye(width), flat
    array = numbers(FUNCTION, "direction", direction).array
    if array.ndim == 2:
        found = read_rows(FUNCTION, "direction", direction, "(m, d_v)", width=width)
    else:
        found = read_vector(FUNCTION, "direction", direction, width)[None]
    if np.max(np.abs(found)) > 1:
        unit = 2.0 ** np.ceil(np.log2(np.max(np.abs(found))))
        if unit * width > 1e8:
            raise ParameterError(
                f"{FUNCTION}: direction must have entries below 1e8 / d_v. "
                f"Got {np.max(np.abs(found)):g}."
            )
    return found.copy(), array.ndim != 2


def _read_scores(scores: Any, n: int) -> Array:
    try:
        lower, upper = scores
    except (TypeError, ValueError):
        raise ParameterError(
            f"{FUNCTION}: scores must be a pair (lower, upper), each of shape ({n},)."
        ) from None
    ends = np.stack(
        [read_vector(FUNCTION, f"scores[{i}]", x, n) for i, x in enumerate((lower, upper))]
    )
    crossed = np.flatnonzero(ends[0] > ends[1])
    if len(crossed):
        at = int(crossed[0])
        raise ParameterError(
            f"{FUNCTION}: scores must have lower ≤ upper. Got {ends[0, at]:g} > {ends[1, at]:g} "
            f"at {at}."
        )
    return ends
