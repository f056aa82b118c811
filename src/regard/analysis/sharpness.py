"""How many keys a head attends to in effect, and the scale that makes it so many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.summary import facts_of, scalar, span
from regard.arrays import numbers
from regard.errors import ParameterError, ShapeError
from regard.report import Report
from regard.report.reported import Reported
from regard.shapes import choice, show
from regard.shapes.laws import read_stack

__all__ = ["Entropy", "entropy", "scale_for_support"]

Array = NDArray[np.float64]

KINDS = ("entropy", "inverse_participation")
FARTHEST = 746.0  # e^−746 is zero in float64
STEPS = 200  # of the root search; half of them halvings, and 100 halvings exhaust float64


@dataclass(frozen=True, eq=False, repr=False)
class Entropy(Reported):
    """How concentrated weights are.

    Attributes:
        weights: (..., n), softmax(scale · scores).
        entropy: (...), H = −Σ w log w, in nats.
        effective_support: (...), e^H: between 1 and the number of keys.
        inverse_participation: (...), 1 / Σ w², at most e^H.
        slope: (...), dH/dscale = −scale · Var_w(scores): never positive for scale ≥ 0.
    """

    weights: Array
    entropy: Array
    effective_support: Array
    inverse_participation: Array
    slope: Array

    def report(self) -> Report:
        """The numbers as a report."""
        facts = facts_of(
            self.entropy,
            ("keys", str(np.shape(self.weights)[-1])),
            ("entropy", span(self.entropy)),
            ("effective support", span(self.effective_support)),
            ("inverse participation", span(self.inverse_participation)),
            ("slope in the scale", span(self.slope)),
        )
        return Report("Sharpness of the weights", (facts,))


def entropy(scores: ArrayLike, *, scale: ArrayLike = 1.0) -> Entropy:
    """Compute the entropy of softmax(scale · scores) along the last axis.

    Small entropies keep their relative precision: they are summed from positive terms.

    Args:
        scores: (..., n); −inf marks a key that is not attended to.
        scale: a number or (...), what scores are multiplied by.

    Returns:
        Entropy: .weights (..., n), and (...): .entropy, .effective_support,
        .inverse_participation, .slope.

    >>> even = entropy([0.0, 0.0, 0.0, 0.0])
    >>> print(even.effective_support, even.inverse_participation, even.slope)
    4.0 4.0 0.0
    """
    function = "entropy"
    s = _read_scores(function, scores)
    c = read_stack(function, "scale", scale, "(...)")
    batch = _broadcast(function, s, "scale", c)
    s, c = np.broadcast_to(s, (*batch, s.shape[-1])), np.broadcast_to(c, batch)[..., None]
    present = np.isfinite(s)
    plain = np.where(present, s, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        top = np.argmax(np.where(present, np.sign(c) * plain, -np.inf), axis=-1)[..., None]
        # Distances from the top key, whose own is exactly zero.
        distance = np.where(present, np.take_along_axis(plain, top, -1) - plain, 0.0)
        exponent = c * distance
    if not np.all(np.isfinite(exponent) & np.isfinite(distance)):
        raise ParameterError(
            f"{function}: scale · scores is too large for float64. Pass a smaller scale."
        )
    powers = np.where(present, np.exp(-exponent), 0.0)
    others = powers.copy()
    np.put_along_axis(others, top, 0.0, axis=-1)
    rest = np.sum(others, axis=-1, keepdims=True)
    weights = powers / (1 + rest)
    # What has no weight is left out: its products may overflow.
    exponent, distance = (np.where(weights > 0, x, 0.0) for x in (exponent, distance))
    mean, place = (np.sum(weights * x, axis=-1, keepdims=True) for x in (exponent, distance))
    H = np.log1p(rest[..., 0]) + mean[..., 0]
    found = {
        "entropy": H,
        "effective_support": np.exp(H),
        "inverse_participation": 1 / np.sum(weights**2, axis=-1),
        # One factor scaled, the other not: their product neither overflows nor vanishes.
        "slope": 0.0 - np.sum(weights * (exponent - mean) * (distance - place), axis=-1),
    }
    return Entropy(weights=weights, **{name: scalar(np.asarray(x)) for name, x in found.items()})


def scale_for_support(scores: ArrayLike, support: ArrayLike, *, kind: str = "entropy") -> Array:
    """Find the scale ≥ 0 at which softmax(scale · scores) has the wanted effective support.

    The support falls from n at scale 0 towards the number of keys that share the highest score,
    and never rises on the way, so there is one answer. It is the same for a batch as for each
    of its rows alone.

    Args:
        scores: (..., n); −inf marks a key that is not attended to and does not count.
        support: a number or (...): above the number of tied highest scores, at most n.
        kind: "entropy" for e^H, "inverse_participation" for 1 / Σ w².

    Returns:
        The scale, (...). If all scores are equal and the support is n, every scale will do,
        and it is 0.

    >>> print(f"{scale_for_support([2.0, 1.0, 0.0, -1.0], 1.9462735315360664):.10f}")
    1.5000000000
    """
    function = "scale_for_support"
    choice(function, "kind", kind, KINDS)
    s = _read_scores(function, scores)
    wanted = read_stack(function, "support", support, "(...)")
    batch = _broadcast(function, s, "support", wanted)
    s, wanted = np.broadcast_to(s, (*batch, s.shape[-1])), np.broadcast_to(wanted, batch)
    present = np.isfinite(s)
    count = np.sum(present, axis=-1)
    tied = np.sum(s == np.max(s, axis=-1, keepdims=True), axis=-1)
    _check_support(function, wanted, tied, count)

    # Distances from the top in units of the largest: the search is free of the scores' units.
    largest = np.max(np.where(present, np.abs(s), 0.0), axis=-1, keepdims=True)
    s = np.where(present, s / np.where(largest > 0, largest, 1.0), -np.inf)
    distance = np.max(s, axis=-1, keepdims=True) - s
    reach = np.max(np.where(present, distance, 0.0), axis=-1, keepdims=True)
    distance = distance / np.where(reach > 0, reach, 1.0)
    open_ = wanted < count
    found = np.zeros(batch)
    if np.any(open_):
        root = _solve(distance[open_], tied[open_], wanted[open_], count[open_], kind)
        with np.errstate(over="ignore"):
            root = root / reach[..., 0][open_] / largest[..., 0][open_]
        if not np.all(np.isfinite(root)):
            raise ParameterError(
                f"{function}: the scale is too large for float64. Pass scores in larger units."
            )
        found[open_] = root
    return scalar(found)


def _solve(
    distance: Array, tied: NDArray[np.intp], wanted: Array, count: NDArray[np.intp], kind: str
) -> Array:
    """Find where log(support / tied) is log(wanted / tied), for each row of distances (m, n).

    Newton's method on the logarithm of both sides, kept inside a bracket that halves (in ratio)
    whenever a step leaves it. The bracket: the variance of distances of at most 1 is at most
    1/4, which bounds how fast the support falls; and at FARTHEST over the smallest distance the
    untied keys have no weight left.
    """
    goal = np.log1p((wanted - tied) / tied)
    fall = -np.log1p((wanted - count) / count)
    low = 0.5 * np.sqrt((8.0 if kind == "entropy" else 4.0) * fall)
    with np.errstate(over="ignore"):
        high = FARTHEST / np.min(np.where(distance > 0, distance, 1.0), axis=-1)
    high = np.maximum(np.minimum(high, np.finfo(np.float64).max), low)
    scale = 2 * low
    rows = np.arange(len(scale))  # those that still move
    for step in range(STEPS):
        here = scale[rows]
        value, slope = _log_support(distance[rows], tied[rows], here, kind)
        low[rows] = np.where(value >= goal[rows], np.maximum(low[rows], here), low[rows])
        high[rows] = np.where(value <= goal[rows], np.minimum(high[rows], here), high[rows])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = here - value * np.log(value / goal[rows]) / slope
        middle = np.sqrt(low[rows]) * np.sqrt(high[rows])
        inside = (newton > low[rows]) & (newton < high[rows])
        if step >= 20 and step % 2:  # rows that have not settled by now are halved in turn
            inside[:] = False
        after = np.where(inside, newton, middle)
        scale[rows] = after
        rows = rows[np.abs(after - here) > 4 * np.finfo(np.float64).eps * here]
        if not len(rows):
            break
    return scale


def _log_support(
    distance: Array, tied: NDArray[np.intp], scale: Array, kind: str
) -> tuple[Array, Array]:
    """Return log(support / tied) as a sum of positive terms, and its slope in the scale."""
    exponent = np.where(np.isfinite(distance), distance, 0.0) * scale[:, None]
    untied = np.isfinite(distance) & (distance > 0)
    powers = np.where(untied, np.exp(-exponent), 0.0)
    finite = np.where(untied, distance, 0.0)
    rest = np.sum(powers, axis=-1)
    weights = powers / (tied + rest)[:, None]
    mean = np.sum(weights * finite, axis=-1)
    if kind == "entropy":
        value = np.log1p(rest / tied) + np.sum(weights * exponent, axis=-1)
        # The tied keys are at distance zero and hold the rest of the weight.
        variance = np.sum(weights * (finite - mean[:, None]) ** 2, axis=-1)
        variance += mean**2 * tied / (tied + rest)
        return value, -scale * variance
    squares = np.sum(powers**2, axis=-1)
    value = 2 * np.log1p(rest / tied) - np.log1p(squares / tied)
    mean_squares = np.sum(powers**2 * finite, axis=-1) / (tied + squares)
    return value, -2 * (mean - mean_squares)


def _read_scores(function: str, scores: object) -> Array:
    array = numbers(function, "scores", scores).array.astype(np.float64, copy=False)
    if array.ndim == 0 or 0 in array.shape:
        raise ShapeError(
            f"{function}: scores need at least one key, (..., n). Got scores {show(array.shape)}."
        )
    wrong = np.isnan(array) | (array == np.inf)
    if np.any(wrong):
        at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        place = ", ".join(str(int(i)) for i in at)
        raise ParameterError(
            f"{function}: scores must be finite, or −inf for a key that is not attended to. "
            f"Got {array[at]} in scores[{place}]."
        )
    empty = np.all(array == -np.inf, axis=-1)
    if np.any(empty):
        row = np.unravel_index(int(np.argmax(empty)), empty.shape)
        raise ParameterError(f"{function}: scores{_row(row)} has nothing to attend to: all −inf.")
    return array


def _broadcast(function: str, scores: Array, name: str, other: Array) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(scores.shape[:-1], other.shape)
    except ValueError:
        raise ShapeError(
            f"{function}: {name} must be one number, or one per row of scores: shape "
            f"{show(scores.shape[:-1])}. Got {name} {show(other.shape)}."
        ) from None


def _check_support(
    function: str, wanted: Array, tied: NDArray[np.intp], count: NDArray[np.intp]
) -> None:
    outside = (wanted > count) | (wanted < 1)
    if np.any(outside):
        row = np.unravel_index(int(np.argmax(outside)), outside.shape)
        raise ParameterError(
            f"{function}: support must be between 1 and the number of keys, {count[row]}. "
            f"Got {wanted[row]:.10g}."
        )
    never = (wanted < count) & (wanted <= tied)
    if np.any(never):
        row = np.unravel_index(int(np.argmax(never)), never.shape)
        raise ParameterError(
            f"{function}: support must be above {tied[row]}, the number of keys that share the "
            f"highest of scores{_row(row)}: it falls towards that as the scale grows, and never "
            f"below. Got {wanted[row]:.10g}."
        )


def _row(index: tuple[np.intp, ...]) -> str:
    return f"[{', '.join(str(int(i)) for i in index)}]" if index else ""
