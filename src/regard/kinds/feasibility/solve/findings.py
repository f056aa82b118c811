"""Can a token reach an output by a change alone, without matrices? What happens instead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypedDict

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.claims.heads import added_multiples as multiples
from regard.checking.sampling import Float64
from regard.kinds.feasibility.instance import Instance, instance
from regard.kinds.feasibility.solve.best_multiple import Multiple, best_multiple
from regard.kinds.feasibility.solve.excluded_multiples import (
    Piece,
    apart,
    cover,
    mass_claim,
    square_claims,
)
from regard.kinds.feasibility.solve.limit import average, away, limit_weights
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.language import parse
from regard.problems.tokens import token_label
from regard.solving.finding import Finding, Status, excluding
from regard.solving.latex_numbers import ratio

CHANGED, MIXED = "changed_", "mixed_"  # how arrays of the certificate are called


@dataclass(frozen=True, eq=False, kw_only=True)
class Found(Finding):
    """What comes out as things are; the outcomes below say what a change can do.

    Attributes:
        problem: what is asked.
        at: the instance.
        limit_weights: the weights of the row when every limit is reached.
    """

    problem: FeasibilityProblem
    at: Instance
    limit_weights: Float64

    @property
    def label(self) -> str:
        """What the output is called, such as c_2."""
        return token_label(self.at.row, "c")

    @property
    def goal_text(self) -> str:
        """The output that is wanted, as a formula."""
        return next(iter(self.problem.goal.output.values()))

    @property
    def tolerance(self) -> float:
        """How far off the output may be, relative to the length of the goal."""
        return self.problem.goal.tolerance

    @cached_property
    def instead(self) -> str:
        """What the output is close to as things are, with few digits: for sentences."""
        return str(parse(average(self.problem, self.limit_weights, 6)))

    @property
    def limit(self) -> Float64:
        """What the output tends to, as a vector (d,)."""
        return np.asarray(self.limit_weights @ self.at.tokens)

    @cached_property
    def distance(self) -> float:
        """How far the output of the instance is from that."""
        return away(self.at, self.limit_weights)

    def nearest_average(self, tokens: Float64) -> tuple[float, Float64]:
        """Return how near any weights at all could bring the output to the goal, and which do."""
        claim = apart(tokens, self.at.goal, "tokens")
        return float(claim.fields["bound"]), np.asarray(claim.witness["combination"])

    def is_average(self, tokens: Float64) -> bool:
        """Whether free weights would bring the output to the goal."""
        return self.nearest_average(tokens)[0] <= self.tolerance * self.at.size


@dataclass(frozen=True, eq=False, kw_only=True)
class AsItIs(Found):
    """The goal is what comes out already."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reached(Found):
    """A multiple does it.

    Attributes:
        best: the multiple.
        token: the changed token, as a formula.
    """

    best: Multiple
    token: str


@dataclass(frozen=True, eq=False, kw_only=True)
class OutOfReach(Found):
    """No multiple was found that does it.

    Attributes:
        proofs: by what is added, pieces that exclude all factors; None where that is not proved.
        in_the_limit: whether it is excluded in the limit as well, where one is asked about.
    """

    proofs: dict[str, list[Piece] | None]
    in_the_limit: bool = True


class _Shared(TypedDict):
    """What all outcomes have in common."""

    problem: FeasibilityProblem
    at: Instance
    limit_weights: Float64


def solve(problem: FeasibilityProblem) -> AsItIs | Reached | OutOfReach:
    """Return whether a multiple brings the output to the goal, and what the output is without."""
    at, weights, tolerance = instance(problem), limit_weights(problem), problem.goal.tolerance
    shared: _Shared = {"problem": problem, "at": at, "limit_weights": weights}
    digits = min(17, max(10, 2 - math.floor(math.log10(tolerance))))
    label, token = token_label(at.row, "c"), token_label(at.changed)
    output = {label: average(problem, weights, digits)}
    arrays = {"tokens": at.tokens}
    room = away(at, weights) * (1 + 1e-9) + 1e-12 * at.size
    comes, goal = _output(at, weights @ at.tokens, room), _output(at, at.goal, tolerance * at.size)
    if at.error(at.tokens) <= tolerance:
        answer = {"possible": True, **output, token: str(problem.given.tokens[at.changed])}
        certificate = Certificate(arrays, (comes, goal), at.scale)
        return AsItIs(Status.PROVED, answer, certificate, (1,), **shared)
    best = best_multiple(at, tolerance)
    if best is not None and best.error <= tolerance:
        changed = _with_multiple(problem, at, best)
        answer = {"possible": True, **output, token: changed}
        arrays = {"tokens": at.changed_by(best.factor, best.vector)}
        certificate = Certificate(arrays, (goal,), at.scale)
        return Reached(Status.PROVED, answer, certificate, (0,), **shared, best=best, token=changed)
    answer, proofs = {"possible": False, **output}, {}
    for k, (name, vector) in enumerate(at.directions.items()):
        proofs[name] = cover(at, vector, tolerance * at.size, f"{MIXED}{k + 1}")
    covered = {name: pieces for name, pieces in proofs.items() if pieces is not None}
    if len(covered) < len(proofs):  # an unproved impossibility claims nothing
        certificate = Certificate(arrays, (), at.scale)
        return OutOfReach(Status.UNDECIDED, answer, certificate, **shared, proofs=proofs)
    excluded = _out_of_reach(problem, at, covered)
    claims = (*excluded, comes, *_hulls(at, tolerance, arrays), *_pieces(at, covered, arrays))
    certificate = Certificate(arrays, claims, at.scale)
    return OutOfReach(
        Status.IMPOSSIBLE,
        answer,
        certificate,
        excluding(certificate, "multiples_out_of_reach"),
        **shared,
        proofs=proofs,
        in_the_limit=not problem.given.limits or all(one.fields["larger"] for one in excluded),
    )


