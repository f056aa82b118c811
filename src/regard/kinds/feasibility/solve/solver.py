"""Can a token reach an output by a change alone, without matrices? What happens instead."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.claims import multiples
from regard.core.kernels.threads import one_blas_thread
from regard.kinds.feasibility.solve import text as text
from regard.kinds.feasibility.solve.proof import Piece, apart, cover, mass_claim, square_claims
from regard.kinds.feasibility.solve.scene import Array, Scene, average, limit_weights, scene
from regard.kinds.feasibility.solve.search import Try, best
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.language import parse
from regard.report import number
from regard.solving.finding import Status
from regard.solving.solution import Solution, solved

__all__ = ["solve"]


def solve(problem: FeasibilityProblem) -> Solution:
    """Return whether a multiple brings the output to the goal, and what the output is without."""
    with one_blas_thread():
        found = Found(problem)
        answer: dict[str, Any] = {"possible": found.possible, found.label: found.instead}
        if found.possible:
            answer[f"x_{found.scene.changed + 1}"] = found.changed_token
        return solved(
            problem,
            found.status,
            text.headline(found),
            answer,
            found.certificate,
            text.steps(found),
            text.details(found),
            text.mistakes(found),
            reaches=found.reaches,
            assumes=found.assumes,
        )


class Found:
    """What was found: the output as it is, the best multiple, and the proof."""

    def __init__(self, problem: FeasibilityProblem) -> None:
        self.problem = problem
        self.scene: Scene = scene(problem)
        self.tolerance = problem.goal.tolerance
        self.label = f"c_{self.scene.row + 1}"
        self.symbol = f"c_{{{self.scene.row + 1}}}"  # the same in LaTeX
        self.goal_text = next(iter(problem.goal.output.values()))
        self.limit_weights: Array = limit_weights(problem)
        digits = min(17, max(10, 2 - math.floor(math.log10(self.tolerance))))
        self.instead = average(problem.given, self.limit_weights, digits)
        self.shown = str(parse(average(problem.given, self.limit_weights, 6)))  # for sentences
        self.unchanged = self.scene.error(self.scene.tokens)
        self.best: Try | None = best(self.scene, self.tolerance)
        self.as_it_is = self.unchanged <= self.tolerance
        self.possible = self.as_it_is or (
            self.best is not None and self.best.error <= self.tolerance
        )
        self.proofs: list[tuple[str, list[Piece] | None]] = []
        if not self.possible:
            allowed = self.tolerance * self.scene.size
            for k, (name, vector) in enumerate(self.scene.added):
                self.proofs.append((name, cover(self.scene, vector, allowed, f"mixed_{k + 1}")))

    @property
    def changed_token(self) -> str:
        """The changed token, or the token itself if nothing has to be changed."""
        token = self.problem.given.tokens[self.scene.changed]
        if self.as_it_is or self.best is None:
            return str(token)
        if not np.any(self.scene.tokens[self.scene.changed]):
            token = ""
        return text.with_multiple(str(token), self.best.factor, self.best.name)

    @property
    def status(self) -> Status:
        """Proved if possible, impossible if that is proved for every factor."""
        if self.possible:
            return Status.PROVED
        return Status.UNDECIDED if any(p is None for _, p in self.proofs) else Status.IMPOSSIBLE

    @property
    def limit(self) -> Array:
        """What the output is close to as things are."""
        return np.asarray(self.limit_weights @ self.scene.tokens)

    @property
    def distance(self) -> float:
        """How far the output of the instance is from that."""
        return self.scene.away(self.limit_weights)

    def hull(self, tokens: Array) -> float:
        """Return how near any weights at all could bring the output to the goal."""
        return float(apart(tokens, self.scene.goal, "tokens").fields["bound"])

    def nearest(self, tokens: Array) -> Array:
        """Return the weights that would bring it nearest."""
        found = apart(tokens, self.scene.goal, "tokens").witness["combination"]
        return np.asarray(found)

    @cached_property
    def certificate(self) -> Certificate:
        """Claims about the instance: what comes out, and that it can or cannot be done."""
        at = self.scene
        arrays = {"tokens": at.tokens}
        claims = [_output(at.row, self.limit, self.distance * (1 + 1e-9) + 1e-12 * at.size)]
        if self.possible:
            if not self.as_it_is:
                assert self.best is not None
                arrays = {"tokens": at.changed_by(self.best.factor, self.best.vector)}
                claims = []
            claims.append(_output(at.row, at.goal, self.tolerance * at.size))
            return Certificate(arrays, tuple(claims), at.scale)
        claims += self._hulls(arrays)
        unit = at.scale * at.norm**2
        for (_, vector), (_, pieces) in zip(at.added, self.proofs, strict=True):
            for piece in pieces or []:
                arrays[piece.claim.fields["array"]] = piece.points
                mass = mass_claim(piece, len(at.tokens)) if len(pieces or []) == 1 else None
                if mass is not None:
                    claims += [*square_claims(at, vector, piece, unit), mass]
                claims.append(piece.claim)
        if any(pieces is None for _, pieces in self.proofs):
            claims = []  # an unproved impossibility claims nothing
        else:
            claims = [*self._out_of_reach(), *claims]
        return Certificate(arrays, tuple(claims), at.scale)

    def _out_of_reach(self) -> list[Claim]:
        """The goal is out of reach, for every multiple; in the limit of long vectors if asked."""
        at = self.scene
        given = self.problem.given
        grows = f"{given.basis.norm} -> inf" in given.limits and len(given.limits) == 1
        cases = [
            (vector, [_shown_by(piece) for piece in pieces or []])
            for (_, vector), (_, pieces) in zip(at.added, self.proofs, strict=True)
        ]
        if not cases:  # nothing may be added, and the output as it is points away from the goal
            weights = at.weights(at.tokens)
            away = {"direction": (weights @ at.tokens - at.goal).tolist(), "low": None}
            whole = [{**away, "high": None, "leader": int(np.argmax(weights))}]
            cases = [(np.zeros_like(at.goal), whole)]
        found = []
        for vector, pieces in cases:
            stated = (at.row, at.changed, vector.tolist(), at.goal.tolist())
            for larger in (True, False)[not grows :]:
                claim = multiples.claim(
                    *stated, self.tolerance * at.size, pieces=pieces, larger=larger
                )
                if verify(Certificate({"tokens": at.tokens}, (claim,), at.scale)).holds:
                    break
            found.append(claim)
        return found

    @property
    def assumes(self) -> tuple[str, ...]:
        """Where what is asked about a limit is shown at the length given only."""
        given = self.problem.given
        shown = [self.certificate.claims[place] for place in self.reaches]
        limited = not self.possible and not all(claim.fields["larger"] for claim in shown)
        if not given.limits or not limited:
            return ()
        return (f"the parameters are as given ({_values(given.parameters)}), short of the limit.",)

    @property
    def reaches(self) -> tuple[int, ...]:
        """The claims that are the goal, or that exclude it for every vector that may be added."""
        claims = self.certificate.claims
        kind = "outputs_close" if self.possible else "multiples_out_of_reach"
        places = [place for place, claim in enumerate(claims) if claim.kind == kind]
        return tuple(places[-1:] if self.possible else places)

    def _hulls(self, arrays: dict[str, Array]) -> list[Claim]:
        """Claims that no weights will do, as things are and with one whole vector added."""
        at, claims = self.scene, []
        cases = [("tokens", at.tokens)]
        for k, (_, vector) in enumerate(at.added):
            cases.append((f"changed_{k + 1}", at.changed_by(1.0, vector)))
        for name, tokens in cases:
            claim = apart(tokens, at.goal, name)
            if claim.fields["bound"] > self.tolerance * at.size:
                arrays[name] = tokens
                claims.append(claim)
        return claims


def _values(parameters: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {number(value)}" for name, value in parameters.items())


def _shown_by(piece: Piece) -> dict[str, Any]:
    """Write a piece of the proof as a witness: between which factors, along which direction."""
    low, high = (None if math.isinf(end) else end for end in (piece.low, piece.high))
    direction = -np.asarray(piece.claim.witness["direction"], float)
    across = low is None and high is None
    return {
        "low": low,
        "high": high,
        "leader": piece.leader,
        "direction": direction.tolist(),
        "across": across,
    }


def _output(row: int, vector: Array, bound: float) -> Claim:
    d = len(vector)
    fields = {"outputs": [{"row": row, "vector": vector.tolist()}], "bound": bound}
    return Claim("outputs_close", fields, {"A": np.eye(d), "W_V": np.eye(d)})
