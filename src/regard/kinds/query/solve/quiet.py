"""Where a formula is too noisy or there is none: a designed query, or keys at their limit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate, Claim, verify
from regard.certify.claims import rms_exclusion
from regard.certify.objects import told_apart
from regard.design import RobustDesign
from regard.design import query as design_query
from regard.design import robust as design_robust
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.heads.spec import HeadsProblem
from regard.kinds.query.solve.exact import solve_exact
from regard.kinds.query.solve.fixed import solve_fixed
from regard.kinds.query.solve.formula import MOST_LISTED, Mix, spelled
from regard.kinds.query.solve.law import (
    RandomKeys,
    certified,
    is_proved,
    provable_claim,
    rms_bound,
    rms_claim,
)
from regard.kinds.query.solve.quiet_shown import robust_shown, vanishing_steps
from regard.kinds.query.spec import QueryProblem
from regard.language import parse_limit
from regard.problems import key_instance
from regard.problems.instances import KeyInstance
from regard.solving.finding import Status
from regard.solving.key_tables import known_values, tex_vector
from regard.solving.refusals import in_words
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

SMALL = 1e-12
DIGITS = 6  # of the coefficients of a designed query


def random_keys(problem: QueryProblem | HeadsProblem, instance: KeyInstance) -> RandomKeys:
    """Return what heads look at; weights count where values are arbitrary."""
    assert instance.covariances is not None
    values = as_weights(problem, instance).values
    covariances = (instance.covariances + instance.covariances.swapaxes(1, 2)) / 2
    weights_count = not known_values(problem.given)
    return RandomKeys(instance.keys, covariances, values, problem.given.scale, weights_count)


def as_weights(problem: QueryProblem | HeadsProblem, instance: KeyInstance) -> KeyInstance:
    """The instance with unit vectors for values that are arbitrary: outputs are weights then."""
    if known_values(problem.given):
        return instance
    return replace(instance, values=np.eye(problem.given.n))


def random_assumes(problem: QueryProblem | HeadsProblem) -> tuple[str, ...]:
    """What is taken for granted about random keys."""
    keys = "the keys are normal and independent of each other."
    if known_values(problem.given):
        return (keys,)
    return keys, "The values may be any, so the tolerance is of the weights."


def at_limit(problem: QueryProblem | HeadsProblem) -> KeyInstance | None:
    """The instance with every parameter at its limit; None if there is no finite one."""
    limits = [parse_limit(text) for text in problem.given.limits]
    ends = {limit.name: float(limit.target) for limit in limits}
    if not ends or not all(math.isfinite(end) for end in ends.values()):
        return None
    return key_instance(problem.given, parameters=ends)


def robust_query(mix: Mix, keys: RandomKeys) -> RobustDesign | None:
    """The quietest query at its best gap, if one is found."""
    try:
        return design_robust(
            keys.means, keys.covariances, mix.target, values=keys.values, scale=keys.scale
        )
    except (InfeasibleDesign, UndecidedDesign):
        return None


def solve_otherwise(
    problem: QueryProblem,
    mix: Mix,
    instance: KeyInstance,
    keys: RandomKeys,
    quiet: RobustDesign | None,
) -> Solution:
    """The formula is too noisy: a quieter query, or keys at their limit, or what is known."""
    if quiet is not None and quiet.rmse <= problem.goal.tolerance:
        return solve_quiet(problem, mix, instance, keys, quiet)
    limit = at_limit(problem)
    if limit is not None and limit.covariances is not None:
        if not np.any(limit.covariances):
            return _vanishing(problem, mix, limit, keys)
        still = random_keys(problem, limit)
        quiet = robust_query(mix, still)
        if quiet is not None and quiet.rmse <= problem.goal.tolerance:
            return solve_quiet(problem, mix, limit, still, quiet)
    return solve_designed(problem, mix, instance, keys)


def _vanishing(problem: QueryProblem, mix: Mix, limit: KeyInstance, keys: RandomKeys) -> Solution:
    """As the noise vanishes keys are their means, and the tolerance is one of the leak."""
    limit = as_weights(problem, limit)
    if mix.structure == "none" or not spelled(mix):
        solution = solve_fixed(problem, mix, limit)
    else:
        solution = solve_exact(problem, mix, limit)
    if solution.status is not Status.PROVED:
        return solution
    query = solution.answer["q"]
    if isinstance(query, str):
        query = mix.query(solution.answer[mix.factor], limit.symbols)
    more = vanishing_steps(keys, np.asarray(query, float), mix, problem.goal.tolerance)
    headline = rf"{solution.headline} \quad \text{{as the noise vanishes}}"
    limit_first = ("the noise vanishes first, so that keys are their means.",)
    told = replace(
        solution.explanation, headline=headline, steps=solution.steps + more, assumes=limit_first
    )
    return replace(solution, told=told)


def solve_quiet(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, keys: RandomKeys, quiet: RobustDesign
) -> Solution:
    """A designed query that holds the tolerance."""
    query = quiet.queries[0]
    text = in_means(query, instance)
    if text is not None:
        query = text[1] @ instance.keys  # what the answer says, to the digits that it says it in
    tolerance = problem.goal.tolerance
    bound = rms_bound(keys, query[None], mix.target)
    claim = rms_claim(keys, query[None], mix.target, tolerance)
    proved = is_proved(keys, claim)
    within = float(keys.off(query[None], mix.wanted() @ keys.values)) <= tolerance
    if not proved:
        claim = provable_claim(keys, query[None], mix.target, bound)
    certificate = certified(keys, claim)
    shown = robust_shown(problem, mix, keys, quiet, query, bound, proved, text is not None)
    return solved(
        problem,
        Status.PROVED if proved else Status.NUMERIC if within else Status.UNDECIDED,
        rf"q = {tex_vector(query)}" if text is None else rf"q = M^\top {tex_vector(text[1])}",
        {"q": query.tolist() if text is None else text[0]},
        told_apart(
            {**quiet.certificate.arrays, **certificate.arrays},
            (claim, *quiet.certificate.claims),
            keys.scale,
        ),
        *shown,
        reaches=(0,) if proved else (),
        assumes=random_assumes(problem),
    )


def in_means(query: Float64, instance: KeyInstance) -> tuple[str, Float64] | None:
    """A query, to a few digits, as a combination of the means; None if it is none.

    Returns:
        The formula and the coefficients in it.
    """
    if len(instance.keys) > MOST_LISTED:
        return None
    parts = np.linalg.lstsq(instance.keys.T, query, rcond=None)[0]
    if np.max(np.abs(parts @ instance.keys - query)) > SMALL * (1 + np.max(np.abs(query))):
        return None
    size = float(np.max(np.abs(parts)))
    if size > 0:
        parts = np.round(parts, DIGITS - math.ceil(math.log10(size))) + 0.0
    listed = ", ".join(repr(float(part)) for part in parts)
    return f"M' [{listed}]", np.asarray(parts, float)


def solve_designed(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, keys: RandomKeys
) -> Solution:
    """Means without structure, or noise that no formula survives."""
    goal = problem.goal
    try:
        quiet = design_robust(
            keys.means, keys.covariances, mix.target, values=keys.values, scale=keys.scale
        )
    except InfeasibleDesign as refusal:
        steps = ((in_words(refusal), ""),)
        best = refusal.best.queries[0]
        excluded = _excluded(problem, mix, keys)
        if excluded is not None:
            return solved(
                problem,
                Status.IMPOSSIBLE,
                r"\text{impossible: the means have no query with these mean scores}",
                {"q": best.tolist()},
                Certificate(
                    {**refusal.certificate.arrays, "means": keys.means},
                    (excluded, *refusal.certificate.claims),
                    keys.scale,
                ),
                (*steps, _AVERAGES),
                reaches=(0,),
                assumes=random_assumes(problem),
            )
        # Mean scores that cannot be had do not exclude an output within the tolerance.
        return solved(
            problem,
            Status.UNDECIDED,
            r"\text{not known: no query has the mean scores that these weights need}",
            {"q": best.tolist()},
            refusal.certificate,
            steps,
        )
    except UndecidedDesign as refusal:
        return _unknown(problem, mix, keys, refusal)
    if quiet.rmse <= goal.tolerance:
        return solve_quiet(problem, mix, instance, keys, quiet)
    limit = at_limit(problem)
    if limit is not None and limit.covariances is not None and not np.any(limit.covariances):
        return _vanishing(problem, mix, limit, keys)
    return solve_quiet(problem, mix, instance, keys, quiet)


_AVERAGES = (
    "Another average of the means, with weights $\\lambda$, is the same point. Its score differs "
    "from that of the wanted average by a normal number of mean 0, which is at most 0 half of the "
    "time. Then the weights are off by at least the difference of the entropies. So the squares of "
    "the errors of all $n$ weights sum to more than $n$ times that of the tolerance "
    "$\\varepsilon$, and one of them is above it.",
    r"P(Y \le 0) \ge \tfrac12,\qquad \sum_j p_j \ln\frac{p_j}{\alpha_j} \ge H(\lambda) - H(p)"
    r"\quad\text{where } Y \le 0,\qquad E \lVert \alpha - p \rVert^2 > n\, \varepsilon^2",
)


def _excluded(problem: QueryProblem, mix: Mix, keys: RandomKeys) -> Claim | None:
    """The claim that no query has such weights, where an average of the means shows it."""
    if not keys.weights_count:
        return None  # the output may be had with other weights
    try:
        design_query(keys.means, mix.target, tolerance=problem.goal.tolerance, scale=keys.scale)
    except InfeasibleDesign as refusal:
        target = {"indices": list(mix.rows), "weights": list(mix.weights)}
        # The tolerance is of each of n weights: squares that sum to more than n times its square
        # have one above it.
        bound = problem.goal.tolerance * math.sqrt(mix.n) * (1 + SMALL)
        for other in refusal.certificate.claims:
            if "combination" in other.witness:
                average = other.witness["combination"]
                claim = rms_exclusion.claim(target, bound, average=average)
                if verify(Certificate({"means": keys.means}, (claim,))).holds:
                    return claim
    except UndecidedDesign:
        return None
    return None


def _unknown(
    problem: QueryProblem, mix: Mix, keys: RandomKeys, refusal: UndecidedDesign
) -> Solution:
    best = refusal.best
    query = np.zeros(keys.means.shape[1]) if best is None else best.queries[0]
    bound = rms_bound(keys, query[None], mix.target)
    known = certified(keys, provable_claim(keys, query[None], mix.target, bound))
    return solved(
        problem,
        Status.UNDECIDED,
        rf"q \approx {tex_vector(query)}",
        {"q": query.tolist()},
        refusal.certificate or known,
        ((in_words(refusal), ""),),
    )
