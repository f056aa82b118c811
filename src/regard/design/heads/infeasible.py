"""Rows that no head serves exactly: a head within the tolerance, or why there is none.

As for queries (`design.queries.infeasible`): a refusal rests on a claim that excludes what
is asked for within its tolerance, and that `certify.verify` accepts. Weights and outputs are
excluded each on their own; a head that fails one of them fails what is asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from regard.certify import Claim
from regard.design.heads import claims as head_claims
from regard.design.heads.low_rank import factors
from regard.design.heads.output_targets import Wanted, averages
from regard.design.heads.rank_bound import rows_field
from regard.design.heads.reasons import NoHead, NoHeadFound
from regard.design.linear_scores.branch_and_bound import Goal, search_cells, shared
from regard.design.linear_scores.exclusion_claims import (
    excluded_outputs,
    excluded_weights,
    verified,
)
from regard.design.linear_scores.family import Array, Family, Pattern
from regard.design.linear_scores.max_entropy import Closest, closest
from regard.design.linear_scores.minimax import smallest_error, starts
from regard.design.linear_scores.reduced_scores import view
from regard.design.reasons import Nearest, refused, undecided
from regard.design.results import HeadDesign
from regard.errors import UndecidedDesign

if TYPE_CHECKING:
    from regard.design.heads.task import HeadTask

__all__ = ["within_or_refuse"]

ROOM = (1 - 1e-7, 0.9, 0.5)  # shares of the tolerance aimed at: rounding the matrices adds a little
GAP = 1e-3  # what is found is called closest if this share less is excluded
LESS = 0.98 * GAP  # what is excluded, as the error is rounded up where it is printed
TIGHT = 1e-6  # and without more words if this share less is
MANY_STARTS, FEW_STARTS = 16, 1
MOST_SEARCHED = 400  # parameters


def within_or_refuse(task: HeadTask) -> HeadDesign:
    """A head within the tolerance of what no head does exactly; or raise why there is none."""
    return _Refusal(task).settle()


class _Refusal:
    """What is known of rows that no head serves exactly."""

    def __init__(self, task: HeadTask) -> None:
        self.task = task
        self.rows = list(task.attend)
        self.best: HeadDesign | None = None

    def settle(self) -> HeadDesign:
        """Return the design, or raise."""
        task = self.task
        about: list[Claim] = []
        excluding: list[Claim] = []
        if task.outputs and self.keep(task.closest_outputs):
            return self.closest
        if task.attend:
            if self.keep(self.from_vector(self.near.vector)):
                return self.closest
            about, excluding = self.cheap_claims()
            if not excluding:
                excluding = verified(self.by_multipliers(task.tolerance), task.certificate([]))
            if not excluding:
                claims, met = self.by_cells()
                if met:
                    return self.closest
                excluding = verified(claims, task.certificate([]))
            if self.search(many=not excluding):
                return self.closest
        if not excluding and task.outputs and task.W_V is not None:
            claims, met = self.outputs_excluded()
            if met:
                return self.closest
            excluding = verified(claims, task.certificate([]))
        if not excluding:
            raise self.undecided(about)
        gap = self.proved_gap(excluding)
        about = excluding + [claim for claim in about if claim not in excluding]
        raise refused(self.why(excluding[0], gap), task.certificate(about), self.closest)

    @property
    def closest(self) -> HeadDesign:
        """The head with the smallest error so far."""
        assert self.best is not None
        return self.best

    def keep(self, design: HeadDesign) -> bool:
        """Keep a design if its error is smaller; whether it is within the tolerance."""
        if self.best is None or design.error < self.best.error:
            self.best = design
        return self.best.error <= self.task.tolerance

    # Weights

    @cached_property
    def pattern(self) -> Pattern:
        """The weights that are asked of the rows, as the target of a convex fit."""
        return _pattern(self.task.attend)

    @cached_property
    def family(self) -> Family:
        """The scores of the rows whose weights are asked for, for tokens of ordinary size."""
        return Family(self.task.tokens, self.task.tokens[self.rows], self.task.scale)

    @cached_property
    def near(self) -> Closest:
        """The head that is closest in divergence."""
        return closest(self.family.shifted(), self.pattern)

    def from_vector(self, vector: Array) -> HeadDesign:
        """The head whose matrix A has these coordinates, with its W_V and its measured error."""
        A = self.family.parameter(vector)
        value = self.task.value_for(self.near.weights, self.rows)
        rank = max(1, int(np.linalg.matrix_rank(A)))
        return self.task.design(factors(A, rank), value, [])

    def search(self, many: bool) -> bool:
        """Look for a head with a smaller error; whether one is within the tolerance."""
        if self.family.size > MOST_SEARCHED:
            return False
        easy = self.family.shifted()
        begin = starts(easy, self.near.vector, MANY_STARTS if many else FEW_STARTS)
        allowed = self.task.tolerance * ROOM[1]
        found = smallest_error(easy, self.pattern, None, begin, allowed)
        return self.keep(self.from_vector(found))

    def radius(self, rows: list[int]) -> float:
        """How long A may be for what is only known to rounding, for the tokens as given."""
        task = self.task
        family = Family(task.tokens, task.tokens[rows], task.scale)
        longest = 0.0 if self.best is None else 2 * float(np.linalg.norm(self.best.A))
        return max(head_claims.reach_radius(family) * task.unit**2, longest)

    def cheap_claims(self) -> tuple[list[Claim], list[Claim]]:
        """Claims from the weights of most entropy that hold, and those that exclude the goal."""
        task = self.task
        claims = head_claims.pattern_obstruction(
            self.family, self.rows, self.pattern, self.near, self.closest.A, task.unit
        )
        claims = [claim for claim in claims if _says_something(claim)]
        claims = verified(claims, task.certificate([]))
        ceilings = [
            claim
            for claim in claims
            if claim.kind == "pattern_ceiling" and claim.fields["bound"] < 1 - task.tolerance
        ]
        return claims, ceilings

    def proved_gap(self, excluding: list[Claim]) -> float | None:
        """Up to which share of its error .best is proved to be closest; None: it is not.

        A claim that excludes more than the tolerance joins the others.
        """
        error, first = self.closest.error, excluding[0]
        if first.kind == "pattern_ceiling" and 1 - first.fields["bound"] >= error * (1 - TIGHT):
            return TIGHT
        if first.kind == "outputs_beyond" or self.task.outputs:
            return None
        claims = verified(self.by_multipliers(error * (1 - LESS)), self.task.certificate([]))
        if claims:
            excluding[:] = [claim for claim in excluding if claim.kind != "pattern_beyond"]
            excluding += claims
        return GAP if claims else None

    def by_multipliers(self, tolerance: float) -> list[Claim]:
        """The claim that multipliers exclude the weights within a tolerance, if some do."""
        table = self.pattern.table(len(self.task.tokens))
        found = excluded_weights(self.family, self.rows, table, tolerance, self.near.weights)
        return [] if found is None else [self.pattern_beyond(*found, tolerance)]

    def by_cells(self) -> tuple[list[Claim], bool]:
        """Search all heads in cells: the claim that none has the weights; whether one was found."""
        table = self.pattern.table(len(self.task.tokens))
        seen = view(Family(self.task.given, self.task.given[self.rows], self.task.scale))
        if seen is None:
            return [], False
        for room in (1.0, *ROOM):
            goal = Goal(table, None, None, self.task.tolerance * room)
            searched = search_cells(seen, goal, self.radius(self.rows))
            if self.keep(self.from_vector(searched.best / self.task.unit**2)):
                return [], True
            if searched.found is None:
                break
        if searched.witness is None or goal.tolerance < self.task.tolerance:
            return [], False
        return [
            self.pattern_beyond(searched.witness, not seen.left_out, self.task.tolerance)
        ], False

    def pattern_beyond(self, witness: dict[str, Any], exact: bool, tolerance: float) -> Claim:
        """The claim that no head has the weights within a tolerance."""
        fields = {
            "rows": rows_field(self.rows, self.pattern),
            "tolerance": tolerance,
            "radius": None if exact else self.radius(self.rows),
        }
        return Claim("pattern_beyond", fields, {**witness, "attained_by": {"A": self.closest.A}})

    # Outputs

    def outputs_excluded(self) -> tuple[list[Claim], bool]:
        """Whether outputs of given values are excluded; whether a head was found after all."""
        task = self.task
        assert task.W_V is not None
        rows = list(task.outputs)
        wanted = np.array(list(task.outputs.values()))
        values = task.tokens @ task.W_V
        fields: dict[str, Any] = {
            "outputs": [{"row": r, "vector": v.tolist()} for r, v in task.outputs.items()],
            "tolerance": task.tolerance,
        }

        def claim(witness: dict[str, Any], exact: bool) -> Claim:
            reach = None if exact else self.radius(rows)
            head = {"attained_by": {"A": self.closest.A}}
            return Claim("outputs_beyond", {**fields, "radius": reach}, {**witness, **head})

        spread = list(averages(values, {}, task.outputs))[-1]
        pattern = _pattern({row: spread[row] for row in rows})
        family = Family(task.tokens, task.tokens[rows], task.scale)
        table = pattern.table(len(values))
        found = excluded_outputs(family, rows, table, values, wanted, task.tolerance, None)
        if found is not None:
            claims = verified([claim(*found)], task.certificate([]))
            if claims:
                return claims, False
        seen = view(Family(task.given, task.given[rows], task.scale))
        if seen is None:
            return [], False
        goal = Goal(table, shared(task.given, values), wanted, task.tolerance)
        searched = search_cells(seen, goal, self.radius(rows))
        if not task.attend:
            A = (searched.best / task.unit**2).reshape(task.tokens.shape[1], -1)
            rank = max(1, int(np.linalg.matrix_rank(A)))
            if self.keep(task.design(factors(A, rank), task.W_V, [])):
                return [], True
        if searched.witness is None:
            return [], False
        return [claim(searched.witness, not seen.left_out)], False

    # Why

    def why(self, claim: Claim, gap: float | None) -> NoHead:
        """The reason of a refusal as data: the claim that excludes the goal, and the nearest."""
        nearest = Nearest("head", "error", self.closest.error, least=gap, rough=gap == GAP)
        radius = claim.fields["radius"]
        if claim.kind == "pattern_ceiling":
            return NoHead(nearest, "token", claim.fields["bound"], radius)
        off: Literal["weight", "output"] = "weight" if claim.kind == "pattern_beyond" else "output"
        return NoHead(nearest, off, self.task.tolerance, radius)

    def undecided(self, claims: list[Claim]) -> UndecidedDesign:
        """Neither a head nor a proof."""
        best = self.closest
        reason = NoHeadFound(Nearest("head", "error", best.error), outputs=not self.task.attend)
        known = claims if self.task.attend else []
        return undecided(reason, self.task.certificate(known) if known else None, best)


def _says_something(claim: Claim) -> bool:
    bound = claim.fields["bound"]
    return bool(bound < 1 if claim.kind == "pattern_ceiling" else bound > 0)


def _pattern(wanted: Wanted) -> Pattern:
    return Pattern(
        tuple(indices for indices, _ in wanted.values()),
        tuple(weights for _, weights in wanted.values()),
    )
