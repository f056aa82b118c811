"""Scores that a condition is tried on: on both sides of the border, and far from it.

With others s_1, …, the effect is there from s_0 = base + level on. For the mass that is
level = ln((1 − ε)/ε) above the log-sum-exp of the others, for pairs ln R above their largest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product, zip_longest

import numpy as np

from regard.checking.condition.reading import Asked, Float64, Instance
from regard.checking.condition.rounding import literals
from regard.checking.sampling import TRIALS, generator

SHIFTS = (0.0, 7.0, -7.0, 100.0, -100.0)
NEAR = (1e-6, -1e-6, 0.002, -0.002, 0.01, -0.01, 0.5, -0.5, 3.0, -3.0)
LEVELS = 6  # different scores of very many keys
LARGEST = 1e13  # of a number of the condition that scores are moved by
SEEN = 1e-14  # relative: what can be told apart beside a large shift
MOST_LITERALS = 6
WHOLE = (0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 16, 20, 30, 50, 100)
REST = (0.0, 1.0, -1.0, 0.01, 10.0, -10.0, 100.0, -100.0)
HEIGHTS = (1e6, -1e6, 1e10, -1e10, 1e13, -1e13)  # of all scores together
LEADS = tuple(float(x) for x in 10.0 ** np.arange(0, 16))  # scores end where they pass 1e15


def level_of(asked: Asked, epsilon: float, ratio: float) -> float:
    """Return by how much the score must be above what the others come to."""
    if asked.problem.goal.effect == "pairwise":
        return math.log(ratio)
    return math.log1p(-epsilon) - math.log(epsilon)


def base_of(asked: Asked, others: Float64) -> float:
    """Return what the others come to: their largest score, or their log-sum-exp."""
    largest = float(np.max(others))
    if asked.problem.goal.effect == "pairwise":
        return largest
    return largest + math.log(float(np.sum(np.exp(others - largest))))


def enough(asked: Asked, n: int, epsilon: float, ratio: float) -> float:
    """Return the gap to every other score that is enough among n keys."""
    return level_of(asked, epsilon, ratio) + base_of(asked, np.zeros(n - 1))


def _far(asked: Asked, n: int, epsilon: float, ratio: float) -> float:
    return 3 * max(0.0, enough(asked, n, epsilon, ratio)) + 10


def with_scores(
    asked: Asked, scores: Float64, epsilon: float, ratio: float, seed: int | None = None
) -> Instance:
    """Return an instance, with the effect worked out."""
    margin = float(scores[0]) - base_of(asked, scores[1:]) - level_of(asked, epsilon, ratio)
    return Instance(scores, margin >= 0, margin=margin, epsilon=epsilon, ratio=ratio, seed=seed)


def score_instances(asked: Asked) -> Iterator[Instance]:
    """Return instances of the problem, and of others where the condition says what these depend on.

    A condition that does not name n is about the number of keys of the problem.
    """
    goal, n = asked.problem.goal, asked.problem.given.n
    counts = [n, 2, 3, 7, 50] if "n" in asked.names else [n]
    shares = [goal.epsilon, 0.1, 0.01, 1e-4, 1e-8] if "epsilon" in asked.names else [goal.epsilon]
    ratios = [goal.ratio, 2.0, 20.0, 1e4, 1e8] if "R" in asked.names else [goal.ratio]
    yield from _constructed(asked, n, goal.epsilon, goal.ratio, (*SHIFTS, *_own_shifts(asked)))
    for count in counts[1:]:
        yield from _constructed(asked, count, goal.epsilon, goal.ratio, SHIFTS[:1])
    for epsilon, ratio in zip_longest(shares[1:], ratios[1:]):
        others = epsilon or goal.epsilon, ratio or goal.ratio
        yield from _constructed(asked, n, *others, SHIFTS[1:3])
    for seed in range(TRIALS):
        yield _drawn(asked, n, seed)
    yield from _of_all_sizes(asked)
    yield from _at_all_heights(asked)


def _own_shifts(asked: Asked) -> list[float]:
    """Return shifts that bring scores beyond the numbers that the condition itself names."""
    sizes = [abs(x) for x in literals(asked) if 8 < abs(x) <= LARGEST][:MOST_LITERALS]
    return [sign * times * size for size in sizes for times in (1.0, 2.0) for sign in (1, -1)]


def _constructed(
    asked: Asked, n: int, epsilon: float, ratio: float, shifts: tuple[float, ...]
) -> Iterator[Instance]:
    """Others all alike, a few rivals only, and two groups, around the border and far above."""
    level = level_of(asked, epsilon, ratio)
    far = _far(asked, n, epsilon, ratio)
    digits = 1.25e-3 * max(1.0, abs(enough(asked, n, epsilon, ratio)))  # beyond three of them
    for others in _other_scores(n, -60.0 - abs(level)):
        border = base_of(asked, others) + level
        away = [float(np.max(others)) + far, border - abs(level) - 1, -far]
        for shift in shifts:
            near = [border + step for step in (*NEAR, digits) if abs(step) > SEEN * abs(shift)]
            for first in near + away:
                scores = np.append(first, others) + shift
                yield with_scores(asked, scores, epsilon, ratio)


def _other_scores(n: int, low: float) -> Iterator[Float64]:
    """Yield the scores of the others; `low` is so far below that it does not count."""
    yield np.zeros(n - 1)
    for rivals in sorted({1, 2, (n - 1) // 2}):
        if 0 < rivals < n - 1:
            others = np.full(n - 1, low)
            others[:rivals] = 0.0
            yield others
    if n > 2:
        yield -(np.arange(n - 1) % 2).astype(float)


def _drawn(asked: Asked, n: int, seed: int) -> Instance:
    goal, rng = asked.problem.goal, generator(seed)
    spread = rng.choice([0.5, 2.0, 8.0])
    others = spread * rng.standard_normal(n - 1)
    if n > 2 * LEVELS:
        others = rng.choice(others[:LEVELS], n - 1)
    level = level_of(asked, goal.epsilon, goal.ratio)
    step = rng.choice([-1, 1]) * rng.uniform(0.02, 4.0)
    first = base_of(asked, others) + level + step
    scores = np.append(first, others) + rng.choice(SHIFTS)
    return with_scores(asked, scores, goal.epsilon, goal.ratio, seed)


def _of_all_sizes(asked: Asked) -> Iterator[Instance]:
    """Return scores of very different sizes and signs, which ratios and squares mistake."""
    goal, n = asked.problem.goal, asked.problem.given.n
    powers = [10.0**power for power in (-2, 0, 1, 2, 3)]
    powers += [2 * abs(x) for x in literals(asked)[:2] if 1e3 < abs(x) <= LARGEST]
    sizes = [sign * size for size in powers for sign in (1, -1)]
    for first, other in product(sizes, sizes):
        yield with_scores(asked, np.append(first, np.full(n - 1, other)), goal.epsilon, goal.ratio)
    for seed in range(TRIALS):
        rng = generator(1000 + seed)
        levels = rng.choice([-1.0, 1.0], LEVELS) * 10.0 ** rng.uniform(-2, 3, LEVELS)
        scores = rng.choice(levels, n)
        yield with_scores(asked, scores, goal.epsilon, goal.ratio, seed=None)


def _at_all_heights(asked: Asked) -> Iterator[Instance]:
    """Return scores a little short of the border, all of them high or low: a bound is no lead."""
    goal, n = asked.problem.goal, asked.problem.given.n
    border = enough(asked, n, goal.epsilon, goal.ratio)
    for height, short in product(HEIGHTS, (0.5, 3.0)):
        scores = np.append(border - short, np.zeros(n - 1)) + height
        yield with_scores(asked, scores, goal.epsilon, goal.ratio)


def leading_scores(asked: Asked) -> Iterator[Instance]:
    """Yield scores on which a condition that can be met is met: ever larger leads."""
    goal, n = asked.problem.goal, asked.problem.given.n
    own = [sign * x for x in literals(asked)[:MOST_LITERALS] for sign in (1.0, -1.0)]
    ends = [0.0, *own]
    for rest, lead in product(ends, LEADS):
        scores = np.append(rest + lead, np.full(n - 1, rest))
        yield with_scores(asked, scores, goal.epsilon, goal.ratio)
    for first, rest in product(ends, ends):
        yield with_scores(asked, np.append(first, np.full(n - 1, rest)), goal.epsilon, goal.ratio)


def small_scores(asked: Asked) -> Iterator[Instance]:
    """Return few keys with whole scores, the fewest and smallest first."""
    goal, n = asked.problem.goal, asked.problem.given.n
    away = _far(asked, n, goal.epsilon, goal.ratio)
    needed = level_of(asked, goal.epsilon, goal.ratio)
    ends = {float(math.ceil(needed)), float(math.floor(needed)), math.ceil(away), -math.ceil(away)}
    firsts = sorted({*map(float, WHOLE), *ends}, key=abs)
    for count in sorted({2, 3, 4, min(n, 10), n}):
        if count > n:
            continue
        for rest in REST:
            for first in firsts:
                for above in (0.0, rest):
                    scores = np.append(first + above, np.full(count - 1, rest))
                    yield with_scores(asked, scores, goal.epsilon, goal.ratio)


def asked_gap(asked: Asked) -> float | None:
    """Return from which gap on the condition holds where all others score 0, or None."""
    goal, n = asked.problem.goal, asked.problem.given.n

    def holds(gap: float) -> bool:
        scores = np.append(gap, np.zeros(n - 1))
        return asked.holds(with_scores(asked, scores, goal.epsilon, goal.ratio))

    low, high = 0.0, 1.0
    while not holds(high):
        low, high = high, 2 * high
        if high > 1e15:
            return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def is_gap(asked: Asked, gap: float) -> bool:
    """Whether it asks for this gap wherever the scores are, and not for a score of that size."""
    goal, n = asked.problem.goal, asked.problem.given.n

    def holds(lead: float, height: float) -> bool:
        scores = np.append(height + lead, np.full(n - 1, height))
        return asked.holds(with_scores(asked, scores, goal.epsilon, goal.ratio))

    step = 1e-3 * max(1.0, abs(gap))
    heights = (0.0, 50 + 3 * step, -50 - 3 * step)
    return all(holds(gap + step, x) and not holds(gap - step, x) for x in heights)
