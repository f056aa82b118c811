"""Random keys: the formula, a query designed for the least noise, or keys at their means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate, Claim, rms_exclusion, verify
from regard.certify.objects import told_apart
from regard.design import RobustDesign
from regard.design import query as design_query
from regard.design import robust as design_robust
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.heads.solve.averaged_heads import AveragedHeads, in_means, limit_instance
from regard.kinds.heads.solve.pattern import Pattern
from regard.kinds.query.solve.finding import QueryFinding, Undecided
from regard.kinds.query.solve.max_margin import solve_at_means
from regard.kinds.query.solve.noise_window import solve_noise_window
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.solving.finding import Status
from regard.solving.random_keys import Bound, RandomKeys

Float64 = NDArray[np.float64]

MOST_ROBUST = 40  # keys for which a robust query is designed beside the formula


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastNoise(QueryFinding):
    """A query that was designed for the least noise, as the answer rounds it.

    Attributes:
        heads: one head, over the random keys.
        design: the query before rounding, with its gap.
        coefficients: of the means, where the answer writes the query so; None: it is numbers.
        bound: what is provable, in floats.
    """

    heads: AveragedHeads
    design: RobustDesign
    coefficients: Float64 | None
    bound: Bound

    @property
    def proved(self) -> bool:
        """Whether the tolerance is proved, by a claim that is verified."""
        return bool(self.reaches)

    @cached_property
    def error(self) -> float:
        """√E ‖c − c*‖² by the exact law."""
        return float(self.heads.off(self.query[None]))

    @cached_property
    def error_of_longer(self) -> float:
        """The same of a query that is three times as long."""
        return float(self.heads.off(3 * self.query[None]))

    @cached_property
    def sum_of_means(self) -> tuple[Float64, Float64]:
        """Factors of the sum of the wanted means, up to three times as long, and errors there."""
        naive = np.sum(self.instance.keys[list(self.pattern.rows)], axis=0)
        unit = float(np.linalg.norm(self.query)) / float(np.linalg.norm(naive))
        at = np.linspace(0.1, 3.0, 30) * unit
        return at, self.heads.off(np.multiply.outer(at, naive)[:, None, :])


@dataclass(frozen=True, eq=False, kw_only=True)
class VanishingNoise(QueryFinding):
    """A query for keys at their means, where the noise given is too large and goes to 0.

    Attributes:
        limit: what was found there.
        error: of the same query with the noise given.
        less: by which the variances must be multiplied for an error of twice the tolerance.
    """

    limit: QueryFinding
    error: float
    less: float


@dataclass(frozen=True, eq=False, kw_only=True)
class NoMeanScores(Undecided):
    """No query has the mean scores that the weights need; where it is excluded, that is proved."""


def solve_random(problem: QueryProblem, pattern: Pattern, instance: KeyInstance) -> QueryFinding:
    """Return the formula if it holds the tolerance; else a query of less noise, or the limit."""
    heads = _one_head(problem, pattern, instance)
    if not heads.keys.random:  # keys that are their means
        return solve_at_means(problem, pattern, _as_weights(heads))
    if not pattern.has_formula:
        return _designed(problem, heads)
    robust = _robust(heads) if pattern.n <= MOST_ROBUST else None
    found = solve_noise_window(heads, robust)
    if found is None:
        return _without_formula(problem, heads, robust)
    if not found.proved and robust is not None:
        # A quieter query may be proved where the formula is not.
        quieter = _least_noise(heads, robust)
        return quieter if quieter.proved else found
    return found


def _one_head(problem: QueryProblem, pattern: Pattern, instance: KeyInstance) -> AveragedHeads:
    keys = RandomKeys.of(problem.given, instance)
    return AveragedHeads(pattern, (pattern,), keys, instance, problem.goal.tolerance)


def _as_weights(heads: AveragedHeads) -> KeyInstance:
    """Return the instance with unit vectors for arbitrary values: outputs are weights then."""
    return replace(heads.instance, values=heads.keys.values)


def _robust(heads: AveragedHeads) -> RobustDesign | None:
    """Return the query of least noise at its best gap, if one is found."""
    try:
        return _robust_or_refusal(heads)
    except (InfeasibleDesign, UndecidedDesign):
        return None


def _robust_or_refusal(heads: AveragedHeads) -> RobustDesign:
    keys = heads.keys
    return design_robust(
        keys.means, keys.covariances, heads.whole.target, values=keys.values, scale=keys.scale
    )


def _without_formula(
    problem: QueryProblem, heads: AveragedHeads, robust: RobustDesign | None
) -> QueryFinding:
    """The formula has too much noise: a query of less, or keys at their limit, or what is known."""
    if robust is not None and robust.rmse <= heads.tolerance:
        return _least_noise(heads, robust)
    limit = limit_instance(problem.given)
    if limit is not None:
        if not np.any(limit.covariances):
            return _vanishing(problem, heads, limit)
        there = _one_head(problem, heads.whole, limit)
        robust = _robust(there)
        if robust is not None and robust.rmse <= heads.tolerance:
            return _least_noise(there, robust)
    return _designed(problem, heads)


def _vanishing(problem: QueryProblem, heads: AveragedHeads, limit: KeyInstance) -> QueryFinding:
    """As the noise vanishes keys are their means, and the tolerance is one of the leak."""
    keys, at_means = heads.keys, replace(limit, values=heads.keys.values)
    found = solve_at_means(problem, heads.whole, at_means)
    if found.status is not Status.PROVED:
        return found

    def error(times: float) -> float:
        return float(heads.off(found.query[None], keys.with_noise(keys.covariances * times)))

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
        pattern=heads.whole,
        instance=at_means,
        query=found.query,
        limit=found,
        error=error(1.0),
        less=10**low,
    )


def _least_noise(heads: AveragedHeads, robust: RobustDesign) -> LeastNoise:
    """Return a designed query, with what is proved of it."""
    query = robust.queries[0]
    written = in_means(query, heads.instance)
    if written is not None:
        query = written[1] @ heads.instance.keys  # what the answer says, to its digits
    queries = query[None]
    bound, proved = heads.bound(queries), heads.proves(queries)
    claim = heads.claim(queries, None if proved else bound.claimable)
    certificate = heads.keys.certificate(claim)
    found = LeastNoise(
        Status.PROVED,
        {"q": query.tolist() if written is None else written[0]},
        told_apart(
            {**robust.certificate.arrays, **certificate.arrays},
            (claim, *robust.certificate.claims),
            heads.keys.scale,
        ),
        (0,) if proved else (),
        pattern=heads.whole,
        instance=heads.instance,
        query=query,
        heads=heads,
        design=robust,
        coefficients=None if written is None else written[1],
        bound=bound,
    )
    if proved:
        return found
    within = found.error <= heads.tolerance
    return replace(found, status=Status.NUMERIC if within else Status.UNDECIDED)


def _designed(problem: QueryProblem, heads: AveragedHeads) -> QueryFinding:
    """Means without structure, or noise that no formula survives."""
    try:
        robust = _robust_or_refusal(heads)
    except InfeasibleDesign as refusal:
        return _no_mean_scores(heads, refusal)
    except UndecidedDesign as refusal:
        return _undecided(heads, refusal)
    if robust.rmse > heads.tolerance:
        limit = limit_instance(problem.given)
        if limit is not None and not np.any(limit.covariances):
            return _vanishing(problem, heads, limit)
    return _least_noise(heads, robust)


def _no_mean_scores(heads: AveragedHeads, refusal: InfeasibleDesign) -> NoMeanScores:
    """Mean scores that cannot be had do not always exclude an output within the tolerance."""
    excluded, certificate = _exclusion(heads), refusal.certificate
    if excluded is not None:
        arrays = {**certificate.arrays, "means": heads.keys.means}
        certificate = Certificate(arrays, (excluded, *certificate.claims), heads.keys.scale)
    query = refusal.best.queries[0]
    return NoMeanScores(
        Status.UNDECIDED if excluded is None else Status.IMPOSSIBLE,
        {"q": query.tolist()},
        certificate,
        () if excluded is None else (0,),
        pattern=heads.whole,
        instance=heads.instance,
        query=query,
        refusal=refusal,
        random=True,
    )


def _exclusion(heads: AveragedHeads) -> Claim | None:
    """Return the claim that no query has such weights, where an average of the means shows it."""
    keys, pattern = heads.keys, heads.whole
    if not keys.weights_count:
        return None  # the output may be had with other weights
    try:
        design_query(keys.means, pattern.target, tolerance=heads.tolerance, scale=keys.scale)
    except InfeasibleDesign as refusal:
        bound = float(np.nextafter(heads.tolerance, 1.0))
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
    return Undecided(
        Status.UNDECIDED,
        {"q": query.tolist()},
        refusal.certificate or heads.keys.certificate(claim),
        pattern=heads.whole,
        instance=heads.instance,
        query=query,
        refusal=refusal,
        random=True,
    )
