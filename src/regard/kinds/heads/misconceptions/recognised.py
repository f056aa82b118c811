"""What a wrong query looks like, decided by what it does on plain and on drawn instances.

A sentence is said only of an answer of which it is true: what it says of weights and scores is read
off those of the answer as it is, and a repair that it names was run and is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import softmax
from regard.checking.verdict import GoalResult
from regard.errors import InvalidAnswer
from regard.kinds.heads.instance import drawn_instance, has_noise, plain_instance, trial_count
from regard.kinds.heads.reading.queries import Candidate
from regard.kinds.heads.reading.query_length import opened, right_length
from regard.problems.instances import Float64, KeyInstance
from regard.problems.laws import Gaussian, Orthogonal

DRAWN = 5
RAISED = 25.0  # added to scores, which leaves the others next to nothing
RESOLVED = 1e11  # scores beyond this are rounded so much that weights show it


@dataclass(frozen=True, eq=False)
class Tried:
    """Queries on one instance, with the largest of the factors that are tried."""

    candidate: Candidate
    instance: KeyInstance

    @cached_property
    def queries(self) -> Float64:
        """The queries (heads, d)."""
        return self.candidate.last(self.instance)

    @cached_property
    def all_queries(self) -> Float64:
        """The queries (factors, heads, d) with all the factors that are tried."""
        return self.candidate.evaluate(self.instance, self.candidate.tried(self.instance))

    @cached_property
    def scores(self) -> Float64:
        """The scores (heads, n)."""
        return self.candidate.scores(self.instance, self.queries)

    @cached_property
    def weights(self) -> Float64:
        """The weights (heads, n)."""
        with np.errstate(all="ignore"):
            return softmax(self.scores)

    @cached_property
    def limit(self) -> Float64:
        """The weights (heads, n) of very long queries of the same directions."""
        with np.errstate(all="ignore"):
            largest = np.max(np.abs(self.scores), axis=-1, keepdims=True)
            return softmax(np.where(largest > 1e-9, self.scores * (500 / largest), 0.0))

    @property
    def rows(self) -> list[int]:
        """The rows of the keys that are wanted."""
        return self.candidate.problem.wanted_rows

    @cached_property
    def wanted(self) -> Float64:
        """The weights wanted of all keys."""
        return self.candidate.wanted(len(self.instance.keys))

    @property
    def uneven(self) -> bool:
        """Whether the keys wanted are to have different weights."""
        return bool(np.ptp(self.wanted[self.rows]) > 0)

    @cached_property
    def idle(self) -> NDArray[np.bool_]:
        """For each head whether all its scores are the same up to rounding."""
        size = np.max(np.abs(self.scores), axis=-1)
        return np.asarray(np.ptp(self.scores, axis=-1) <= 1e-6 + 1e-12 * size)


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong answer.

    Attributes:
        candidate: its queries.
        here: the instance of the problem.
        goals: what came of them.
        possible: whether there are right ones; None where that is not decided.
    """

    candidate: Candidate
    here: KeyInstance
    goals: tuple[GoalResult, ...]
    possible: Callable[[], bool | None]

    @cached_property
    def tried(self) -> list[Tried]:
        """The instance of the problem, and some that are drawn."""
        problem, instances = self.candidate.problem, [self.here]
        if not self.candidate.one_instance:
            seeds = range(min(DRAWN, trial_count(problem)))
            instances += [self.candidate.drawn(seed) for seed in seeds]
        return [Tried(self.candidate, instance) for instance in instances]


def everywhere(shows: Callable[[Tried], bool]) -> Callable[[Case], bool]:
    """Return whether an answer shows something on every instance that is looked at."""
    return lambda case: all(shows(tried) for tried in case.tried)


def overflows(case: Case) -> bool:
    """A query or a score is not a finite number."""
    queries = case.tried[0].all_queries
    scores = case.candidate.scores(case.here, queries)
    return not (np.all(np.isfinite(queries)) and np.all(np.isfinite(scores)))


def absurd(case: Case) -> bool:
    """Scores are so large that float64 hardly resolves their differences."""
    scores = case.candidate.scores(case.here, case.tried[0].all_queries)
    return bool(np.max(np.abs(scores)) > RESOLVED) and not case.candidate.free


def too_long(case: Case) -> bool:
    """Under the noise given, shorter queries of the same direction are right."""
    candidate, here = case.candidate, case.here
    if here.covariances is None:
        return False
    noisy = plain_instance(candidate.problem, noisy=True)
    if not has_noise(noisy) or (candidate.free and not has_noise(here)):
        return False
    if not has_noise(here) and not candidate.largest_error(here) <= candidate.tolerance:
        return False  # it is wrong without noise as well
    return right_length(candidate, noisy, longer=False) is not None


def right_here_only(case: Case) -> bool:
    """The instance of the problem is right, and one that is drawn is not."""
    sampled = [goal for goal in case.goals if goal.scope == "sampled"]
    return case.goals[0].passed and not all(goal.passed for goal in sampled)


def too_short(tried: Tried) -> bool:
    """Longer queries of the same direction are right."""
    return right_length(tried.candidate, tried.instance, longer=True) is not None


def right_when_negated(tried: Tried) -> bool:
    """Whether the queries with the other sign are right."""
    return tried.candidate.right(tried.instance, -tried.all_queries)


def turned_round(tried: Tried) -> bool:
    """Whether queries with the other sign are right, as long as these are or longer."""
    if right_when_negated(tried):
        return True
    return right_length(tried.candidate, tried.instance, longer=True, sign=-1.0) is not None


