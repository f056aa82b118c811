"""Random keys: the formula, a query designed for the least noise, or keys at their means."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeGuard

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.claim_subjects import told_apart
from regard.certify.claims.random_keys import rms_exclusion
from regard.design import RobustDesign
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.heads.solve.averaged_heads import (
    AveragedHeads,
    AveragedQueries,
    QueriesFound,
    in_means,
)
from regard.kinds.query.solve.max_margin import Undecided, solve_at_means
from regard.kinds.query.solve.noise_window import solve_noise_window
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import Float64
from regard.solving.finding import Finding, Status

Refusal = InfeasibleDesign | UndecidedDesign

MOST_ROBUST = 40  # keys for which a robust query is designed beside the formula


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastNoise(AveragedQueries):
    """A query that was designed for the least noise, as the answer rounds it.

    Attributes:
        design: the query before rounding, with its gap.
        coefficients: of the means, where the answer writes the query so; None: it is numbers.
    """

    design: RobustDesign
    coefficients: Float64 | None

    @cached_property
    def error_of_longer(self) -> float:
        """√E ‖c − c*‖² with a query that is three times as long."""
        return float(self.heads.off(3 * self.queries))

    @cached_property
    def sum_of_means(self) -> tuple[Float64, Float64]:
        """Factors of the sum of the wanted means, up to three times as long, and errors there."""
        naive = np.sum(self.heads.keys.means[list(self.pattern.rows)], axis=0)
        unit = float(np.linalg.norm(self.queries)) / float(np.linalg.norm(naive))
        at = np.linspace(0.1, 3.0, 30) * unit
        return at, self.heads.off(np.multiply.outer(at, naive)[:, None, :])


@dataclass(frozen=True, eq=False, kw_only=True)
class VanishingNoise(QueriesFound):
    """A query for keys at their means, where the noise given is too large and goes to 0.

    Attributes:
        limit: what was found there.
        error: of the same query with the noise given.
        less: by which the variances must be multiplied for an error of twice the tolerance.
    """

    limit: QueriesFound
    error: float
    less: float


@dataclass(frozen=True, eq=False, kw_only=True)
class NoMeanScores(Undecided):
    """No query has the mean scores that the weights need; where it is excluded, that is proved."""


def solve_random(problem: QueryProblem, heads: AveragedHeads) -> Finding:
    """Return the formula if it holds the tolerance; else a query of less noise, or the limit."""
    if not heads.keys.random:  # keys that are their means
        return solve_at_means(problem, _as_weights(heads))
    if not heads.whole.has_formula:
        return _designed(problem, heads, _robust(heads))
    robust = _robust(heads) if heads.whole.n <= MOST_ROBUST else None
    design = robust if isinstance(robust, RobustDesign) else None
    found = solve_noise_window(heads, design)
    if found is None:
        return _without_formula(problem, heads, robust)
    if not found.proved and design is not None:
        # A quieter query may be proved where the formula is not.
        quieter = _least_noise(heads, design)
        return quieter if quieter.proved else found
    return found


def _as_weights(heads: AveragedHeads) -> AveragedHeads:
    """Return the same with unit vectors for arbitrary values: outputs are weights then."""
    return replace(heads, instance=replace(heads.instance, values=heads.keys.values))


def _robust(heads: AveragedHeads) -> RobustDesign | Refusal:
    """Return the query of least noise at its best gap, or why there is none."""
    try:
        return heads.robust_design()
    except (InfeasibleDesign, UndecidedDesign) as refusal:
        return refusal


def _within(robust: RobustDesign | Refusal | None, tolerance: float) -> TypeGuard[RobustDesign]:
    return isinstance(robust, RobustDesign) and robust.rmse <= tolerance


def _without_formula(
    problem: QueryProblem, heads: AveragedHeads, robust: RobustDesign | Refusal | None
) -> Finding:
    """The formula has too much noise: a query of less, or keys at their limit, or what is known."""
    if _within(robust, heads.tolerance):
        return _least_noise(heads, robust)
    limit = AveragedHeads.in_limit(problem)
    if limit is not None and not limit.keys.random:
        return _vanishing(problem, heads, limit)
    quiet = None if limit is None else _robust(limit)
    if limit is not None and _within(quiet, heads.tolerance):
        return _least_noise(limit, quiet)
    return _designed(problem, heads, robust or _robust(heads))


def _designed(
    problem: QueryProblem, heads: AveragedHeads, robust: RobustDesign | Refusal
) -> Finding:
    """Means without structure, or noise that no formula survives."""
    if isinstance(robust, InfeasibleDesign):
        return _no_mean_scores(heads, robust)
    if isinstance(robust, UndecidedDesign):
        return _undecided(heads, robust)
    limit = AveragedHeads.in_limit(problem)
    if robust.rmse > heads.tolerance and limit is not None and not limit.keys.random:
        return _vanishing(problem, heads, limit)
    return _least_noise(heads, robust)


def _vanishing(problem: QueryProblem, heads: AveragedHeads, limit: AveragedHeads) -> QueriesFound:
    """As the noise vanishes keys are their means, and the tolerance is one of the leak."""
    keys, at_means = heads.keys, _as_weights(limit)
    found = solve_at_means(problem, at_means)
    if found.status is not Status.PROVED:
        return found

    def error(times: float) -> float:
        return float(heads.off(found.queries, keys.with_noise(keys.covariances * times)))

    low, high = -16.0, 0.0
    for _ in range(24):
        middle = (low + high) / 2
        within = error(10**middle) <= 2 * heads.tolerance
        low, high = (middle, high) if within else (low, middle)
    return VanishingNoise(
        found.status,
        found.answer,
        found.certificate,
        found.reaches,
        found.instances,
        heads=at_means,
        queries=found.queries,
        limit=found,
        error=error(1.0),
        less=10**low,
    )


def _least_noise(heads: AveragedHeads, robust: RobustDesign) -> LeastNoise:
    """Return a designed query, to the digits that the answer has, with what is proved of it."""
    query = robust.queries[0]
    answer, coefficients = in_means(query, heads.instance) or (query.tolist(), None)
    if coefficients is not None:
        query = coefficients @ heads.instance.keys
    found = LeastNoise.measured(
        heads, query[None], {"q": answer}, design=robust, coefficients=coefficients
    )
    arrays = {**robust.certificate.arrays, **found.certificate.arrays}
    claims = (*found.certificate.claims, *robust.certificate.claims)
    return replace(found, certificate=told_apart(arrays, claims, heads.keys.scale))


def _no_mean_scores(heads: AveragedHeads, refusal: InfeasibleDesign) -> NoMeanScores:
    """Mean scores that cannot be had do not always exclude an output within the tolerance."""
    excluded, certificate = _exclusion(heads), refusal.certificate
    if excluded is not None:
        arrays = {**certificate.arrays, "means": heads.keys.means}
        certificate = Certificate(arrays, (excluded, *certificate.claims), heads.keys.scale)
    status, reaches = (Status.UNDECIDED, ()) if excluded is None else (Status.IMPOSSIBLE, (0,))
    query = refusal.best.queries[0]
    return NoMeanScores.of_one(status, heads, query, certificate, reaches, refusal=refusal)


def _exclusion(heads: AveragedHeads) -> Claim | None:
    """Return the claim that no query has such weights, where an average of the means shows it."""
    keys, pattern = heads.keys, heads.whole
    if not keys.weights_count:
        return None  # the output may be had with other weights
    try:
        design_query(keys.means, pattern.target, tolerance=heads.tolerance, scale=keys.scale)
    except InfeasibleDesign as refusal:
        # The tolerance is of each of n weights: squares that sum to more than n times its square
        # have one above it.
        bound = heads.tolerance * math.sqrt(pattern.n) * (1 + 1e-12)
        for other in refusal.certificate.claims:
            if "combination" in other.witness:
                average = other.witness["combination"]
                claim = rms_exclusion.claim(pattern.claimed, bound, average=average)
                if verify(Certificate({"means": keys.means}, (claim,))).holds:
                    return claim
    except UndecidedDesign:
        pass
    return None


def _undecided(heads: AveragedHeads, refusal: UndecidedDesign) -> Undecided:
    best = refusal.best
    query = np.zeros(heads.keys.means.shape[1]) if best is None else best.queries[0]
    claim = heads.claim(query[None], heads.bound(query[None]).claimable)
    certificate = refusal.certificate or heads.keys.certificate(claim)
    return Undecided.of_one(Status.UNDECIDED, heads, query, certificate, refusal=refusal)
