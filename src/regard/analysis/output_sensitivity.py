"""How far the output of a head moves when its query or its scores do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.score_changes import change_of, largest_change, lengths
from regard.analysis.summary import facts_of, scalar, span
from regard.errors import ParameterError
from regard.report import Report, Text
from regard.report.reported import Reported
from regard.shapes import real
from regard.shapes.extremes import finite_or_refused
from regard.shapes.laws import batch_axes, read_stack

__all__ = ["Sensitivity", "diameter", "sensitivity"]

Array = NDArray[np.float64]

AXES = {
    "query": "(..., d)",
    "keys": "(..., n, d)",
    "values": "(..., n, d_v)",
    "scale": "(...)",
    "perturbation": "(..., n)",
}
MOST_POINTS = 5000  # up to here all pairs are compared; beyond, a ball bounds the diameter
CHUNK = 2**20  # distances held at once: 8 MB


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Reported):
    """What a change of the query or of the scores does to the output c.

    Attributes:
        output: (..., d_v), c = Σ weights · values.
        weights: (..., n).
        jacobian: (..., d_v, d), ∂c/∂q = scale · Cov_weights(value, key).
        norm: (...), its largest singular value.
        norm_bound: (...), |scale| · diam(values) · diam(keys) / 4, which no query exceeds.
        value_diameter: (...), the largest distance between two values.
        key_diameter: (...), the largest distance between two keys.
        exact_diameters: False where more than 5000 points were bounded by a ball instead:
            the diameters are then upper bounds, at most twice too large.
        oscillation: (...), largest minus smallest change of a score, or None.
        change: (...), ‖Δc‖ for the given changes; for a bound on them, the largest that was
            found within it, which is the largest there is if d_v = 1.
        change_bound: (...), diam(values) · tanh(oscillation / 4), which ‖Δc‖ never exceeds.
    """

    output: Array
    weights: Array
    jacobian: Array
    norm: Array
    norm_bound: Array
    value_diameter: Array
    key_diameter: Array
    exact_diameters: bool
    oscillation: Array | None = None
    change: Array | None = None
    change_bound: Array | None = None

    def report(self) -> Report:
        """The sensitivity as a report."""
        about = "" if self.exact_diameters else "at most "
        changes = []
        if self.change is not None and self.change_bound is not None:
            changes = [
                ("oscillation of the scores", span(np.asarray(self.oscillation))),
                ("‖Δc‖", span(self.change)),
                ("never more than", span(self.change_bound)),
            ]
        facts = facts_of(
            self.norm,
            ("‖∂c/∂q‖", span(self.norm)),
            ("no query exceeds", span(self.norm_bound)),
            ("diameter of the values", about + span(self.value_diameter)),
            ("diameter of the keys", about + span(self.key_diameter)),
            *changes,
        )
        said = (
            "" if self.exact_diameters else " The diameters are those of balls around the points."
        )
        text = Text(f"c is the output over {np.shape(self.weights)[-1]} keys.{said}")
        return Report("Sensitivity of the output", (text, facts))


def sensitivity(
    query: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    *,
    scale: ArrayLike = 1.0,
    perturbation: ArrayLike | None = None,
) -> Sensitivity:
    """Measure how the output c = Σ softmax(scale · keys @ query) · values responds to changes.

    Args:
        query: (..., d).
        keys: (..., n, d).
        values: (..., n, d_v).
        scale: a number or (...), what scores are multiplied by.
        perturbation: (..., n), a change of each score, in the units of the scaled score; or one
            number η ≥ 0 that bounds every |change|, such as the rounding error of the scores.

    Returns:
        Sensitivity: the Jacobian with its bound, and for a perturbation ‖Δc‖ with its bound.
        Two keys reach both bounds: the first where their weights are equal, the second where
        the change swaps their weights.

    >>> two = sensitivity([-1.0], [[0.0], [1.0]], [[0.0], [1.0]], perturbation=[-1.0, 1.0])
    >>> print(f"{two.norm:.6f} {two.norm_bound:.6f}")  # weight · (1 − weight), at most 1/4
    0.196612 0.250000
    >>> print(f"{two.change:.6f} {two.change_bound:.6f}")  # both tanh(2/4)
    0.462117 0.462117
    """
    function = "sensitivity"
    q = read_stack(function, "query", query, AXES["query"])
    k = read_stack(function, "keys", keys, AXES["keys"], width=q.shape[-1])
    v = read_stack(function, "values", values, AXES["values"], rows=k.shape[-2])
    c = read_stack(function, "scale", scale, AXES["scale"])
    given = {"query": q, "keys": k, "values": v, "scale": c}
    bound_only = perturbation is not None and np.ndim(perturbation) == 0
    if bound_only:
        eta = real(function, "perturbation", perturbation)
        if eta < 0:
            raise ParameterError(
                f"{function}: perturbation as one number bounds every |change| of a score and "
                f"must be ≥ 0. Got {eta:g}."
            )
    elif perturbation is not None:
        moved = read_stack(
            function, "perturbation", perturbation, AXES["perturbation"], rows=k.shape[-2]
        )
        given["perturbation"] = moved
    batch = batch_axes(function, given, AXES)

    return finite_or_refused(
        function,
        given,
        lambda: _measured(given, batch, eta if bound_only else None),
        lambda found: (found.output, found.jacobian, found.norm, found.norm_bound),
    )


def _measured(given: dict[str, Array], batch: tuple[int, ...], eta: float | None) -> Sensitivity:
    """Measure it for arguments that fit; eta bounds every change, where no change is given."""
    function = "sensitivity"
    q, k, v, c = (given[name] for name in ("query", "keys", "values", "scale"))
    moved = given.get("perturbation")
    top = _top(function, q, k, c, batch)
    # From the heaviest key, whose own distance is exactly zero: a nearly certain choice keeps
    # its small Jacobian to full precision.
    k, v = (_from(x, top, batch) for x in (k, v))
    with np.errstate(over="ignore", invalid="ignore"):
        scores = c[..., None] * (k @ q[..., None])[..., 0]
    _refuse_overflow(function, scores)
    log_weights = scores - np.max(scores, axis=-1, keepdims=True)
    log_weights = log_weights - np.log(np.sum(np.exp(log_weights), axis=-1, keepdims=True))
    weights = np.exp(log_weights)
    output = np.einsum("...i,...ij->...j", weights, v)
    around_output = v - output[..., None, :]
    around_key = k - np.einsum("...i,...ij->...j", weights, k)[..., None, :]
    jacobian = np.swapaxes(around_output * weights[..., None], -1, -2) @ around_key
    jacobian = c[..., None, None] * jacobian
    of_values, exact_values = diameter(given["values"])
    of_keys, exact_keys = diameter(given["keys"])
    origin = np.take_along_axis(
        np.broadcast_to(given["values"], v.shape), top[..., None, None], axis=-2
    )
    changes: dict[str, Array] = {}
    if eta is not None or moved is not None:
        if moved is not None:
            oscillation = np.broadcast_to(np.ptp(moved, axis=-1), batch)
            change = lengths(change_of(log_weights, around_output, moved))
        else:
            assert eta is not None
            oscillation = np.full(batch, 2 * eta)
            change = largest_change(log_weights, around_output, eta)
        bound = of_values * np.tanh(oscillation / 4)
        changes = {"oscillation": oscillation, "change": change, "change_bound": bound}
    found = {
        "output": output + origin[..., 0, :],
        "weights": weights,
        "jacobian": jacobian,
        "norm": np.linalg.norm(jacobian, ord=2, axis=(-2, -1)),
        "norm_bound": np.broadcast_to(np.abs(c) * of_values * of_keys / 4, batch),
        "value_diameter": np.broadcast_to(of_values, batch),
        "key_diameter": np.broadcast_to(of_keys, batch),
        **changes,
    }
    return Sensitivity(
        **{name: scalar(np.asarray(x)) for name, x in found.items()},
        exact_diameters=exact_values and exact_keys,
    )


def diameter(points: Array) -> tuple[Array, bool]:
    """Return the largest distance between two of the points (..., n, d), and whether exactly.

    Beyond 5000 points: twice the largest distance from their mean, which is at least the
    diameter and at most twice that.
    """
    n = points.shape[-2]
    unit = np.max(np.abs(points), axis=(-2, -1), keepdims=True)
    unit = np.where(unit > 0, unit, 1.0)
    points = points / unit
    points = points - np.mean(points, axis=-2, keepdims=True)
    squares = np.sum(points**2, axis=-1)
    if n > MOST_POINTS:
        return 2 * np.sqrt(np.max(squares, axis=-1)) * unit[..., 0, 0], False
    step = max(1, CHUNK // (n * max(1, math.prod(points.shape[:-2]))))
    farthest = np.full((*points.shape[:-2], 2), 0)
    best = np.full(points.shape[:-2], -1.0)
    for first in range(0, n, step):
        some = slice(first, first + step)
        products = points[..., some, :] @ np.swapaxes(points, -1, -2)
        table = squares[..., some, None] + squares[..., None, :] - 2 * products
        flat = table.reshape(*table.shape[:-2], -1)
        at = np.argmax(flat, axis=-1)
        found = np.take_along_axis(flat, at[..., None], axis=-1)[..., 0]
        pair = np.stack([at // n + first, at % n], axis=-1)
        farthest = np.where((found > best)[..., None], pair, farthest)
        best = np.maximum(best, found)
    # The products only find the pair; its distance is computed from the difference.
    ends = np.take_along_axis(points, farthest[..., None], axis=-2)
    return lengths(ends[..., 0, :] - ends[..., 1, :]) * unit[..., 0, 0], True


def _top(function: str, q: Array, k: Array, c: Array, batch: tuple[int, ...]) -> NDArray[np.intp]:
    """Return which key has the highest score."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = c[..., None] * (k @ q[..., None])[..., 0]
    _refuse_overflow(function, scores)
    return np.broadcast_to(np.argmax(scores, axis=-1), batch)


def _from(points: Array, origin: NDArray[np.intp], batch: tuple[int, ...]) -> Array:
    points = np.broadcast_to(points, (*batch, *points.shape[-2:]))
    return points - np.take_along_axis(points, origin[..., None, None], axis=-2)


def _refuse_overflow(function: str, scores: Array) -> None:
    if not np.all(np.isfinite(scores)):
        raise ParameterError(
            f"{function}: the scores scale · keys @ query are too large for float64. "
            f"Pass a smaller scale."
        )
