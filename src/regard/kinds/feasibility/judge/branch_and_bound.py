"""Can some multiple bring the output to the goal? Found, excluded for every multiple, or open.

With the multiple f, the scores of the row are polynomials in f of degree 2 and the tokens lie on
lines. On a piece of the line of multiples each score lies in an interval, so that the largest
w · c over all of them is known: sort the tokens by w · x and give the first few the upper ends of
their intervals, the others the lower ends. If w · goal is above that by more than the tolerance,
no multiple of the piece will do; otherwise the piece is halved. Beyond both ends the changed token
either takes over, and the output is too long, or fades, and it is as if it were not there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from regard.checking.sampling import Float64, softmax
from regard.kinds.feasibility.instance import (
    Instance,
    Nearest,
    nearer_instance,
    nearest,
    steps_to_limit,
)
from regard.kinds.feasibility.spec import FeasibilityProblem

MOST_PIECES = 60_000
SLACK = 1e-9


@dataclass(frozen=True)
class Reach:
    """Whether the goal can be reached.

    Attributes:
        possible: True if a multiple was found, False if all are excluded, None if neither.
        found: the best multiple that was found.
        at: the instance it is about.
    """

    possible: bool | None
    found: Nearest
    at: Instance


def reach(problem: FeasibilityProblem) -> Reach:
    """Decide whether some multiple will do: near to the limits, where a problem has some."""
    tolerance = problem.goal.tolerance
    steps = steps_to_limit(problem)
    each = [_decided(nearer_instance(problem, times), tolerance) for times in steps[-2:]]
    if len({one.possible for one in each}) > 1:
        return Reach(None, each[-1].found, each[-1].at)
    return each[-1]


def _decided(at: Instance, tolerance: float) -> Reach:
    found = nearest(at)
    if found.error <= tolerance:
        return Reach(True, found, at)
    allowed = tolerance * at.size
    excluded = []
    for name, vector in at.added.items():
        line = _Line(at, vector)
        outcome, factor = line.decide(allowed) if np.any(vector) else (False, 0.0)
        if outcome:
            return Reach(True, Nearest(name, factor, line.error(factor) / at.size), at)
        excluded.append(outcome is False)
    return Reach(False if all(excluded) else None, found, at)


class _Line:
    """All multiples f of one vector a, and what comes of them."""

    def __init__(self, at: Instance, vector: Float64) -> None:
        self.at, self.a = at, vector
        self.moves = at.row == at.changed
        self.longest = at.longest
        self.length = float(np.linalg.norm(vector))
        # Scores as polynomials: constant, linear and quadratic part, for each token.
        self.polynomials = (at.scale * at.score_polynomials(vector)).T
        self.constant, self.linear, _ = self.polynomials

    def error(self, factor: float) -> float:
        """Return how far off the output is, as a length."""
        return float(self.at.errors(np.array([factor]), self.a)[0]) * self.at.size

    def decide(self, allowed: float) -> tuple[bool | None, float]:
        """Return whether some multiple is within `allowed`, and one if so."""
        slope = float(self.linear[self.at.changed])
        if not self.moves and abs(slope) * self.longest <= 1e-12 * self.length:
            return self._with_fixed_weights(allowed)
        low, high = self._ends(slope, allowed)
        if low is None or high is None:
            return None, 0.0
        fades = None if self.moves else self._faded(allowed)
        if fades:
            return True, low if slope > 0 else high
        inside = self._halved(low, high, allowed)
        if inside[0] is False and fades is None and not self.moves:
            return None, 0.0
        return inside

    def _with_fixed_weights(self, allowed: float) -> tuple[bool | None, float]:
        """Decide where the weights do not depend on f: the output moves along a line."""
        weights = self.at.weights()
        away = self.at.goal - weights @ self.at.tokens
        step = float(away @ self.a) / self.length**2
        left = float(np.linalg.norm(away - step * self.a))
        if abs(left - allowed) <= SLACK * allowed:
            return None, 0.0
        share = float(weights[self.at.changed])
        return left <= allowed, step / share if share > 0 else math.inf

    def _ends(self, slope: float, allowed: float) -> tuple[float | None, float | None]:
        """Return from where to where multiples have to be looked at one by one."""
        n, scale = len(self.at.tokens), self.at.scale
        reach = float(np.linalg.norm(self.at.goal)) + allowed
        if self.moves:
            # The token takes half of its own weight at least, and is longer than goal and tokens.
            end = 6 * self.longest + 2 * math.sqrt(math.log(n + 1) / scale) + 2 * reach
            return -(end + self.longest) / self.length, (end + self.longest) / self.length
        spread = 2 * float(np.max(np.abs(self.constant))) + math.log(n + 1)
        takes = max(spread / abs(slope), 2 * (reach + self.longest) / self.length)
        fades = self._fading_end(abs(slope), allowed)
        if fades is None:
            return None, None
        return (-fades, takes) if slope > 0 else (-takes, fades)

    def _fading_end(self, slope: float, allowed: float) -> float | None:
        """Return from where on the changed token adds less than a thousandth of what is allowed."""
        others = np.delete(self.constant, self.at.changed)
        behind = float(self.constant[self.at.changed] - np.max(others))
        end = 1.0 / slope
        for _ in range(200):
            added = 2 * self.longest + end * self.length
            if slope * end - 1 >= behind + math.log(added / (1e-3 * allowed)):
                return end
            end *= 2
        return None

    def _faded(self, allowed: float) -> bool | None:
        """Whether the goal is reached where the changed token no longer counts."""
        rest = np.delete(np.arange(len(self.at.tokens)), self.at.changed)
        weights = softmax(self.constant[rest])
        error = float(np.linalg.norm(weights @ self.at.tokens[rest] - self.at.goal))
        if abs(error - allowed) <= 2e-3 * allowed:
            return None
        return error < allowed

    def _halved(self, low: float, high: float, allowed: float) -> tuple[bool | None, float]:
        """Exclude pieces between the ends, halving those that are left."""
        cuts = np.linspace(low, high, 65)
        left, right = cuts[:-1], cuts[1:]
        looked_at = 0
        while len(left):
            looked_at += len(left)
            if looked_at > MOST_PIECES:
                return None, 0.0
            middle = (left + right) / 2
            errors = self.at.errors(middle, self.a) * self.at.size
            nearest = int(np.argmin(errors))
            if errors[nearest] <= allowed:
                return True, float(middle[nearest])
            keep = self._bound(left, right, middle) <= allowed * (1 + SLACK)
            left, right, middle = left[keep], right[keep], middle[keep]
            if np.any(middle <= left) or np.any(middle >= right):
                return None, 0.0  # no number lies between
            left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        return False, 0.0

    def _bound(self, left: Float64, right: Float64, middle: Float64) -> Float64:
        """Return how far the output is from the goal at least, on each piece."""
        at = self.at
        _, outputs = at.changed_outputs(middle, self.a)
        w = at.goal - outputs
        w /= np.maximum(np.linalg.norm(w, axis=1, keepdims=True), 1e-300)
        values = w @ at.tokens.T  # (m, n): w · x_j without the change
        along = w @ self.a
        values[:, at.changed] += np.maximum(left * along, right * along)
        low, high = self._score_range(left, right, middle)
        order = np.argsort(-values, axis=1)
        values, low, high = (np.take_along_axis(one, order, 1) for one in (values, low, high))
        top = np.max(high, axis=1, keepdims=True)
        up, down = np.exp(high - top), np.exp(low - top)
        # With the first k tokens at their upper ends and the others at their lower ends.
        zero = np.zeros((len(left), 1))

        def sums(first: Float64, rest: Float64) -> Float64:
            before = np.hstack([zero, np.cumsum(first, axis=1)])
            after = np.sum(rest, axis=1, keepdims=True) - np.hstack([zero, np.cumsum(rest, axis=1)])
            return before + after

        with np.errstate(all="ignore"):
            most = np.nanmax(sums(up * values, down * values) / sums(up, down), axis=1)
        return np.asarray(np.sum(w * at.goal, axis=1) - most)

    def _score_range(
        self, left: Float64, right: Float64, middle: Float64
    ) -> tuple[Float64, Float64]:
        """Return the ends of each score on each piece, relative to that of the leader there."""
        powers = np.stack([np.ones_like(middle), middle, middle**2], axis=1)
        leader = np.argmax(powers @ self.polynomials, axis=1)
        # Differences to the leader, which move less than the scores themselves.
        a, b, c = (one[None, :] - one[leader][:, None] for one in self.polynomials)

        def value(f: Float64) -> Float64:
            return np.asarray(a + b * f[:, None] + c * f[:, None] ** 2)

        ends = np.stack([value(left), value(right)])
        low, high = np.min(ends, axis=0), np.max(ends, axis=0)
        with np.errstate(all="ignore"):
            turn = np.where(c != 0, -b / (2 * c), np.nan)
        inside = (turn > left[:, None]) & (turn < right[:, None])
        peak = np.where(inside, a + b * turn + c * turn**2, np.nan)
        return np.fmin(low, peak), np.fmax(high, peak)
