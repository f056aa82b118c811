"""The smallest instance on which queries are wrong, worked out step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from regard.checking.factors.open_factor import MODERATE_FACTORS, written
from regard.checking.sampling import Trial, compare, generator, smallest, softmax
from regard.checking.verdict import Counterexample
from regard.errors import InvalidAnswer
from regard.kinds.heads.instance import drawn_instance, has_noise, noisy_keys, plain_instance
from regard.kinds.heads.judge.shown import about, shown_in, side_by_side
from regard.kinds.heads.reading import Candidate
from regard.problems.instances import Float64, KeyInstance
from regard.problems.laws import Arbitrary, Fixed, Orthogonal
from regard.report import vector

DRAWS = 200  # of keys, to show what noise does


def counterexample(
    candidate: Candidate,
    failing: list[Trial[KeyInstance]],
    *,
    smaller: bool = True,
    others: bool = False,
) -> Counterexample:
    """Look for the fewest keys, along the axes if possible, on which the answer is wrong.

    With `others` there is a key among them that is not wanted: what is wrong is about it.
    """
    if candidate.of_heads:  # what the average shows needs no look at single heads
        average = _average_alone(candidate)
        wrong = [trial for trial in failing if not average.trial(trial.instance).right]
        candidate, failing = (average, wrong) if wrong else (candidate, failing)
    only_noise = all(trial.seed is None and has_noise(trial.instance) for trial in failing)
    found = None
    if smaller and not candidate.one_instance and not only_noise:
        found = smallest(_candidates(candidate, others=others))
    trial = found or min(failing, key=lambda trial: (trial.seed is not None, trial.seed or 0))
    return _worked(candidate, trial)


def _average_alone(candidate: Candidate) -> Candidate:
    """Return the same where it does not matter which head does what."""
    problem = candidate.problem
    goal = problem.goal.model_copy(update={"per_head": []})
    return replace(candidate, problem=problem.model_copy(update={"goal": goal}))


def _candidates(candidate: Candidate, *, others: bool) -> Iterator[Trial[KeyInstance]]:
    """Return instances with few keys first: along the axes, then drawn."""
    given = candidate.problem.given
    least = max(2, max(given.names.values(), default=0) + 1)
    if others and least == len(candidate.problem.wanted_rows) < given.n:
        least += 1
    sizes = range(least, min(given.n, least + 20) + 1)
    law = candidate.law
    if given.d is not None or (isinstance(law, Orthogonal) and law.norms is not None):
        sizes = range(given.n, given.n + 1)
    if isinstance(law, Arbitrary) and given.d is not None:
        return
    for n in sizes:
        instance = plain_instance(candidate.problem, n=n)
        if candidate.fits(instance):
            yield candidate.trial(instance)
    for n in sizes[:3]:
        for seed in range(3):
            instance = drawn_instance(candidate.problem, seed, n=n)
            if n != given.n and candidate.fits(instance):
                yield candidate.trial(instance)


def _worked(candidate: Candidate, trial: Trial[KeyInstance]) -> Counterexample:
    instance = trial.instance
    factor, queries = _shown(candidate, instance)
    if queries is None:  # of another length than the keys
        arrays = {"keys": instance.keys.tolist(), "values": instance.values.tolist()}
        width, length = instance.keys.shape[1], instance.values.shape[1]
        sentence = (
            f"Keys have {width} entries and values have {length}: no query can be made of values."
            if width != length
            else "The query is made of values, and the keys may be any vectors beside them."
        )
        return Counterexample(arrays, sentence)
    drawn = _draw(candidate, instance, queries) if has_noise(instance) else None
    keys = instance.keys if drawn is None else drawn
    at = KeyInstance(keys, instance.values, None, instance.symbols)
    weights = candidate.weights(at, queries)
    wanted = candidate.wanted(len(keys))
    values = instance.values if isinstance(candidate.problem.given.values, Fixed) else None
    arrays = {
        **({} if drawn is None else {"means": instance.keys.tolist()}),
        "keys": keys.tolist(),
        **({} if values is None else {"values": values.tolist()}),
        **dict(zip(candidate.problem.query_names, queries.tolist(), strict=True)),
        "weights": weights.tolist(),
        "wanted": wanted.tolist(),
    }
    if values is not None:
        arrays |= {"c": (weights @ values).tolist(), "c*": (wanted @ values).tolist()}
    error = candidate.error(at, queries)
    spread = None if drawn is None else candidate.error(instance, queries)
    return Counterexample(
        arrays,
        _sentence(candidate, factor, weights, error, spread),
        trial.seed,
        tuple((step, "") for step in _steps(candidate, at, queries, weights, values)),
        shown_in(candidate, weights, error, noisy=drawn is not None),
        about(candidate, at, factor, noisy=drawn is not None),
        table=side_by_side(candidate, at, queries, weights),
    )


def _shown(candidate: Candidate, instance: KeyInstance) -> tuple[float | None, Float64 | None]:
    """Return a factor with which the answer is wrong, and the queries there."""
    given = candidate.free or candidate.bounds is not None
    try:
        factors = candidate.tried(instance) if given else (1.0,)
        if candidate.free:
            factors = (*MODERATE_FACTORS, *factors)
        queries = candidate.evaluate(instance, factors)
    except InvalidAnswer:
        return None, None
    errors = candidate.errors(instance, queries)
    wrong = np.flatnonzero(~(errors <= candidate.tolerance))
    at = int(wrong[0]) if len(wrong) else 0
    return (factors[at] if given else None), queries[at]


def _draw(candidate: Candidate, instance: KeyInstance, queries: Float64) -> Float64:
    """Draw keys with the noise of the instance until the answer is wrong on them."""
    keys = instance.keys
    for seed in range(DRAWS):
        keys = noisy_keys(instance, generator(seed).standard_normal(keys.shape))
        at = KeyInstance(keys, instance.values, None, instance.symbols)
        if not candidate.error(at, queries) <= candidate.tolerance:
            break
    return keys


def _sentence(
    candidate: Candidate, factor: float | None, weights: Float64, error: float, spread: float | None
) -> str:
    with_factor = "" if factor is None else f" and {candidate.factor} = {written(factor, 4)}"
    which = "keys" if spread is None else "keys drawn with this noise"
    wanted = candidate.wanted(len(weights))
    sentence = f"With {len(weights)} {which}{with_factor} "
    if not np.all(np.isfinite(weights)):
        return f"{sentence}the weights are no numbers, and {vector(wanted)} are wanted."
    if np.isinf(error):
        return (
            f"{sentence}a score is so large that adding 1 to it does not change it: what softmax "
            "makes of it is rounding."
        )
    output = isinstance(candidate.problem.given.values, Arbitrary)
    what = "" if output else "the output is "  # which the tolerance is of
    sentence += (
        f"the weights are {vector(weights)}, and {vector(wanted)} are wanted: "
        f"{what}{compare(error, candidate.tolerance)}"
    )
    if candidate.of_heads:
        own = ", ".join(vector(one.wanted(len(weights))) for one in candidate.of_heads)
        sentence += f" by the head that is furthest off: each is to have one of {own}"
    if spread is not None:
        sentence += f"; in the root of the mean square {compare(spread, candidate.tolerance)}"
    return sentence + "."


def _steps(
    candidate: Candidate,
    instance: KeyInstance,
    queries: Float64,
    weights: Float64,
    values: Float64 | None,
) -> Iterator[str]:
    scores = candidate.scores(instance, queries)
    for label, query, row in zip(candidate.problem.query_names, queries, scores, strict=True):
        yield f"The query {label} is {vector(query)}."
        yield f"Its scores with the keys are {vector(row)}."
        yield f"Softmax turns them into the weights {vector(softmax(row))}."
    if len(queries) > 1:
        yield f"The average over heads is {vector(weights)}."
    wanted = candidate.wanted(len(weights))
    if values is None:
        yield f"Wanted is {vector(wanted)}: the weights are off by {vector(weights - wanted)}."
    else:
        yield f"The values with these weights come to {vector(weights @ values)}."
        yield f"Wanted is {vector(wanted @ values)}."
