"""Scores that a condition is tried on: on both sides of the border, and far from it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import product, zip_longest

import numpy as np

from regard.checking.sampling import TRIALS, generator
from regard.kinds.condition.instance import Float64, Instance, Level, first_and_rest, level_of
from regard.kinds.condition.spec import ConditionProblem

SHIFTS = (0.0, 7.0, -7.0, 100.0, -100.0)
NEAR = (1e-6, -1e-6, 0.002, -0.002, 0.01, -0.01, 0.5, -0.5, 3.0, -3.0)
GROUPS = 6  # different scores of very many keys
LARGEST = 1e13  # of a number of the condition that scores are moved by
SEEN = 1e-14  # relative: what can be told apart beside a large shift
MOST_LITERALS = 6
WHOLE = (0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 16, 20, 30, 50, 100)
REST = (0.0, 1.0, -1.0, 0.01, 10.0, -10.0, 100.0, -100.0)
HEIGHTS = (1e6, -1e6, 1e10, -1e10, 1e13, -1e13)  # of all scores together
LEADS = tuple(float(x) for x in 10.0 ** np.arange(0, 16))  # scores end where they pass 1e15


def score_instances(
    problem: ConditionProblem, names: Collection[str], literals: Sequence[float]
) -> Iterator[Instance]:
    """Return instances of the problem, and of others where the condition says what these depend on.

    Where the statement tells how many keys there are, a condition need not name n.

    Args:
        problem: what is asked.
        names: what the condition speaks of, or is to hold for all of.
        literals: the numbers in it.
    """
    n, level = problem.given.n, level_of(problem)
    sizes = [abs(x) for x in literals if 8 < abs(x) <= LARGEST][:MOST_LITERALS]
    # Shifts that bring scores beyond the numbers that the condition itself names.
    own = [sign * times * size for size in sizes for times in (1.0, 2.0) for sign in (1, -1)]
    yield from _constructed(level, n, (*SHIFTS, *own))
    for count in (2, 3, 7, 50) if "n" in names else ():
        yield from _constructed(level, count, SHIFTS[:1])
    shares = (0.1, 0.01, 1e-4, 1e-8) if "epsilon" in names else ()
    ratios = (2.0, 20.0, 1e4, 1e8) if "R" in names else ()
    for epsilon, ratio in zip_longest(shares, ratios):
        yield from _constructed(level_of(problem, epsilon, ratio), n, SHIFTS[1:3])
    for seed in range(TRIALS):
        yield _drawn(level, n, seed)
    yield from _of_all_sizes(level, n, literals)
    yield from _at_all_heights(level, n)
    yield from _at_literals(level, n, literals)


def _well_above(level: Level, n: int) -> float:
    return 3 * max(0.0, level.enough(n)) + 10


def _constructed(level: Level, n: int, shifts: tuple[float, ...]) -> Iterator[Instance]:
    """Others all alike, a few rivals only, and two groups, around the border and far above."""
    far = _well_above(level, n)
    digits = 1.25e-3 * max(1.0, abs(level.enough(n)))  # beyond three of them
    for others in _other_scores(n, -60.0 - abs(level.above)):
        border = level.base(others) + level.above
        away = [float(np.max(others)) + far, border - abs(level.above) - 1, -far]
        for shift in shifts:
            near = [border + step for step in (*NEAR, digits) if abs(step) > SEEN * abs(shift)]
            for first in near + away:
                yield level.instance(np.append(first, others) + shift)


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


def _drawn(level: Level, n: int, seed: int) -> Instance:
    rng = generator(seed)
    spread = rng.choice([0.5, 2.0, 8.0])
    others = spread * rng.standard_normal(n - 1)
    if n > 2 * GROUPS:
        others = rng.choice(others[:GROUPS], n - 1)
    step = rng.choice([-1, 1]) * rng.uniform(0.02, 4.0)
    first = level.base(others) + level.above + step
    return level.instance(np.append(first, others) + rng.choice(SHIFTS), seed)


def _of_all_sizes(level: Level, n: int, literals: Sequence[float]) -> Iterator[Instance]:
    """Return scores of very different sizes and signs, which ratios and squares mistake."""
    powers = [10.0**power for power in (-2, 0, 1, 2, 3)]
    powers += [2 * abs(x) for x in literals[:2] if 1e3 < abs(x) <= LARGEST]
    sizes = [sign * size for size in powers for sign in (1, -1)]
    for first, other in product(sizes, sizes):
        yield level.instance(first_and_rest(first, other, n))
    for seed in range(TRIALS):
        rng = generator(1000 + seed)
        levels = rng.choice([-1.0, 1.0], GROUPS) * 10.0 ** rng.uniform(-2, 3, GROUPS)
        yield level.instance(rng.choice(levels, n))


def _at_all_heights(level: Level, n: int) -> Iterator[Instance]:
    """Return scores a little short of the border, all of them high or low: a bound is no lead."""
    for height, short in product(HEIGHTS, (0.5, 3.0)):
        yield level.instance(first_and_rest(level.enough(n) - short, 0.0, n) + height)


def _at_literals(level: Level, n: int, literals: Sequence[float]) -> Iterator[Instance]:
    """Return scores that are numbers of the condition, each a bound of its own, and next to them.

    `s_j >= 20 and s_i <= 4` asks for a lead of 16, although it speaks of no difference.
    """
    ends = [0.0, *(sign * x for x in literals[:MOST_LITERALS] for sign in (1.0, -1.0))]
    for first, rest in product(dict.fromkeys(ends), repeat=2):
        for step in (0.0, 1e-9, 1e-4):
            up, down = (1 + abs(x) for x in (first, rest))
            yield level.instance(first_and_rest(first + step * up, rest - step * down, n))


def leading_scores(problem: ConditionProblem, literals: Sequence[float]) -> Iterator[Instance]:
    """Yield scores on which a condition that can be met is met: ever larger leads."""
    n, level = problem.given.n, level_of(problem)
    ends = [0.0, *(sign * x for x in literals[:MOST_LITERALS] for sign in (1.0, -1.0))]
    for rest, lead in product(ends, LEADS):
        yield level.instance(first_and_rest(rest + lead, rest, n))
    for first, rest in product(ends, ends):
        yield level.instance(first_and_rest(first, rest, n))


def small_scores(problem: ConditionProblem) -> Iterator[Instance]:
    """Return few keys with whole scores, the fewest and smallest first."""
    n, level = problem.given.n, level_of(problem)
    away, needed = math.ceil(_well_above(level, n)), level.above
    ends = {float(math.ceil(needed)), float(math.floor(needed)), away, -away}
    firsts = sorted({*map(float, WHOLE), *ends}, key=abs)
    counts = [count for count in sorted({2, 3, 4, min(n, 10), n}) if count <= n]
    for count, rest, first, above in product(counts, REST, firsts, (False, True)):
        yield level.instance(first_and_rest(first + (rest if above else 0.0), rest, count))
