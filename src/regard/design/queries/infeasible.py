"""Weights that no query has: a query within the tolerance all the same, or why there is none.

"These weights cannot be had" is not "no weights within the tolerance can be had", and not "this
output cannot be had". A refusal therefore rests on a claim that excludes the goal within its
tolerance, in the measure of the goal, and that `certify.verify` accepts. In order of cost:

    ceiling, output_ceiling   the key is an average of others
    floors_out_of_reach       another average of keys has more entropy than the target allows
    weights_beyond,           multipliers: :mod:`regard.design.linear_scores.dual_multipliers`
    output_beyond             or, where scores depend on three numbers at most, all queries in
                              cells, which find a query if there is one: `branch_and_bound`

If neither a query nor a claim is found, the design is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from regard.certify import Certificate, Claim
from regard.design.heads.output_targets import distance
from regard.design.linear_scores.branch_and_bound import MOST_CELLS, Searched, goal_of, search_cells
from regard.design.linear_scores.exclusion_claims import (
    excluded_outputs,
    excluded_weights,
    verified,
)
from regard.design.linear_scores.family import Array, Pattern
from regard.design.linear_scores.farkas import complete
from regard.design.linear_scores.farkas_claims import (
    ceiling_claim,
    divergence_claim,
    floor_claim,
    output_claims,
    reach_radius,
)
from regard.design.linear_scores.max_entropy import Closest, closest
from regard.design.linear_scores.minimax import MOST_NUMBERS, smallest_error, starts
from regard.design.linear_scores.pattern_fit import reach_limit
from regard.design.linear_scores.reduced_scores import view
from regard.design.linear_scores.smallest_scale import off_target
from regard.design.queries.reasons import KeyInHull, NoQuery, NoQueryFound
from regard.design.reasons import Nearest, Reason, refused, undecided
from regard.design.results import QueryDesign
from regard.errors import UndecidedDesign

if TYPE_CHECKING:
    from regard.design.queries.task import QueryTask

__all__ = ["within_or_refuse"]

ROOM = (1 - 1e-9, 0.9, 0.5)  # shares of the tolerance aimed at: measuring adds a little
GAP = 1e-3  # what is found is called closest if this share less is excluded
LESS = 0.98 * GAP  # what is excluded, as the error is rounded up where it is printed
TIGHT = 1e-6  # and without more words if this share less is
FEW_STARTS = 4
FEW_CELLS = 300  # to prove that nothing is closer
MOST_KEYS = 400  # for which more than the refusal itself is proved


def within_or_refuse(task: QueryTask) -> QueryDesign:
    """A query within the tolerance of a target that is out of reach; or raise why there is none."""
    return _Refusal(task).settle()


class _Refusal:
    """What is known of a target that is no limit of queries."""

    def __init__(self, task: QueryTask) -> None:
        self.task = task
        self.near: Closest = closest(task.easy, task.pattern)
        self.found = self.near.vector  # the query with the smallest error so far
        self.least = task.error(self.found)
        # Far enough that .best is among the queries spoken of.
        length = 2 * float(np.linalg.norm(self.found))
        self.radius = max(reach_radius(task.family.keys, task.scale), length)

    def settle(self) -> QueryDesign:
        """Return the design, or raise."""
        task = self.task
        if self.least <= task.tolerance:
            return self.reached()
        about, excluding = self.cheap_claims()
        if not excluding:
            excluding = verified(self.by_multipliers(task.tolerance), self.empty())
        if not excluding:
            claims = self.by_cells(task.tolerance)
            if self.least <= task.tolerance:
                return self.reached()
            excluding = verified(claims, self.empty())
        if not excluding and self.search(many=True):
            return self.reached()
        if not excluding:
            raise self.undecided(about)
        if not self.nothing_closer(excluding) and self.search(many=False):
            return self.reached()  # in spite of a claim: by no more than rounding
        gap = self.proved_gap(excluding)
        about = excluding + [claim for claim in about if claim not in excluding]
        best = self.design()
        raise refused(self.why(excluding, best, gap), task.certificate(about), best)

    def reached(self) -> QueryDesign:
        """The design of the query found, which is within the tolerance."""
        return self.task.reached(self.found, self.least, None)

    def design(self) -> QueryDesign:
        """The design of the query that comes closest so far."""
        return self.task.design(self.found, self.least, None)

    def empty(self) -> Certificate:
        """The arrays that claims are about."""
        return self.task.certificate([])

    def keep(self, vector: Array) -> bool:
        """Keep a query if its error is smaller; whether it is within the tolerance."""
        error = self.task.error(vector)
        if error < self.least:
            self.found, self.least = vector, error
        return self.least <= self.task.tolerance

    def search(self, many: bool) -> bool:
        """Look for a query with a smaller error; whether one is within the tolerance."""
        task = self.task
        if many and task.values is not None and any(self.keep(v) for v in self.on_faces()):
            return True
        if task.keys.size > MOST_NUMBERS:
            return False
        count = 24 if many else FEW_STARTS if task.values is None else 2
        found = smallest_error(
            task.easy,
            task.pattern,
            task.values,
            starts(task.easy, self.near.vector, count),
            task.tolerance * ROOM[1],
        )
        return self.keep(found)

    def on_faces(self) -> Iterator[Array]:
        """Queries for other weights with the same output, of few keys."""
        task = self.task
        assert task.values is not None
        wanted = task.pattern.weights[0] @ task.values[task.pattern.indices[0]]
        nearest = distance(task.values, wanted)
        order = np.argsort(nearest.indices)
        patterns = [Pattern((nearest.indices[order],), (nearest.weights[order],))]
        missed = np.linalg.norm(task.values - wanted, axis=1)
        for key in np.argsort(missed, kind="stable")[:4]:
            if missed[key] < task.tolerance:
                patterns.append(Pattern((np.array([key]),), (np.ones(1),)))
        error = off_target(task.pattern, task.values)
        for pattern in patterns:
            limit = reach_limit(task.easy, pattern, error, task.tolerance)
            for room in ROOM:
                if np.isfinite(limit.scale):
                    limit = limit.within(task.tolerance * room)
                    yield limit.vector()

    # What may exclude the goal

    def cheap_claims(self) -> tuple[list[Claim], list[Claim]]:
        """Claims from the average of most entropy that hold, and those that exclude the goal."""
        task, query = self.task, self.found * self.task.unit
        combination = complete(task.family, self.near.weights, task.pattern.table(len(task.keys)))
        claims = []
        if task.pattern.one_target:
            key = task.target["indices"][0]
            claims.append(ceiling_claim(key, combination, self.radius, query))
            if task.values is not None:
                claims += output_claims(key, combination, self.radius, query, task.values)
        elif task.values is None:
            floor = floor_claim(task.target, task.tolerance, combination, self.radius, query)
            claims += [] if floor is None else [floor]
        gap = divergence_claim(task.target, combination, self.radius, query)
        if gap.fields["bound"] > 0:
            claims.append(gap)
        claims = verified([self.in_caller_units(claim) for claim in claims], self.empty())
        return claims, [claim for claim in claims if self.excludes(claim)]

    def excludes(self, claim: Claim) -> bool:
        """Whether a claim from the average of most entropy excludes the goal."""
        if claim.kind == "output_ceiling":
            return bool(claim.fields["bound"] > self.task.tolerance)
        if self.task.values is not None:
            return False
        if claim.kind == "ceiling":
            return bool(claim.fields["bound"] < 1 - self.task.tolerance)
        return claim.kind == "floors_out_of_reach"

    def by_multipliers(self, tolerance: float) -> list[Claim]:
        """The claim that multipliers exclude the goal within a tolerance, if some were found."""
        task = self.task
        table, near = task.pattern.table(len(task.keys)), self.near.weights
        if task.values is None:
            found = excluded_weights(task.family, [0], table, tolerance, near)
        else:
            wanted = table @ task.values
            found = excluded_outputs(task.family, [0], table, task.values, wanted, tolerance, near)
        if found is None:
            return []
        witness, exact = found
        return [self.beyond(tolerance, witness, None if exact else self.radius)]

    def by_cells(self, tolerance: float, most: int = MOST_CELLS) -> list[Claim]:
        """Search all queries in cells: the claim that none is within a tolerance, if it is so."""
        task = self.task
        seen = view(task.family) if task.unit == 1.0 else None
        if seen is None:
            return []
        for room in (1.0, *ROOM[1:]):
            goal = goal_of(task.pattern, task.values, task.keys, tolerance * room)
            searched: Searched = search_cells(seen, goal, self.radius, most)
            if self.keep(searched.best) or searched.found is None:
                break
        if searched.witness is None or goal.tolerance < tolerance:
            return []
        return [self.beyond(tolerance, searched.witness, self.radius if seen.left_out else None)]

    def beyond(self, tolerance: float, witness: dict[str, Any], radius: float | None) -> Claim:
        """The claim that no query is within a tolerance."""
        kind = "weights_beyond" if self.task.values is None else "output_beyond"
        fields = {"target": self.task.target, "tolerance": tolerance, "radius": radius}
        query = self.found * self.task.unit
        return self.in_caller_units(Claim(kind, fields, {**witness, "attained_by": query}))

    def in_caller_units(self, claim: Claim) -> Claim:
        """A claim found for keys of ordinary size, about the keys that were given."""
        if self.task.unit == 1.0 or claim.fields.get("radius") is None:
            return claim
        fields = {**claim.fields, "radius": claim.fields["radius"] * self.task.unit}
        return Claim(claim.kind, fields, claim.witness)

    def proved_gap(self, excluding: list[Claim]) -> float | None:
        """Up to which share of its error .best is proved to be closest; None: it is not.

        A claim that excludes more than the tolerance joins the others.
        """
        if self.nothing_closer(excluding):
            return TIGHT
        if len(self.task.keys) > MOST_KEYS:
            return None
        least = self.least * (1 - LESS)
        claims = verified(self.by_multipliers(least), self.empty())
        if not claims:
            claims = verified(self.by_cells(least, FEW_CELLS), self.empty())
        excluding[:] = [c for c in excluding if not claims or c.kind != claims[0].kind] + claims
        # The search in cells may itself have found something closer.
        return GAP if claims and least >= self.least * (1 - LESS) else None

    def nothing_closer(self, excluding: list[Claim]) -> bool:
        """Whether a claim says that nothing is closer than what was found, or by next to nothing.

        For one key it often is so: the closest in divergence gives it the most that any query can.
        """
        return any(self.excluded_error(claim) >= self.least * (1 - TIGHT) for claim in excluding)

    def excluded_error(self, claim: Claim) -> float:
        """The error that a claim says no query comes below."""
        if claim.kind == "ceiling":
            return 1 - float(claim.fields["bound"])
        if claim.kind == "output_ceiling":
            return float(claim.fields["bound"])
        return float(claim.fields["tolerance"]) if "tolerance" in claim.fields else 0.0

    # Why

    def why(self, excluding: list[Claim], best: QueryDesign, gap: float | None) -> Reason:
        """The reason of a refusal as data: what excludes the goal, and what comes nearest."""
        task, first = self.task, excluding[0]
        what: Literal["weights", "output"] = "weights" if task.values is None else "output"
        nearest = Nearest(what, "error", best.error, least=gap, rough=gap == GAP)
        radius = first.fields["radius"]
        if first.kind == "ceiling":
            return KeyInHull(nearest, radius, first.fields["key"], first.fields["bound"])
        if "tree" in first.witness:
            cells = len(first.witness["leaves"])
            return NoQuery(nearest, radius, task.tolerance, "cells", cells)
        because: Literal["value", "averages"] = (
            "value" if first.kind == "output_ceiling" else "averages"
        )
        return NoQuery(nearest, radius, task.tolerance, because)

    def undecided(self, claims: list[Claim]) -> UndecidedDesign:
        """Neither a query nor a proof."""
        task, best = self.task, self.design()
        known = [claim for claim in claims if claim.kind == "weights_apart"]
        reason = NoQueryFound(
            Nearest("query", "error", best.error),
            task.tolerance,
            edge=best.error <= max(1.01 * task.tolerance, 1e-9),
            divergence=known[0].fields["bound"] if known else None,
        )
        return undecided(reason, task.certificate(claims) if claims else None, best)
