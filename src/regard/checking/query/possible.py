"""Is there no such query, as an answer says?

How near softmax comes to weights p is a convex problem: KL(p, softmax(K q)) has one infimum over
q. A descent goes there; what it finds is right or it is not.
"""

from __future__ import annotations

import numpy as np

from regard.checking.answers import Answer
from regard.checking.misconceptions import misconception
from regard.checking.query import instances as instances
from regard.checking.query.asked import Asked, Float64, labels
from regard.checking.query.errors import errors_of, has_noise, target, weights_of
from regard.checking.sampling import compare
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.problems.instances import KeyInstance
from regard.problems.kinds.query import HeadsProblem, QueryProblem
from regard.report import number, vector


def judge_claim(problem: QueryProblem | HeadsProblem, answer: Answer) -> Verdict:
    """Judge `possible`; an answer that says true has to give the queries as well."""
    from regard.checking.query import judge

    said = answer.need("possible")
    if not isinstance(said, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    if said:
        rest = {name: value for name, value in answer.fields.items() if name != "possible"}
        return judge(problem, Answer(rest, answer.problem))
    given = [name for name in labels(problem) if answer.has(name)]
    if given:
        raise InvalidAnswer(f"answer: {given[0]} is given, although possible is false.")
    here = instances.plain(problem)
    asked = Asked(problem, (), {}, False)
    queries = closest(asked, here)
    error = float(errors_of(asked, here, queries[None])[0])
    possible = error <= asked.tolerance
    sentence = f"the closest query comes to {compare(error, asked.tolerance)}"
    goal = GoalResult("whether there is such a query", "this", not possible, sentence, None)
    if not possible:
        return Verdict(problem, (goal,))
    weights = weights_of(asked, here, queries[None])[0]
    named = dict(zip(asked.labels, queries.tolist(), strict=True))
    arrays = {"keys": here.keys.tolist(), **named, "weights": weights.tolist()}
    shown = " and ".join(f"{name} = {vector(query)}" for name, query in named.items())
    sentence = (
        f"{shown} gives the weights {vector(weights)}: off by {number(error)}, and "
        f"{number(asked.tolerance)} is allowed."
    )
    example = Counterexample(arrays, sentence)
    return Verdict(problem, (goal,), example, misconception("claims-impossible"))


def closest(asked: Asked, instance: KeyInstance) -> Float64:
    """Return queries (heads, d) that come as near to the weights as one can.

    Several heads either all do the same, or each looks at one key.
    """
    wanted = target(asked, len(instance.keys))
    heads = len(asked.labels)
    candidates = [np.tile(_descended(asked, instance, wanted), (heads, 1))]
    counts = np.rint(heads * wanted).astype(int)
    if heads > 1 and np.allclose(counts, heads * wanted):
        rows = [
            _descended(asked, instance, np.eye(len(wanted))[i])
            for i in np.repeat(range(len(wanted)), counts)
        ]
        candidates.append(np.array(rows))
    scales = np.geomspace(0.1, 100.0, 4 if has_noise(instance) else 61)
    queries = np.concatenate([np.append(scales, 1.0)[:, None, None] * one for one in candidates])
    errors = errors_of(asked, instance, queries)
    return np.asarray(queries[int(np.nanargmin(errors))])


def _descended(asked: Asked, instance: KeyInstance, wanted: Float64) -> Float64:
    """Return the query whose weights have the least divergence from those wanted."""
    from scipy.optimize import minimize

    keys = asked.problem.given.scale * instance.keys
    # In units of their spread, so that one number of steps serves short and long keys.
    unit = max(float(np.max(np.abs(keys - np.mean(keys, axis=0)))), 1e-300)

    def divergence(q: Float64) -> tuple[float, Float64]:
        scores = keys @ q / unit
        top = float(np.max(scores))
        powers = np.exp(scores - top)
        total = float(np.sum(powers))
        gradient = (powers / total - wanted) @ keys / unit
        return top + float(np.log(total)) - float(wanted @ scores), gradient

    start = (wanted - 1 / len(wanted)) @ keys / unit
    found = minimize(divergence, start, jac=True, method="BFGS", options={"maxiter": 2000})
    return np.asarray(found.x, float) / unit
