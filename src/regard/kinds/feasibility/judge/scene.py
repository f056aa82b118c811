"""Tokens that are their own queries, keys and values: what comes out, and what a change can do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import softmax
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.language import parse, parse_limit
from regard.problems.instances import frame

Float64 = NDArray[np.float64]
# Formulas with exp(beta^2) in them, which are exact, must not overflow: scores stay below this.
MOST_SCORE = 300.0
FARTHEST = 8.0  # times nearer to the limits than the instance
# What can be reached needs no formulas: it is decided where the limit is nearly there.
STEPS = (8.0, 64.0, 512.0)
MOST_SCORE_THERE = 1e8
GRID = 4001  # multiples that are looked at first
ZOOMS = 4

_read = cache(parse)
_read_limit = cache(parse_limit)


@dataclass(frozen=True, eq=False)
class Scene:
    """One instance.

    Attributes:
        tokens: (n, d).
        row: the token whose output is asked about.
        changed: the token that may be changed.
        added: what may be added to it, by its formula.
        goal: the output that is wanted.
        scale: what scores are multiplied by.
        symbols: vectors and numbers by the name that formulas use.
    """

    tokens: Float64
    row: int
    changed: int
    added: dict[str, Float64]
    goal: Float64
    scale: float
    symbols: dict[str, float | Float64]

    @property
    def size(self) -> float:
        """What errors are measured against: the length of the goal, or of the longest token."""
        longest = float(np.max(np.linalg.norm(self.tokens, axis=1)))
        return float(np.linalg.norm(self.goal)) or longest or 1.0

    @property
    def scores(self) -> Float64:
        """The scores of the row."""
        return np.asarray(self.scale * (self.tokens @ self.tokens[self.row]))

    @property
    def output(self) -> Float64:
        """What comes out as things are."""
        return np.asarray(softmax(self.scores) @ self.tokens)

    def changed_outputs(self, factors: Float64, vector: Float64) -> tuple[Float64, Float64]:
        """Return weights (m, n) and outputs (m, d) with these multiples of the vector added."""
        tokens = np.repeat(self.tokens[None], len(factors), axis=0)
        tokens[:, self.changed] += factors[:, None] * vector
        scores = self.scale * np.einsum("mnd,md->mn", tokens, tokens[:, self.row])
        weights = softmax(scores)
        return weights, np.einsum("mn,mnd->md", weights, tokens)

    def errors(self, factors: Float64, vector: Float64) -> Float64:
        """Return how far off the output is with these multiples, relative to the goal."""
        _, outputs = self.changed_outputs(factors, vector)
        return np.asarray(np.linalg.norm(outputs - self.goal, axis=1) / self.size)


def scene(
    problem: FeasibilityProblem, times: float = 1.0, seed: int | None = None, d: int | None = None
) -> Scene:
    """Return the tokens along the axes, or in a frame that is drawn.

    Args:
        problem: what is asked.
        times: how much nearer to its limits a parameter is taken.
        seed: draws the frame.
        d: the length of a token.
    """
    given = problem.given
    numbers: dict[str, float] = dict(given.parameters)
    for limit in map(_read_limit, given.limits):
        now = numbers[limit.name]
        numbers[limit.name] = (
            times * now if np.isinf(limit.target) else limit.target + (now - limit.target) / times
        )
    norm, count = given.basis.norm, len(given.basis.names)
    size = numbers[norm] if isinstance(norm, str) else norm
    d = d or given.d or count
    rng = None if seed is None else np.random.default_rng([11, seed])
    units = np.eye(count, d) if rng is None else frame(count, d, rng)
    names: dict[str, float | Float64] = {
        **numbers,
        **dict(zip(given.basis.names, size * units, strict=True)),
    }

    def vector(text: str) -> Float64:
        return np.asarray(_read(text).evaluate(names), float)

    tokens = np.array([vector(text) for text in given.tokens])
    label, wanted = next(iter(problem.goal.output.items()))
    more: dict[str, float | Float64] = {"d": float(d), "n": float(len(tokens))}
    more |= {f"x_{i + 1}": token for i, token in enumerate(tokens)}
    return Scene(
        tokens,
        given.token("", label),
        given.token("", given.change.token),
        {text: vector(text) for text in given.change.add},
        vector(wanted),
        given.scale,
        {**more, **names},
    )


def farthest(problem: FeasibilityProblem) -> float:
    """Return how much nearer to the limits an answer can be tried without overflow."""
    if not problem.given.limits:
        return 1.0
    times = max(FARTHEST, *steps_to_limit(problem))
    while times > 1.0 and np.max(np.abs(scene(problem, times).scores)) > MOST_SCORE:
        times = max(1.0, times / 1.25)
    return times


def steps_to_limit(problem: FeasibilityProblem) -> tuple[float, ...]:
    """Return how much nearer to the limits it is decided what can be reached."""
    if not problem.given.limits:
        return (1.0,)
    usable = [1.0]
    for times in STEPS:
        tokens = scene(problem, times).tokens
        if problem.given.scale * float(np.max(np.sum(tokens**2, axis=1))) > MOST_SCORE_THERE:
            break
        usable.append(times)
    return tuple(usable[1:] or usable)


@dataclass(frozen=True)
class Best:
    """The multiple that brings the output nearest to the goal, and how near."""

    name: str
    factor: float
    error: float


def best(at: Scene) -> Best:
    """Return the best multiple of what may be added; factor 0 is the token as it is."""
    start = float(np.linalg.norm(at.output - at.goal) / at.size)
    found = Best(next(iter(at.added)), 0.0, start)
    for name, vector in at.added.items():
        if not np.any(vector):
            continue
        factor, error = _nearest(at, vector)
        if error < found.error:
            found = Best(name, factor, error)
    return found


def _nearest(at: Scene, vector: Float64) -> tuple[float, float]:
    """Look at a grid and at the multiples where two scores are equal, and zoom in on the best."""
    longest = float(np.max(np.linalg.norm(at.tokens, axis=1))) or 1.0
    reach = 6 * longest / float(np.linalg.norm(vector))
    line = np.linspace(-reach, reach, GRID)
    far = np.geomspace(reach, 100 * reach, 200)
    factors = np.sort(np.concatenate([line, far, -far, _ties(at, vector)]))
    errors = at.errors(factors, vector)
    places = np.argsort(errors)[:20]
    factor, error = float(factors[places[0]]), float(errors[places[0]])
    for place in places:
        middle = float(factors[place])
        width = float(factors[min(place + 1, len(factors) - 1)] - factors[max(place - 1, 0)])
        for _ in range(ZOOMS):
            near = np.linspace(middle - width, middle + width, 101)
            there = at.errors(near, vector)
            middle, width = float(near[np.argmin(there)]), width / 40
            if float(np.min(there)) < error:
                factor, error = middle, float(np.min(there))
    return factor, error


def _ties(at: Scene, vector: Float64) -> Float64:
    """Return the multiples at which two tokens have the same score."""
    query, moved = at.tokens[at.row], float(at.row == at.changed)
    terms = []
    for j, key in enumerate(at.tokens):
        own = float(j == at.changed)
        linear = own * (vector @ query) + moved * (key @ vector)
        terms.append((own * moved * (vector @ vector), linear, key @ query))
    found = [0.0]
    for i in range(len(terms)):
        for j in range(i):
            roots = np.roots(np.subtract(terms[i], terms[j]))
            found += [float(root.real) for root in roots if abs(root.imag) < 1e-9]
    return np.array(found)
