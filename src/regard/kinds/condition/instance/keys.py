"""Keys that a condition is tried on: whether a query along a key wins, or any query at all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from regard.checking.sampling import TRIALS, generator
from regard.kinds.condition.instance import Float64, Instance
from regard.kinds.condition.spec import ConditionProblem
from regard.problems import key_instance

LENGTHS = (1.0, 1e-2, 1e2, 1e4, 1e6)
MOST_KEYS = 64  # that a query is looked for among
DIRECTIONS = 4
ROUNDING = 1e-9
CLOSE = (0.0, 1e-4, -1e-4, 0.01, -0.01, 0.5, -0.5)  # leads, in squared lengths of the key

# The key first: between two others, inside a triangle, the centre of a square, twice the same.
INSIDE = (
    [[0, 0], [1, 0], [-1, 0]],
    [[1, 0], [1, 0], [0, 1]],
    [[1, 0], [0, 0], [2, 0]],
    [[1, 1], [0, 0], [4, 0], [0, 4]],
    [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]],
)
# And outside, with the direction in which it is ahead.
OUTSIDE = (
    ([[1, 0], [0, 1]], [1, -1]),
    ([[0, 0], [1, 0], [0, 1]], [-1, -1]),
    ([[1, 0], [2, 0], [0, 1], [3, 1]], [-1, -2]),
    ([[1, 0], [2, 1], [2, -1]], [-1, 0]),
)


def key_instances(problem: ConditionProblem) -> Iterator[Instance]:
    """Return the keys given, plain ones and drawn ones."""
    given = problem.given
    if given.n <= MOST_KEYS:
        keys = key_instance(given).keys
        row = given.names[problem.goal.of]
        keys = np.concatenate([keys[row : row + 1], np.delete(keys, row, axis=0)])
        yield with_keys(problem, keys)
    yield from small_keys(problem)
    yield from _close(problem)
    for seed in range(TRIALS):
        yield _drawn(problem, seed)


def _close(problem: ConditionProblem) -> Iterator[Instance]:
    """Return pairs of keys whose scores are nearly the same for a query along the first.

    Sizes are powers of 2, so that a tie is one exactly.
    """
    if problem.goal.effect != "aligned":
        return
    for size, lead, aside in product((1.0, 0.125, 32.0), CLOSE, (0.0, 0.5, 4.0)):
        own, across = np.array([3.0, 4.0]), np.array([-4.0, 3.0])  # of length 5, both
        yield with_keys(problem, size * np.array([own, (1 - lead) * own + aside * across]))


def small_keys(problem: ConditionProblem) -> Iterator[Instance]:
    """Return few keys of whole numbers, the fewest and smallest first."""
    if problem.goal.effect == "aligned":
        others = sorted(product(range(-2, 3), repeat=2), key=lambda k: abs(k[0]) + abs(k[1]))
        for own in ((1, 0), (1, 1), (2, 1)):
            for other in others:
                yield with_keys(problem, np.array([own, other], float))
        return
    for keys, ahead in OUTSIDE:
        yield with_keys(problem, np.array(keys, float), np.array(ahead, float))
    for inside in INSIDE:
        yield with_keys(problem, np.array(inside, float), inside=True)


def unit_keys(problem: ConditionProblem) -> Iterator[Instance]:
    """Return keys of length 1: different ones, and at last two that are the same."""
    axes = [*np.eye(3), *-np.eye(3)]
    leaning = [np.array(v) for v in ([0.6, 0.8, 0], [0, 0.6, -0.8], [-0.8, 0, 0.6], [0.8, 0.6, 0])]
    for seed in range(30):
        rng = generator(seed)
        chosen = rng.permutation(np.array([*axes, *leaning]))[: rng.integers(2, 6)]
        yield with_keys(problem, chosen)
    yield with_keys(problem, np.eye(3)[[0, 0]])


def with_keys(
    problem: ConditionProblem,
    keys: Float64,
    ahead: Float64 | None = None,
    *,
    inside: bool = False,
    seed: int | None = None,
) -> Instance:
    """Return an instance, with the effect worked out.

    Args:
        problem: what is asked.
        keys: (n, d), the one asked about first.
        ahead: a direction in which it is ahead of all others, if one is known.
        inside: whether there is known to be none.
        seed: draws the keys again.
    """
    if problem.goal.effect == "aligned":
        scores = keys @ keys[0]
        lead = float(scores[0] - np.max(scores[1:]))
        size = ROUNDING * max(1.0, float(np.max(np.abs(scores))))
        margin = lead / max(1e-300, float(np.max(np.abs(scores))))
        return Instance(scores, lead > size, keys, margin=margin, tie=abs(lead) <= size, seed=seed)
    if ahead is None and not inside:
        ahead = separating(keys)
    queries = _queries(keys, ahead)
    epsilon = problem.goal.epsilon
    margin = -1.0 if ahead is None else 1.0  # a longer query makes any lead as large as one likes
    return Instance(
        keys @ keys[0], ahead is not None, keys, queries, margin, epsilon=epsilon, seed=seed
    )


def separating(keys: Float64) -> Float64 | None:
    """Return a direction in which the first key is ahead of all others, or None."""
    from scipy.optimize import linprog

    lead = keys[0] - keys[1:]
    # Each at length one: only signs count, and the program is solved in floats.
    lead = lead / np.maximum(np.linalg.norm(lead, axis=1, keepdims=True), 1e-300)
    d = keys.shape[1]
    # The largest t with lead q ≥ t and −1 ≤ q ≤ 1.
    found = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.hstack([-lead, np.ones((len(lead), 1))]),
        b_ub=np.zeros(len(lead)),
        bounds=[(-1, 1)] * d + [(None, None)],
    )
    if not found.success:
        return None
    direction = np.asarray(found.x[:d])
    return direction if float(np.min(lead @ direction)) > ROUNDING else None


def _queries(keys: Float64, ahead: Float64 | None) -> tuple[Float64, ...]:
    """Return queries to look among: the direction ahead, generic ones, and those along keys."""
    first = [] if ahead is None else [length * ahead for length in LENGTHS]
    first += [-query for query in first]
    rest = [*keys, *-keys, *(keys[0] - keys), np.zeros(keys.shape[1])]
    return (*first, *generic(keys.shape[1]), *(4.0 * query for query in rest))


def generic(d: int) -> list[Float64]:
    """Return queries at right angles to nothing in particular."""
    drawn = generator(d).standard_normal((DIRECTIONS, d))
    return [length * query for query in drawn for length in (1.0, 1e3)]


def _drawn(problem: ConditionProblem, seed: int) -> Instance:
    rng = generator(seed)
    n, d = int(rng.integers(2, 7)), int(rng.integers(2, 5))
    if problem.goal.effect == "aligned":
        keys = rng.integers(-3, 4, (n, d)).astype(float)
        keys[0, 0] = 1.0 + abs(keys[0, 0])
        if seed % 6 == 0:
            keys[1] = keys[0]
        return with_keys(problem, keys if seed % 2 else keys * rng.uniform(0.1, 10), seed=seed)
    keys = (4 * rng.integers(-3, 4, (n, d))).astype(float)
    if seed % 2 and n > 2:
        keys[0] = np.mean(keys[1:3] if n < 5 or seed % 4 == 1 else keys[1:5], axis=0)
        return with_keys(problem, keys + 8.0 * (seed % 3), inside=True, seed=seed)
    ahead = rng.standard_normal(d)
    ahead /= np.linalg.norm(ahead)
    lead = float(np.max(keys[1:] @ ahead) - keys[0] @ ahead) + rng.choice([0.1, 1.0, 5.0])
    keys[0] += lead * ahead
    return with_keys(problem, keys + 8.0 * (seed % 3), ahead, seed=seed)