def one_key(tried: Tried) -> bool:
    """All of several heads give nearly all weight to the same single key."""
    weights = tried.weights
    several = len(weights) > 1 and len(tried.rows) > 1
    same = len(set(np.argmax(weights, axis=-1).tolist())) == 1
    return several and same and bool(np.min(np.max(weights, axis=-1)) > 0.9)


def each_its_share(tried: Tried) -> bool:
    """Each head gives one key wanted the weight that it should have in the average."""
    rows, weights = tried.rows, tried.weights
    if len(weights) < 2 or len(rows) != len(weights):
        return False
    looked_at = [int(rows[np.argmax(row[rows])]) for row in weights]
    shares = weights[np.arange(len(rows)), looked_at]
    each = sorted(looked_at) == sorted(rows)
    return each and bool(np.allclose(shares, tried.wanted[looked_at], atol=1e-3))


def identical_under_noise(tried: Tried) -> bool:
    """All heads have the same query, and one head per key would be right."""
    queries, instance, candidate = tried.queries, tried.instance, tried.candidate
    size = float(np.max(np.abs(queries)))
    if not has_noise(instance) or len(queries) < 2 or np.ptp(queries, axis=0).max() > 1e-9 * size:
        return False
    keys = instance.keys[tried.rows]
    lengths = np.geomspace(1.0, 1e3, 13)[:, None, None]
    errors = candidate.errors(instance, lengths * keys)
    return len(keys) == len(queries) and bool(np.any(errors <= candidate.tolerance))


def average_alone(tried: Tried) -> bool:
    """The average is right, and some head is not what a head was to be."""
    goal, queries = tried.candidate, tried.all_queries
    if not goal.of_heads:
        return False
    return bool(np.all(goal.average_errors(tried.instance, queries) <= goal.tolerance))


def right_for_unit_keys(tried: Tried) -> bool:
    """The same formula is right when the keys are made unit vectors, which they are not."""
    candidate, law = tried.candidate, tried.candidate.law
    lengths = np.linalg.norm(tried.instance.keys, axis=1)
    if not isinstance(law, Orthogonal) or np.allclose(lengths, 1.0):
        return False
    problem, keys = candidate.problem, candidate.problem.given.keys
    unit = law.model_copy(update={"norms": [1.0] * problem.given.n})
    unit_keys = keys.model_copy(update={"mean": unit}) if isinstance(keys, Gaussian) else unit
    given = problem.given.model_copy(update={"keys": unit_keys})
    other = replace(candidate, problem=problem.model_copy(update={"given": given}), laws={})
    at = drawn_instance(other.problem, 0)  # numbers would be right for keys along the axes
    return other.largest_error(at) <= other.tolerance


def in_proportion(tried: Tried) -> bool:
    """The scores of the keys wanted are to each other as the weights wanted."""
    rows, wanted = tried.rows, tried.wanted
    if len(rows) < 2 or not tried.uneven:
        return False
    scores = np.mean(tried.scores, axis=0)
    others = np.delete(scores, rows)
    ratios = (scores[rows] - (others[0] if len(others) else 0.0)) / wanted[rows]
    return bool(ratios[0] > 0 and np.allclose(ratios, ratios[0], rtol=1e-6))


def equal_weights(tried: Tried) -> bool:
    """The keys wanted share the weight evenly, and they should not."""
    weights = np.mean(tried.weights, axis=0)[tried.rows]
    even = bool(np.ptp(weights) <= 1e-3 * np.max(weights))
    return tried.uneven and even and bool(np.sum(weights) > 0.5)


def one_target(tried: Tried) -> bool:
    """Nearly all the weight goes to one of several keys wanted, which should not have as much."""
    weights = np.mean(tried.weights, axis=0)
    top = int(np.argmax(weights))
    wanted = len(tried.rows) > 1 and top in tried.rows
    return wanted and bool(weights[top] > max(0.9, tried.wanted[top] + 0.02))


def others_as_large(tried: Tried) -> bool:
    """Whether one amount added to the scores of all wanted keys makes the queries right."""
    keys, scores = tried.instance.keys, tried.scores
    if not tried.uneven or len(scores) > 1 or np.linalg.matrix_rank(keys) < len(keys):
        return False
    raised = scores[0] + np.where(np.isin(np.arange(len(keys)), tried.rows), RAISED, 0.0)
    query = np.linalg.pinv(tried.candidate.problem.given.scale * keys) @ raised
    return tried.candidate.right(tried.instance, query[None, None])


def other_keys(tried: Tried) -> bool:
    """Keys that are not wanted get weight, as the queries are and however long they are."""
    both = (np.mean(weights, axis=0) for weights in (tried.weights, tried.limit))
    return all(np.max(np.delete(weights, tried.rows), initial=0.0) > 0.05 for weights in both)


def right_of_values(tried: Tried) -> bool:
    """Whether the formula is right with the keys in the place of the values."""
    if not any(name.startswith("v_") for name in tried.candidate.names):
        return False
    swapped = Tried(tried.candidate, _with_keys(tried.instance))
    return tried.candidate.right(swapped.instance, swapped.all_queries)


def _with_keys(instance: KeyInstance) -> KeyInstance:
    symbols = dict(instance.symbols)
    for name in instance.symbols:
        kind, _, label = name.partition("_")
        if kind in ("k", "mu"):
            symbols[f"v_{label}"] = symbols[name]
    return KeyInstance(instance.keys, instance.keys, instance.covariances, symbols)


def fits_as_keys(candidate: Candidate, here: KeyInstance) -> Candidate | None:
    """Return the answer, ready to be tried, if it fits in shape and is right only so."""
    swapped = _with_keys(here)
    try:
        candidate.evaluate(swapped, candidate.tried(swapped)[:1])
        candidate = opened(candidate, swapped)
        return candidate if right_of_values(Tried(candidate, here)) else None
    except InvalidAnswer:
        return None
