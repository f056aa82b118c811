"""All queries (or heads) in finitely many cells, in each of which one row misses its goal.

Where scores depend on p ≤ 3 numbers θ, all θ are r · (σ at place c, t_k at the others) with one
of p places, a sign σ, |t_k| ≤ 1 and r ≥ 0: 2p pyramids, each cut into cells by halving r or a
t_k. In a cell the difference of two scores, r (σ g_c + Σ g_k t_k), is between its values at the
ends, also where r has none. With x_j the score of key j above that of a reference, low_j ≤ x_j ≤
high_j, the goal of a row is missed in the whole cell

    weight too high   (p + ε) Σ_{j≠i} e^high_j < 1 - (p + ε)      reference i, a_i ≤ p + ε wanted
    weight too low    (p - ε) Σ_{j≠i} e^low_j > 1 - (p - ε)       reference i, a_i ≥ p - ε wanted
    output            Σ_j max(e^low_j, e^high_j) (w·v_j - f) < 0, f = w·c* - ε‖w‖,

the last because it says w·c < f for every average c in the cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Arithmetic, Outcome
from regard.certify.certificate import Float64, Unusable
from regard.certify.lemmas.cell_tree import Cell, Interval, leaves
from regard.certify.lemmas.linear_scores import LinearScores

MOST_NUMBERS = 3  # that scores may depend on

Ends = list[tuple[arb, arb | None]]  # exp of the least and the largest; None: no bound


class _Ranges:
    """How far scores of a row can be apart in a cell.

    Scores are seen through `coordinates` g_ij of p numbers and a `basis` of p columns: the product
    of y_j x_iᵀ with B is g_ij · θ, θ = basisᵀ B, plus what is left out. Without them θ is B.
    """

    def __init__(
        self, scores: LinearScores, witness: Mapping[str, Any], reach: int | float | None
    ) -> None:
        self.scores = scores
        self.coordinates: dict[int, Float64] | None = None
        self.slack: Callable[[], dict[int, list[arb]]] | None = None
        self.size = scores.width
        if witness.get("basis") is not None:
            basis = reading.matrix(witness["basis"], "basis", scores.width)
            self.size, n = basis.shape[1], len(scores.keys)
            found = reading.matrix(
                reading.part(witness, "coordinates"), "coordinates", n * len(scores.rows), self.size
            )
            self.coordinates = {
                row: found[k * n : (k + 1) * n] for k, row in enumerate(sorted(scores.rows))
            }
            self.slack = self._left_out(basis, reach)
        if not 1 <= self.size <= MOST_NUMBERS:
            raise Unusable(f"scores must depend on 1 to {MOST_NUMBERS} numbers.")

    def _features(self, row: int, numbers: Arithmetic) -> Any:
        """Return y_j x_iᵀ of all keys j, one line each, minus that of the first key."""
        keys, x = numbers.read(self.scores.keys), self.scores.rows[row].tolist()
        found = []
        for j in range(len(self.scores.keys)):
            for c in range(self.scores.keys.shape[1]):
                found += [(keys[j, c] - keys[0, c]) * numbers.number(entry) for entry in x]
        return numbers.matrix(len(self.scores.keys), self.scores.width, found)

    def _seen(self, row: int, numbers: Arithmetic) -> Any:
        """Return the coordinates of all keys, minus those of the first."""
        if self.coordinates is None:
            return self._features(row, numbers)
        found = numbers.read(self.coordinates[row]).tolist()
        flat = [a - b for line in found for a, b in zip(line, found[0], strict=True)]
        return numbers.matrix(len(found), self.size, flat)

    def _left_out(
        self, basis: Float64, reach: int | float | None
    ) -> Callable[[], dict[int, list[arb]]] | None:
        """Return what gives how much of each score is not seen; None: nothing."""

        def rest(row: int, numbers: Arithmetic) -> list[list[Any]]:
            seen = self._seen(row, numbers) * numbers.read(basis).transpose()
            return [list(line) for line in (self._features(row, numbers) - seen).tolist()]

        lines = [line for row in self.scores.rows for line in rest(row, EXACT)]
        if all(entry == 0 for line in lines for entry in line):
            return None
        if reach is None:
            raise Unusable("scores depend on more than the basis, and no radius is given.")

        def slack() -> dict[int, list[arb]]:
            force = abs(arb(self.scores.scale)) * reach
            return {
                row: [force * balls.norm(line) for line in rest(row, BALLS)]
                for row in self.scores.rows
            }

        return slack

    def prepare(self) -> None:
        """Compute what all cells need, at the precision of the day."""
        scale = arb(self.scores.scale)
        self.sloped = {
            row: [[scale * entry for entry in line] for line in self._seen(row, BALLS).tolist()]
            for row in self.scores.rows
        }
        self.slacks = None if self.slack is None else self.slack()

    def within(self, cell: Cell, row: int, reference: int) -> Ends:
        """Return exp of the least and largest score above the reference."""
        lines, keys = self.sloped[row], self.scores.keys
        own = lines[reference]
        found: Ends = []
        for j, line in enumerate(lines):
            if (keys[j] == keys[reference]).all():
                found.append((arb(1), arb(1)))
                continue
            g = [a - b for a, b in zip(line, own, strict=True)]
            low = high = g.pop(cell.place) * cell.sign
            for slope, (left, right) in zip(g, cell.sides, strict=True):
                ends = slope * left, slope * right
                low, high = low + ends[0].min(ends[1]), high + ends[0].max(ends[1])
            room = arb(0)
            if self.slacks is not None:
                room = self.slacks[row][j] + self.slacks[row][reference]
            top, bottom = _times(high, cell.reach), _times(-low, cell.reach)
            found.append(
                (
                    arb(0) if bottom is None else (-bottom - room).exp(),
                    None if top is None else (top + room).exp(),
                )
            )
        return found


def _times(slope: arb, reach: Interval) -> arb | None:
    """Return the largest of slope · r; None where there is none."""
    near, far = reach
    if slope <= 0:
        return slope * near
    if math.isinf(far):
        return None
    return (slope * near).max(slope * far)


Test = Callable[[Any, Callable[[int, int], Ends]], bool | None]


def covered(
    scores: LinearScores,
    witness: Mapping[str, Any],
    reach: int | float | None,
    missed: Test,
) -> Outcome:
    """Is the goal missed in every cell of the witness?

    Args:
        scores: how scores depend on what is sought.
        witness: "start", "tree" and "leaves"; "basis" and "coordinates" if scores are seen so.
        reach: how long what is sought may be; None: any length.
        missed: a leaf of the witness, and what gives (row, reference) ↦ exp of the ranges of the
            scores in its cell, ↦ whether the goal is missed there.
    """
    ranges = _Ranges(scores, witness, reach)
    start = reading.number(reading.part(witness, "start"), "start")
    if not 0 < start < 1e300:
        raise Unusable("start must be above 0.")
    tree = [
        int(reading.number(cut, "tree"))
        for cut in reading.listed(reading.part(witness, "tree"), "tree")
    ]
    cells = list(leaves(tree, ranges.size, start))
    notes = reading.listed(reading.part(witness, "leaves"), "leaves", len(cells))

    def test() -> Outcome:
        ranges.prepare()
        truths = [
            missed(note, partial(ranges.within, cell))
            for cell, note in zip(cells, notes, strict=True)
        ]
        return Outcome(
            balls.every(*truths), f"{truths.count(True)} of {len(cells)} cells are excluded."
        )

    outcome = balls.settle(test)
    # A cell that is not excluded says nothing of the goal.
    return outcome if outcome.truth else Outcome(None, outcome.reason)


def weight_missed(
    note: Any, wanted: Mapping[int, Mapping[int, int | float]], tolerance: int | float
) -> tuple[int, int, Callable[[Ends], bool | None]]:
    """Read [row, key, 1 (too high) or -1 (too low)]: row, key, and the test of the ranges."""
    row, key, sign = reading.listed(note, "a leaf", 3)
    row = reading.index(row, "a row of leaves", max(wanted) + 1)
    if row not in wanted:
        raise Unusable("a leaf is of a row that is not listed.")
    wish = arb(wanted[row].get(key, 0))

    def test(ranges: Ends) -> bool | None:
        if sign > 0:
            edge = wish + tolerance
            total = arb(0)
            for j, (_, high) in enumerate(ranges):
                if high is None:
                    return False
                total += high if j != key else 0
            return balls.less(edge * total, 1 - edge)
        edge = wish - tolerance
        if not edge > 0:
            return False
        total = sum((low for j, (low, _) in enumerate(ranges) if j != key), arb(0))
        return balls.less(1 - edge, edge * total)

    return row, key, test


def output_missed(
    note: Any,
    values: Callable[[Sequence[arb]], list[arb]],
    wanted: Mapping[int, list[arb]],
    tolerance: int | float,
    n: int,
) -> tuple[int, int, Callable[[Ends], bool | None]]:
    """Read [row, reference, w]: row, reference, and the test of the ranges."""
    row, key, w = direction(note, "leaves", wanted, n)

    def test(ranges: Ends) -> bool | None:
        edge = sum((a * b for a, b in zip(w, wanted[row], strict=True)), arb(0))
        edge -= balls.norm(w) * tolerance
        total = arb(0)
        for height, (low, high) in zip(values(w), ranges, strict=True):
            above = height - edge
            if above <= 0:
                total += low * above
            elif high is None:
                return False
            else:
                total += (high * above).max(low * above)
        return balls.less(total, 0)

    return row, key, test


def direction(
    entry: Any, name: str, wanted: Mapping[int, list[arb]], n: int
) -> tuple[int, int, list[arb]]:
    """Read [row, key, w] of one of `name`: a row with an output that is wanted, and a direction."""
    place, reference, w = reading.listed(entry, f"an entry of {name}", 3)
    row = reading.index(place, f"a row of {name}", max(wanted) + 1)
    key = reading.index(reference, f"a key of {name}", n)
    if row not in wanted:
        raise Unusable(f"{name} are of a row that is not listed.")
    entries = reading.vector(w, f"a direction of {name}", len(wanted[row]))
    return row, key, [arb(x) for x in entries.tolist()]


def evened(heights: Sequence[arb], keys: Float64) -> list[arb]:
    """Return v_j·w with the mean of all equal keys in place of each: their weights are equal."""
    groups: dict[tuple[float, ...], list[int]] = {}
    for j, key in enumerate(keys.tolist()):
        groups.setdefault(tuple(key), []).append(j)
    found = list(heights)
    for places in groups.values():
        if len(places) > 1:
            mean = sum((heights[j] for j in places), arb(0)) / len(places)
            for j in places:
                found[j] = mean
    return found
