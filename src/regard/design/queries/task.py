"""Design a query: from keys and wanted weights to the query that gives them, or why none does.

Construction. Let S be the wanted keys and p their weights. If some q_0 scores the keys of S alike
and every other key lower (S is a face of the hull of the keys), and some q_1 has k_i·q_1 = ln p_i
+ const on S, then q = q_1 + C q_0 gives the keys of S the weights p_i (1 − r), where the leak r
falls to 0 as C grows: with δ the least k_i·q_0 − k_j·q_0 over i in S, j outside,

    r / (1 − r) = Σ_{j ∉ S} exp(k_j·q_1 − κ − C δ_j) ≤ (n − |S|) exp(max_j (k_j·q_1 − κ) − C δ).

q_0 is the unit vector with the widest δ; C is the smallest that meets the tolerance; both lie in
the span of the key differences, so no shorter query has the same weights. A copy of one key, where
weights count and not outputs, is then shortened further: `shortest_copy`. The
error of the rounded query is measured, and that number is what the certificate claims.

Obstruction. If no such q exists, the weights cannot be had, but weights within the tolerance, or
others with the same output, still may: see :mod:`regard.design.queries.infeasible`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim
from regard.design.linear_scores.exposed_face import Face
from regard.design.linear_scores.family import Array, Family, Pattern, largest, softmax
from regard.design.linear_scores.pattern_fit import reach_limit
from regard.design.linear_scores.smallest_scale import Wide, measured_error, off_target, wide_scores
from regard.design.queries.shortest_copy import ShortCopy, copy_briefly
from regard.design.results import QueryDesign

__all__ = ["QueryTask"]

CUTOFF = 1e-10  # as for the directions in which wanted keys differ


class QueryTask:
    """One call: what is given, and the steps from it to a design or an obstruction."""

    def __init__(
        self,
        keys: Array,
        values: Array | None,
        indices: Any,
        weights: Array,
        tolerance: float,
        scale: float,
    ) -> None:
        self.keys, self.values = keys, values
        self.pattern = Pattern((indices,), (weights,))
        self.target = {"indices": indices.tolist(), "weights": weights}
        self.tolerance, self.scale = tolerance, scale
        # The solvers square lengths: keys of 1e200 are brought to ordinary size, exactly.
        size = largest(keys)
        self.unit = 1.0 if 1e-50 < size < 1e50 or size == 0 else 2.0 ** -math.frexp(size)[1]
        usual = keys if self.unit == 1.0 else keys * self.unit
        self.family = Family(usual, np.ones((1, 1)), scale)
        self.easy = self.family.shifted()

    def solve(self, tick: Callable[[float, float], None]) -> QueryDesign:
        """The design, or the exception that says why there is none."""
        error_of = off_target(self.pattern, self.values)
        limit = reach_limit(self.easy, self.pattern, error_of, self.tolerance, tick)
        aim = self.tolerance
        while math.isfinite(limit.scale):
            error = self.error(limit.vector())
            if error <= self.tolerance:
                return self.reached(limit.vector(), error, limit.face)
            # What rounding adds to the error has to come off the leak.
            aim -= 1.5 * (error - self.tolerance)
            if aim <= 0:
                break
            limit = limit.within(aim)
        from regard.design.queries.infeasible import within_or_refuse  # seldom needed

        return within_or_refuse(self)

    def reached(self, vector: Array, error: float, face: Face | None) -> QueryDesign:
        """The design of a query within the tolerance; a copy by weights is made the shortest."""
        whole = self.pattern.one_target and self.pattern.weights[0][0] == 1  # typed sums may be off
        if self.values is not None or not whole:
            return self.design(vector, error, face)
        key = self.target["indices"][0]
        short = copy_briefly(
            self.family.keys, key, self.tolerance, self.scale, vector, error, self.error
        )
        return self.design(short.vector, short.error, face, short)

    def error(self, vector: Array, values: bool = True) -> float:
        """The measured error of a query in the units of the family (a power of two: exact)."""
        averaged = self.values if values else None
        return measured_error(self.family.keys, vector[None], self.scale, self.pattern, averaged)

    def design(
        self, vector: Array, error: float, face: Face | None, short: ShortCopy | None = None
    ) -> QueryDesign:
        """The design of a query with its measured error, and of the face it was found on."""
        found = vector * self.unit
        claims = []
        if self.values is not None:
            claims.append(
                Claim("output_close", {"target": self.target, "bound": error}, {"query": found})
            )
        close = error if self.values is None else self.error(vector, values=False)
        claims.append(
            Claim("weights_close", {"target": self.target, "bound": close}, {"query": found})
        )
        if short is not None and math.isfinite(short.gap):
            claims.append(short.claim(self.target["indices"][0], self.tolerance, found))
        margin = 0.0
        if face is not None and face.nearest is None:
            margin = math.inf
        elif face is not None and face.direction is not None:
            margin = self.margin_claims(face, claims)
        return QueryDesign(
            query=found,
            weights=self.weights(vector),
            error=error,
            margin=margin,
            scale=self.scale,
            certificate=self.certificate(claims),
            target=dict(zip(self.target["indices"], self.target["weights"].tolist(), strict=True)),
            tolerance=self.tolerance,
            longer=math.inf if short is None else short.gap,
        )

    def weights(self, vector: Array) -> Array:
        """The weights of a query; long queries need wide floats for them."""
        length = float(np.linalg.norm(vector)) * largest(self.family.keys) * self.scale
        if length < 1e3:
            return softmax(self.scale * (self.family.keys @ vector))
        scores = wide_scores(self.family.keys, vector[None], self.scale)[0]
        powers = np.exp(scores - np.max(scores))
        return np.asarray(powers / np.sum(powers), dtype=np.float64)

    def margin_claims(self, face: Face, claims: list[Claim]) -> float:
        """Claim the margin from both sides; return what is proved of it from below."""
        assert face.nearest is not None
        assert face.direction is not None
        chosen = self.pattern.indices[0]
        heights = self.family.keys @ face.direction
        inside = float(np.min(heights[chosen]))
        heights[chosen] = -np.inf
        size = largest(self.family.keys) * math.sqrt(self.keys.shape[1])
        lower = (inside - float(np.max(heights)) - 64e-16 * size) / self.unit * (1 - 1e-12)
        others = face.nearest.indices
        outside = np.zeros(len(self.keys))
        outside[others] = face.nearest.weights
        shares_of = face.nearest.weights.astype(np.longdouble)
        mean = (shares_of / np.sum(shares_of)) @ self.family.keys[others].astype(np.longdouble)
        shares, distance = _affine_nearest(self.family.keys[chosen], mean)
        upper = distance / self.unit * (1 + 1e-12)
        fields = {"chosen": chosen.tolist()}
        lower = min(lower, upper)
        if lower > 0:
            claims.append(
                Claim("margin_at_least", {**fields, "bound": lower}, {"direction": face.direction})
            )
        claims.append(
            Claim(
                "margin_at_most",
                {**fields, "bound": upper},
                {"inside": shares, "outside": outside},
            )
        )
        return max(lower, 0.0)

    def certificate(self, claims: list[Claim]) -> Certificate:
        """Claims about what the caller gave."""
        arrays = {"keys": self.keys}
        if self.values is not None:
            arrays["values"] = self.values
        return Certificate(arrays, tuple(claims), self.scale)


def _affine_nearest(points: Array, goal: Wide) -> tuple[Array, float]:
    """Numbers that sum to 1, and the distance at which they bring Σ numbers · points to `goal`."""
    edges = (points[1:] - points[0]).T
    steps = (
        np.linalg.lstsq(edges, (goal - points[0]).astype(np.float64), rcond=CUTOFF)[0]
        if edges.size
        else np.zeros(0)
    )
    shares = np.concatenate([[1 - np.sum(steps)], steps])
    # Shares may be huge where points nearly depend on each other: wide floats, and what they lose.
    wide = shares.astype(np.longdouble)
    apart = goal - (wide / np.sum(wide)) @ points.astype(np.longdouble)
    lost = 16 * np.finfo(np.longdouble).eps * np.sum(np.abs(wide)) * np.max(np.abs(points))
    return shares, float(np.sqrt(np.sum(apart * apart)) + len(points[0]) * lost)