def _with_multiple(problem: FeasibilityProblem, at: Instance, best: Multiple) -> str:
    """Return the changed token in the formula language; a token that is zero is left out."""
    token = str(problem.given.tokens[at.changed]) if np.any(at.tokens[at.changed]) else ""
    size = ratio(abs(best.factor))
    added = best.name if parse(best.name).names == {best.name} else f"({best.name})"
    added = added if size == "1" else f"{size} {added}"
    if not token:
        return f"{'-' * (best.factor < 0)}{added}"
    return f"{token} {'+' if best.factor > 0 else '-'} {added}"


def _out_of_reach(
    problem: FeasibilityProblem, at: Instance, covered: dict[str, list[Piece]]
) -> list[Claim]:
    """The goal is out of reach, for every multiple; in the limit of long vectors if asked."""
    given = problem.given
    grows = f"{given.basis.norm} -> inf" in given.limits and len(given.limits) == 1
    cases = [(at.added[name], [_shown_by(p) for p in pieces]) for name, pieces in covered.items()]
    if not cases:  # nothing may be added, and the output as it is points away from the goal
        weights = at.weights()
        away_from = {"direction": (weights @ at.tokens - at.goal).tolist(), "low": None}
        whole = [{**away_from, "high": None, "leader": int(np.argmax(weights))}]
        cases = [(np.zeros_like(at.goal), whole)]
    found = []
    for vector, pieces in cases:
        stated = (at.row, at.changed, vector.tolist(), at.goal.tolist())
        bound = problem.goal.tolerance * at.size
        for larger in (True, False)[not grows :]:
            claim = multiples.claim(*stated, bound, pieces=pieces, larger=larger)
            if verify(Certificate({"tokens": at.tokens}, (claim,), at.scale)).holds:
                break
        found.append(claim)
    return found


def _shown_by(piece: Piece) -> dict[str, Any]:
    """Write a piece of the proof as a witness: between which factors, along which direction."""
    low, high = (None if math.isinf(end) else end for end in (piece.low, piece.high))
    return {
        "low": low,
        "high": high,
        "leader": piece.leader,
        "direction": (-np.asarray(piece.claim.witness["direction"], float)).tolist(),
        "across": low is None and high is None,
    }


def _hulls(at: Instance, tolerance: float, arrays: dict[str, Float64]) -> list[Claim]:
    """Claims that no weights will do, as things are and with one whole vector added."""
    cases = {"tokens": at.tokens}
    for k, vector in enumerate(at.directions.values()):
        cases[f"{CHANGED}{k + 1}"] = at.changed_by(1.0, vector)
    claims = [apart(tokens, at.goal, name) for name, tokens in cases.items()]
    found = [claim for claim in claims if claim.fields["bound"] > tolerance * at.size]
    arrays |= {claim.fields["array"]: cases[claim.fields["array"]] for claim in found}
    return found


def _pieces(
    at: Instance, covered: dict[str, list[Piece]], arrays: dict[str, Float64]
) -> list[Claim]:
    """Claims that no factor of a piece will do, with what the leader's weight rests on."""
    claims = []
    for name, pieces in covered.items():
        for piece in pieces:
            arrays[piece.claim.fields["array"]] = piece.points
            mass = mass_claim(piece, len(at.tokens)) if len(pieces) == 1 else None
            if mass is not None:
                claims += [*square_claims(at, at.added[name], piece), mass]
            claims.append(piece.claim)
    return claims


def _output(at: Instance, vector: Float64, bound: float) -> Claim:
    """The output of the row is so near to a vector, with the identity for all matrices."""
    fields = {"outputs": [{"row": at.row, "vector": vector.tolist()}], "bound": bound}
    return Claim("outputs_close", fields, {"A": np.eye(len(vector)), "W_V": np.eye(len(vector))})
