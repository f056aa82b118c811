"""What a wrong query looks like, decided by what it does on plain and on drawn instances.

A sentence is said only of an answer of which it is true: what it says of weights and scores is read
off those of the answer as it is, and a repair that it names was run and is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regard.checking.misconceptions import misconception
from regard.checking.sampling import softmax
from regard.checking.verdict import GoalResult, Misconception
from regard.errors import InvalidAnswer
from regard.kinds.query.judge import instances as instances
from regard.kinds.query.judge.asked import Asked, Float64
from regard.kinds.query.judge.errors import errors_of, has_noise, largest_error, scores_of, target
from regard.kinds.query.judge.scale import right_length
from regard.problems.instances import KeyInstance
from regard.problems.laws import Fixed, Gaussian, Orthogonal

DRAWN = 5
RAISED = 25.0  # added to scores, which leaves the others next to nothing
RESOLVED = 1e11  # scores beyond this are rounded so much that weights show it
Shows = Callable[[Asked, KeyInstance], bool]


def recognise(asked: Asked, here: KeyInstance, goals: list[GoalResult]) -> Misconception | None:
    """Name the first misconception whose behaviour the answer shows on every instance."""
    if _overflows(asked, here):
        return misconception("not-finite")
    if _absurd(asked, here):
        return misconception("absurd-scale")
    if _too_long(asked, here):
        return misconception("no-upper-limit-on-scale")
    if isinstance(asked.law, Fixed) and _impossible(asked, here):
        return misconception("claims-possible")
    cases = [here]
    if not asked.one_instance:
        seeds = range(min(DRAWN, instances.trials(asked.problem)))
        cases += [instances.drawn(asked.problem, seed) for seed in seeds]
    tests: list[tuple[str, Shows]] = [
        ("summed-instead-of-averaged", _each_its_share),
        ("values-instead-of-keys", _right_of_values),
        ("identical-heads", _identical_under_noise),
        ("no-large-scale", _too_short),
        ("wrong-sign", _right_when_negated),
        ("all-keys-alike", _all_alike),
        ("idle-head", _idle_head),
        ("not-divided-by-squared-norm", _right_for_unit_keys),
        ("both-heads-on-one-key", _one_key),
        ("weights-without-log", _in_proportion),
        ("equal-weights", _equal_weights),
        ("one-target-only", _one_target),
        ("others-as-large", _others_as_large),
        ("other-keys-too", _other_keys),
    ]
    for tag, shows in tests:
        if all(shows(asked, instance) for instance in cases):
            return misconception(tag)
    if goals[0].passed and any(one.scope == "sampled" and not one.passed for one in goals):
        return misconception("one-instance-only")
    return None


def _impossible(asked: Asked, here: KeyInstance) -> bool:
    from regard.kinds.query.judge.possible import decide

    return decide(asked, here).possible is False


def _queries(asked: Asked, instance: KeyInstance) -> Float64:
    """Return the queries (heads, d) with the largest of the factors that are tried."""
    return asked.evaluate(instance, asked.tried(instance)[-1:])[0]


def _weights(asked: Asked, instance: KeyInstance) -> Float64:
    """Return the weights (heads, n) of queries as they are."""
    with np.errstate(all="ignore"):
        return softmax(scores_of(asked, instance, _queries(asked, instance)[None])[0])


def _limit(asked: Asked, instance: KeyInstance) -> Float64:
    """Return the weights (heads, n) of very long queries of the same directions."""
    scores = scores_of(asked, instance, _queries(asked, instance)[None])[0]
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(scores), axis=-1, keepdims=True)
        return softmax(np.where(largest > 1e-9, scores * (500 / largest), 0.0))


def _named(asked: Asked) -> list[int]:
    return [asked.problem.given.names[name] for name in asked.problem.goal.weights]


def _overflows(asked: Asked, here: KeyInstance) -> bool:
    queries = asked.evaluate(here, asked.tried(here))
    return not (
        np.all(np.isfinite(queries)) and np.all(np.isfinite(scores_of(asked, here, queries)))
    )


def _absurd(asked: Asked, here: KeyInstance) -> bool:
    """Scores are so large that float64 hardly resolves their differences."""
    scores = scores_of(asked, here, asked.evaluate(here, asked.tried(here)))
    return bool(np.max(np.abs(scores)) > RESOLVED) and not asked.free


def _too_long(asked: Asked, here: KeyInstance) -> bool:
    """Under the noise given, shorter queries of the same direction are right."""
    if here.covariances is None:
        return False
    noisy = instances.plain(asked.problem, noisy=True)
    if not has_noise(noisy) or (asked.free and not has_noise(here)):
        return False
    if not has_noise(here) and not largest_error(asked, here) <= asked.tolerance:
        return False  # it is wrong without noise as well
    return right_length(asked, noisy, longer=False) is not None


def _too_short(asked: Asked, instance: KeyInstance) -> bool:
    return right_length(asked, instance, longer=True) is not None


def _right(asked: Asked, instance: KeyInstance, queries: Float64) -> bool:
    """Whether queries (heads, d), or (factors, heads, d), are right as they are."""
    many = queries[None] if queries.ndim == 2 else queries
    return bool(np.all(errors_of(asked, instance, many) <= asked.tolerance))


def _all_queries(asked: Asked, instance: KeyInstance) -> Float64:
    """Return the queries (factors, heads, d) with all the factors that are tried."""
    return asked.evaluate(instance, asked.tried(instance))


def _right_when_negated(asked: Asked, instance: KeyInstance) -> bool:
    return _right(asked, instance, -_all_queries(asked, instance))


def _all_alike(asked: Asked, instance: KeyInstance) -> bool:
    """Every key has the same score, in every head."""
    scores = scores_of(asked, instance, _queries(asked, instance)[None])[0]
    return bool(np.all(_alike(scores)))


def _alike(scores: Float64) -> NDArray[np.bool_]:
    """Return for each head whether all its scores are the same up to rounding."""
    size = np.max(np.abs(scores), axis=-1)
    return np.asarray(np.ptp(scores, axis=-1) <= 1e-6 + 1e-12 * size)


def _idle_head(asked: Asked, instance: KeyInstance) -> bool:
    """Some heads give all keys the same weight, and others do not."""
    scores = scores_of(asked, instance, _queries(asked, instance)[None])[0]
    idle = _alike(scores)
    return bool(np.any(idle) and not np.all(idle))


def _one_key(asked: Asked, instance: KeyInstance) -> bool:
    """All of several heads give nearly all weight to the same single key."""
    weights = _weights(asked, instance)
    tops = np.argmax(weights, axis=-1)
    several = len(weights) > 1 and len(_named(asked)) > 1
    return several and len(set(tops.tolist())) == 1 and bool(np.min(np.max(weights, axis=-1)) > 0.9)


def _each_its_share(asked: Asked, instance: KeyInstance) -> bool:
    """Each head gives one key wanted the weight that it should have in the average."""
    weights, wanted = _weights(asked, instance), target(asked, len(instance.keys))
    named = _named(asked)
    if len(weights) < 2 or len(named) != len(weights):
        return False
    served = [int(named[np.argmax(row[named])]) for row in weights]
    if sorted(served) != sorted(named):
        return False
    shares = np.array([row[key] for row, key in zip(weights, served, strict=True)])
    return bool(np.allclose(shares, wanted[served], atol=1e-3))


def _identical_under_noise(asked: Asked, instance: KeyInstance) -> bool:
    """All heads have the same query, and one head per key would be right."""
    queries = _queries(asked, instance)
    size = float(np.max(np.abs(queries)))
    if not has_noise(instance) or len(queries) < 2 or np.ptp(queries, axis=0).max() > 1e-9 * size:
        return False
    keys = instance.keys[_named(asked)]
    lengths = np.geomspace(1.0, 1e3, 13)[:, None, None]
    errors = errors_of(asked, instance, lengths * keys)
    return len(keys) == len(queries) and bool(np.any(errors <= asked.tolerance))


def _right_for_unit_keys(asked: Asked, instance: KeyInstance) -> bool:
    """The same formula is right when the keys are made unit vectors, which they are not."""
    lengths = np.linalg.norm(instance.keys, axis=1)
    if not isinstance(asked.law, Orthogonal) or np.allclose(lengths, 1.0):
        return False
    keys = asked.problem.given.keys
    unit = asked.law.model_copy(update={"norms": [1.0] * asked.problem.given.n})
    law = keys.model_copy(update={"mean": unit}) if isinstance(keys, Gaussian) else unit
    given = asked.problem.given.model_copy(update={"keys": law})
    other = replace(asked, problem=asked.problem.model_copy(update={"given": given}), laws={})
    at = instances.drawn(other.problem, 0)  # numbers would be right for keys along the axes
    return largest_error(other, at) <= other.tolerance


def _in_proportion(asked: Asked, instance: KeyInstance) -> bool:
    """The scores of the keys wanted are to each other as the weights wanted."""
    named, wanted = _named(asked), target(asked, len(instance.keys))
    if len(named) < 2 or np.ptp(wanted[named]) == 0:
        return False
    scores = np.mean(scores_of(asked, instance, _queries(asked, instance)[None])[0], axis=0)
    others = np.delete(scores, named)
    ratios = (scores[named] - (others[0] if len(others) else 0.0)) / wanted[named]
    return bool(ratios[0] > 0 and np.allclose(ratios, ratios[0], rtol=1e-6))


def _equal_weights(asked: Asked, instance: KeyInstance) -> bool:
    """The keys wanted share the weight evenly, and they should not."""
    named, wanted = _named(asked), target(asked, len(instance.keys))
    weights = np.mean(_weights(asked, instance), axis=0)[named]
    uneven = bool(np.ptp(wanted[named]) > 0)
    return uneven and bool(np.ptp(weights) <= 1e-3 * np.max(weights)) and np.sum(weights) > 0.5


def _one_target(asked: Asked, instance: KeyInstance) -> bool:
    """Nearly all the weight goes to one of several keys wanted, which should not have as much."""
    named, wanted = _named(asked), target(asked, len(instance.keys))
    weights = np.mean(_weights(asked, instance), axis=0)
    top = int(np.argmax(weights))
    return len(named) > 1 and top in named and bool(weights[top] > max(0.9, wanted[top] + 0.02))


def _others_as_large(asked: Asked, instance: KeyInstance) -> bool:
    """The same amount added to the scores of the keys wanted makes it right."""
    scores = scores_of(asked, instance, _queries(asked, instance)[None])[0]
    keys, named = instance.keys, _named(asked)
    even = np.ptp(target(asked, len(keys))[named]) == 0
    if even or len(scores) > 1 or np.linalg.matrix_rank(keys) < len(keys):
        return False
    raised = scores[0] + np.where(np.isin(np.arange(len(keys)), named), RAISED, 0.0)
    query = np.linalg.pinv(asked.problem.given.scale * keys) @ raised
    return _right(asked, instance, query[None])


def _other_keys(asked: Asked, instance: KeyInstance) -> bool:
    """Keys that are not wanted get weight, as the queries are and however long they are."""
    named = _named(asked)
    both = np.mean(_weights(asked, instance), axis=0), np.mean(_limit(asked, instance), axis=0)
    return all(np.max(np.delete(weights, named), initial=0.0) > 0.05 for weights in both)


def _right_of_values(asked: Asked, instance: KeyInstance) -> bool:
    """The same formula is right with the keys in the place of the values."""
    if not any(name.startswith("v_") for name in asked.names):
        return False
    swapped = _with_keys(instance)
    return _right(asked, swapped, _all_queries(asked, swapped))


def _with_keys(instance: KeyInstance) -> KeyInstance:
    symbols = dict(instance.symbols)
    for name in instance.symbols:
        kind, _, label = name.partition("_")
        if kind in ("k", "mu"):
            symbols[f"v_{label}"] = symbols[name]
    return KeyInstance(instance.keys, instance.keys, instance.covariances, symbols)


def values_for_keys(asked: Asked, here: KeyInstance) -> tuple[Misconception | None, Asked]:
    """Name it where an answer fits in shape, and is right, only with keys in place of values."""
    from regard.kinds.query.judge.scale import with_factors

    swapped = _with_keys(here)
    try:
        asked.evaluate(swapped, asked.tried(swapped)[:1])
        if asked.free:
            asked = replace(asked, factors=with_factors(asked, swapped))
        if _right_of_values(asked, here):
            return misconception("values-instead-of-keys"), asked
    except InvalidAnswer:
        pass
    return None, asked
