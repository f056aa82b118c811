"""Search everything there is in cells: a design within the tolerance, or a proof of none.

Where scores depend on up to three numbers, the cells of `certify.cells` cover all of them. A cell
is dropped if the goal is missed throughout; the point in its middle is tried; else it is cut.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify.lemmas.cell_tree import LEAF, Cell, pyramids
from regard.design.linear_scores.family import Array, Pattern, softmax
from regard.design.linear_scores.reduced_scores import View

__all__ = ["Goal", "Searched", "goal_of", "search_cells", "shared"]

MOST_CELLS = 4000
MOST_WORK = 250_000  # cells times keys times rows
FAR = 45.0  # scores this far apart leave nothing that matters to the lower one
THIN = 1e-7  # sides of a cell that are not cut further
ROOM = 1e-9  # what rounding may change in the test of a cell


@dataclass(frozen=True)
class Goal:
    """What the rows want: weights (m, n), or outputs (m, d_v) of values (n, d_v), and how closely.

    Equal keys have equal weights: their values are to be the mean of them all (`shared`).
    """

    weights: Array
    values: Array | None
    outputs: Array | None
    tolerance: float

    def missed(self, weights: Array) -> Array:
        """The error of each row."""
        if self.values is None or self.outputs is None:
            return np.asarray(np.max(np.abs(weights - self.weights), axis=1))
        return np.asarray(np.linalg.norm(weights @ self.values - self.outputs, axis=1))


@dataclass(frozen=True)
class Searched:
    """What was found: a parameter within the tolerance, or the witness of none, and the best."""

    found: Array | None
    witness: dict[str, Any] | None
    best: Array
    error: float


def search_cells(seen: View, goal: Goal, radius: float, most: int = MOST_CELLS) -> Searched:
    """Look at all cells until one holds a design, none is left, or there are too many.

    Args:
        seen: the scores.
        goal: what is wanted.
        radius: how long the parameter may be where something of the scores is not seen.
        most: how many cells.
    """
    m, n, size = seen.coordinates.shape
    slack = seen.left_out * radius
    most = min(most, MOST_WORK // (m * n))
    spread = float(np.max(np.ptp(seen.coordinates, axis=1))) or 1.0
    start = 2.0 ** round(math.log2(4 / spread))
    waiting = pyramids(size)[::-1]
    tree: list[int] = []
    leaves: list[Any] = []
    best, error = np.zeros(size), math.inf
    while waiting:
        cell = waiting.pop()
        for theta in _points(cell, start, spread):
            weights = softmax(seen.coordinates @ theta)
            missed = goal.missed(weights)
            if float(np.max(missed)) < error:
                best, error = theta, float(np.max(missed))
            if error <= goal.tolerance:
                return Searched(seen.back(best), None, seen.back(best), error)
            note = _excluded(cell, seen.coordinates, goal, weights, missed, slack)
            if note is not None:
                break
        if note is not None:
            tree.append(LEAF)
            leaves.append(note)
            continue
        cut = _cut(cell, seen.coordinates, start, spread)
        if cut is None or len(tree) + len(waiting) > most:
            return Searched(None, None, seen.back(best), error)
        tree.append(cut)
        low, high = cell.halves(cut, start)
        waiting += [high, low]
    witness = {**seen.witness, "start": start, "tree": tree, "leaves": leaves}
    return Searched(None, witness, seen.back(best), error)


def _points(cell: Cell, start: float, spread: float) -> list[Array]:
    """The middle of a cell; where it has no end, also a point far out."""
    low, high = cell.reach
    sizes = [(low + high) / 2] if math.isfinite(high) else [2 * low or start]
    if math.isinf(high):
        sizes.append(max(2 * low, FAR / spread))
    middle = np.insert([0.5 * (a + b) for a, b in cell.sides], cell.place, cell.sign)
    return [size * middle for size in sizes]


def _inner(cell: Cell, slopes: Array) -> tuple[Array, Array]:
    """The least and largest σ g_c + Σ g_k t_k of slopes (…, p) in a cell."""
    low = high = slopes[..., cell.place] * cell.sign
    others = np.delete(slopes, cell.place, axis=-1)
    for k, (left, right) in enumerate(cell.sides):
        a, b = others[..., k] * left, others[..., k] * right
        low, high = low + np.minimum(a, b), high + np.maximum(a, b)
    return low, high


def _ranges(cell: Cell, coordinates: Array, reference: int, slack: float) -> tuple[Array, Array]:
    """Powers e^x of the least and largest score (n,) above the reference, in one row."""
    low, high = _inner(cell, coordinates - coordinates[reference])
    near, far = cell.reach
    with np.errstate(invalid="ignore", over="ignore"):
        top = np.where(high <= 0, high * near, high * far)
        bottom = np.where(low >= 0, low * near, low * far)
        room = slack + ROOM * (1 + np.abs(np.where(np.isfinite(top), top, 0)))
        same = np.all(coordinates == coordinates[reference], axis=1)
        low, high = np.exp(bottom - room), np.exp(top + room)
    low[same], high[same] = 1, 1
    return low, high


def _excluded(
    cell: Cell, coordinates: Array, goal: Goal, weights: Array, missed: Array, slack: float
) -> list[Any] | None:
    """The leaf that shows that some row misses its goal in the whole cell; None: none was found."""
    for row in np.argsort(-missed)[:3].tolist():
        if missed[row] <= goal.tolerance:
            break
        if goal.values is not None and goal.outputs is not None:
            note = _output_missed(cell, coordinates[row], goal, weights[row], row, slack)
        else:
            note = _weight_missed(cell, coordinates[row], goal, weights[row], row, slack)
        if note is not None:
            return note
    return None


def _weight_missed(
    cell: Cell, coordinates: Array, goal: Goal, weights: Array, row: int, slack: float
) -> list[Any] | None:
    off = weights - goal.weights[row]
    for key in np.argsort(-np.abs(off))[:3].tolist():
        if abs(off[key]) <= goal.tolerance:
            return None
        low, high = _ranges(cell, coordinates, key, slack)
        if off[key] > 0:
            edge = goal.weights[row, key] + goal.tolerance
            if edge * float(np.sum(np.delete(high, key))) < 1 - edge:
                return [row, key, 1]
        else:
            edge = goal.weights[row, key] - goal.tolerance
            if edge * float(np.sum(np.delete(low, key))) > 1 - edge:
                return [row, key, -1]
    return None


def _output_missed(
    cell: Cell, coordinates: Array, goal: Goal, weights: Array, row: int, slack: float
) -> list[Any] | None:
    assert goal.values is not None
    assert goal.outputs is not None
    wanted = goal.outputs[row]
    top = int(np.argmax(weights))
    low, high = _ranges(cell, coordinates, top, slack)
    directions = [wanted - weights @ goal.values]
    if math.isinf(cell.reach[1]):
        directions.append(_away(goal.values, wanted, high))
    for w in directions:
        length = float(np.linalg.norm(w))
        if not length > 0:
            continue
        above = goal.values @ w - (float(w @ wanted) - goal.tolerance * length)
        above += ROOM * float(np.max(np.abs(goal.values))) * length
        if np.any(np.isinf(high) & (above > 0)):
            continue
        if (
            float(np.sum(np.where(above > 0, np.where(above > 0, high, 0) * above, low * above)))
            < 0
        ):
            return [row, top, w.tolist()]
    return None


def _away(values: Array, wanted: Array, high: Array) -> Array:
    """From the hull of the values of keys that may lead, towards the wanted output."""
    from regard.design.linear_scores.min_norm_point import nearest_point, point_set

    leading = values[high > 1e-3]
    if len(leading) == 0:
        return np.zeros(len(wanted))
    return -nearest_point(point_set(leading - wanted)).point


def _cut(cell: Cell, coordinates: Array, start: float, spread: float) -> int | None:
    """Which number to cut: the one that scores depend on most in this cell; None: none is left."""
    near, far = cell.reach
    widths = [high - low for low, high in cell.sides]
    steep = np.max(np.ptp(coordinates, axis=1), axis=0)
    sides = np.delete(steep, cell.place)
    if math.isinf(far):
        thick = [w if w > THIN else 0.0 for w in widths]
        reached = near * spread
        if any(thick) and reached > 4 and (reached * max(thick) > 8 or reached > 1e4):
            return 1 + int(np.argmax(thick * sides)) if np.any(thick * sides) else 0
        return 0 if reached < 1e9 else None
    along = (far - near) * (steep[cell.place] + float(np.sum(sides)))
    across = [far * width * side for width, side in zip(widths, sides, strict=True)]
    most = max([along, *across])
    if most < 1e-9:
        return None
    return 0 if along >= most else 1 + int(np.argmax(across))


def goal_of(pattern: Pattern, values: Array | None, keys: Array, tolerance: float) -> Goal:
    """The goal of a pattern: its weights, or their outputs."""
    table = pattern.table(len(keys))
    if values is None:
        return Goal(table, None, None, tolerance)
    return Goal(table, shared(keys, values), table @ values, tolerance)


def shared(keys: Array, values: Array) -> Array:
    """Values of which equal keys have the mean: no query tells them apart."""
    _, group, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    if len(counts) == len(keys):
        return values
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, group.ravel(), values)
    return np.asarray((sums / counts[:, None])[group.ravel()])
