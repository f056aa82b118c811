"""Solve problems that ask for the queries of several heads whose outputs are averaged."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regard.design import query as design_query
from regard.design import robust as design_robust
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.heads.solve.setting import Heads
from regard.kinds.heads.solve.share import orders, pour
from regard.kinds.heads.solve.shown import heads_details, heads_mistakes
from regard.kinds.heads.solve.steps import heads_headline, heads_steps, impossible_shown
from regard.kinds.heads.spec import HeadsProblem
from regard.kinds.query.solve.formula import Mix, read_mix, rounded_up, spelled, structure_of
from regard.kinds.query.solve.law import RandomKeys, certified, is_proved
from regard.kinds.query.solve.quiet import at_limit, in_means, random_assumes
from regard.problems import key_instance
from regard.problems.instances import KeyInstance
from regard.problems.laws import Gaussian
from regard.solving.finding import Status, excluding
from regard.solving.key_tables import known_values
from regard.solving.refusals import in_words
from regard.solving.solution import Solution, solved

__all__ = ["solve"]

Float64 = NDArray[np.float64]

POINTS = 33  # factors that are tried at a time
MOST_LOUD = 6  # of them for which a proof is tried where floats have none


def solve(problem: HeadsProblem) -> Solution:
    """Return one query per head: a head for each wanted key where the shares allow it."""
    instance = key_instance(problem.given)
    keys = read_keys(problem, instance)
    structure = structure_of(problem.given, instance.keys)
    whole = read_mix(problem.given, problem.goal.weights, structure or "none")
    if structure is not None:
        found = by_formula(problem, whole, instance, keys)
        if found is not None:
            return _solution(problem, found)
        limit = at_limit(problem) if isinstance(problem.given.keys, Gaussian) else None
        if limit is not None and limit.covariances is not None and not np.any(limit.covariances):
            found = by_formula(problem, whole, limit, read_keys(problem, limit))
            if found is not None:
                return _solution(problem, replace(found, noisy=keys))
    return _designed(problem, whole, instance, keys)


def read_keys(problem: HeadsProblem, instance: KeyInstance) -> RandomKeys:
    """The law of the keys; keys that are not random have no noise."""
    n, d = instance.keys.shape
    noise = instance.covariances
    noise = np.zeros((n, d, d)) if noise is None else (noise + noise.swapaxes(1, 2)) / 2
    values = instance.values if known_values(problem.given) else np.eye(n)
    weights_count = not known_values(problem.given)
    return RandomKeys(instance.keys, noise, values, problem.given.scale, weights_count)


def by_formula(
    problem: HeadsProblem, whole: Mix, instance: KeyInstance, keys: RandomKeys
) -> Heads | None:
    """Queries as formulas with the smallest factor that is proved enough; None if there is none."""
    names = dict(zip(whole.rows, whole.names, strict=True))
    mixes = tuple(
        replace(
            whole,
            names=tuple(names[row] for row in pattern),
            rows=tuple(pattern),
            weights=tuple(pattern.values()),
        )
        for pattern in pour(whole.target, problem.goal.heads)
    )
    if not all(spelled(mix) for mix in mixes):
        return None
    tolerance = problem.goal.tolerance
    found = Heads(whole, mixes, keys, instance, tolerance, 0.0, np.zeros((0, 0)))

    def tried(factor: float) -> Heads:
        queries = found.with_factor(factor)
        return replace(found, factor=factor, queries=queries, provable=found.bound_of(queries))

    top = max(mix.factor_for(1e-15) for mix in mixes)
    if not math.isfinite(top):
        return tried(0.0)
    low, grid = 0.0, np.linspace(0.0, top, POINTS).tolist()
    first = next((f for f in grid if tried(f).bound <= tolerance), None)
    if first is not None:
        low, high = max(first - top / (POINTS - 1), 0.0), first
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if tried(middle).bound <= tolerance else (middle, high)
        short = tried(rounded_up(high, 4))
        return short if short.bound <= tolerance else tried(high)
    errors = found.off(found.at(np.array(grid)))
    good = [f for f, error in zip(grid, errors, strict=True) if error <= tolerance]
    if not good:
        return None
    # Noise of order one: the claim knows another bound, for heads that look at one key each.
    for factor in good[:: max(1, len(good) // MOST_LOUD)]:
        loud = tried(rounded_up(factor, 4))
        if is_proved(keys, loud.claim()):
            return loud
    return tried(grid[int(np.argmin(errors))])


def _solution(problem: HeadsProblem, found: Heads) -> Solution:
    found = replace(found, proved=is_proved(found.keys, found.claim()))
    answer: dict[str, object] = {}
    for h, (mix, query) in enumerate(zip(found.mixes, found.queries, strict=True)):
        if math.isnan(found.factor):
            text = in_means(query, found.instance) if mix.prefix == "mu" else None
            answer[f"q_{h + 1}"] = query.tolist() if text is None else text[0]
        else:
            answer[f"q_{h + 1}"] = mix.text()
    if not math.isnan(found.factor):
        answer[found.whole.factor] = found.factor
    status = Status.NUMERIC if found.error <= found.tolerance else Status.UNDECIDED
    status = Status.PROVED if found.proved else status
    return solved(
        problem,
        status,
        heads_headline(found),
        answer,
        certified(found.keys, found.claim(goal=found.proved)),
        heads_steps(problem, found),
        heads_details(problem, found),
        heads_mistakes(found),
        reaches=(0,) if found.proved else (),
        assumes=random_assumes(problem) if found.random else (),
    )


def _designed(
    problem: HeadsProblem, whole: Mix, instance: KeyInstance, keys: RandomKeys
) -> Solution:
    """Keys without structure, or noise that the formulas do not survive: each query designed."""
    best: Heads | None = None
    refusal: InfeasibleDesign | UndecidedDesign | None = None
    seen = set()
    for order in orders(whole.target):
        patterns = pour(order, problem.goal.heads)
        key = str(sorted(sorted(pattern.items()) for pattern in patterns))
        if key in seen:
            continue
        seen.add(key)
        try:
            queries = np.array([_one(problem, keys, pattern) for pattern in patterns])
        except (InfeasibleDesign, UndecidedDesign) as problem_found:
            refusal = refusal or problem_found
            continue
        found = _with_queries(problem, whole, instance, keys, patterns, queries)
        if best is None or found.error < best.error:
            best = found
        if best.error <= best.tolerance:
            break
    if best is not None:
        return _solution(problem, best)
    assert refusal is not None
    return _refused(problem, whole, instance, keys, refusal)


def _one(problem: HeadsProblem, keys: RandomKeys, pattern: dict[int, float]) -> Float64:
    """The query of one head."""
    if np.any(keys.covariances):
        design = design_robust(
            keys.means, keys.covariances, pattern, values=keys.values, scale=keys.scale
        )
        return np.asarray(design.queries[0])
    return design_query(
        keys.means,
        pattern,
        tolerance=problem.goal.tolerance / 4,
        values=keys.values,
        scale=keys.scale,
    ).query


def _with_queries(
    problem: HeadsProblem,
    whole: Mix,
    instance: KeyInstance,
    keys: RandomKeys,
    patterns: list[dict[int, float]],
    queries: Float64,
) -> Heads:
    names = dict(zip(whole.rows, whole.names, strict=True))
    mixes = tuple(
        replace(
            whole,
            names=tuple(names[row] for row in pattern),
            rows=tuple(pattern),
            weights=tuple(pattern.values()),
        )
        for pattern in patterns
    )
    if whole.prefix == "mu":  # as the answer writes them, to the digits that it has
        written = [in_means(query, instance) for query in queries]
        queries = np.array(
            [q if text is None else text[1] @ instance.keys
             for q, text in zip(queries, written, strict=True)]
        )  # fmt: skip
    tolerance = problem.goal.tolerance
    found = Heads(whole, mixes, keys, instance, tolerance, math.nan, queries)
    return replace(found, provable=found.bound_of(queries))


def _refused(
    problem: HeadsProblem,
    whole: Mix,
    instance: KeyInstance,
    keys: RandomKeys,
    refusal: InfeasibleDesign | UndecidedDesign,
) -> Solution:
    """A wanted key that no head can give its share; or what is known."""
    if not np.any(keys.covariances) and not known_values(problem.given):
        for row, weight in whole.target.items():
            try:
                design_query(keys.means, row, tolerance=1e-3, scale=keys.scale)
            except InfeasibleDesign as single:
                ceiling = next(c for c in single.certificate.claims if c.kind == "ceiling")
                if ceiling.fields["bound"] < weight - problem.goal.tolerance:
                    return _impossible(problem, whole, row, weight, single)
            except UndecidedDesign:
                continue
    patterns = pour(whole.target, problem.goal.heads)
    zeros = np.zeros((len(patterns), instance.keys.shape[1]))
    found = _with_queries(problem, whole, instance, keys, patterns, zeros)
    solution = _solution(problem, found)
    return replace(
        solution,
        finding=replace(solution.finding, status=Status.UNDECIDED),
        told=replace(solution.explanation, steps=((in_words(refusal), ""), *solution.steps)),
    )


def _impossible(
    problem: HeadsProblem, whole: Mix, row: int, weight: float, refusal: InfeasibleDesign
) -> Solution:
    best = refusal.best.query
    headline, steps, details, mistakes = impossible_shown(problem, whole, row, weight, refusal)
    return solved(
        problem,
        Status.IMPOSSIBLE,
        headline,
        {f"q_{h + 1}": best.tolist() for h in range(problem.goal.heads)},
        refusal.certificate,
        steps,
        details,
        mistakes,
        reaches=excluding(refusal.certificate, "ceiling"),
    )
