"""Tokens that are their own queries, keys and values, and one of them that may be changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regard.checking.sampling import Float64, softmax
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.problems.token_instances import TokenTable, nearer, token_table

# Formulas with exp(beta^2) in them, which are exact, must not overflow: scores stay below this.
MOST_SCORE = 300.0
FARTHEST = 8.0  # times nearer to the limits than the instance
# What can be reached needs no formulas: it is decided where the limit is nearly there.
STEPS = (8.0, 64.0, 512.0)
MOST_SCORE_THERE = 1e8
GRID = 4001  # multiples that are looked at first
ZOOMS = 4


@dataclass(frozen=True, eq=False)
class Instance:
    """One instance.

    Attributes:
        table: the tokens, and what formulas may name.
        row: the token whose output is asked about.
        changed: the token that may be changed.
        added: what may be added to it, by its formula.
        goal: the output that is wanted.
        scale: what scores are multiplied by.
    """

    table: TokenTable
    row: int
    changed: int
    added: dict[str, Float64]
    goal: Float64
    scale: float

    @property
    def tokens(self) -> Float64:
        """The tokens (n, d)."""
        return self.table.tokens

    @property
    def longest(self) -> float:
        """The length of the longest token."""
        return float(np.max(np.linalg.norm(self.tokens, axis=1)))

    @cached_property
    def size(self) -> float:
        """What errors are measured against: the length of the goal, or of the longest token."""
        return float(np.linalg.norm(self.goal)) or self.longest or 1.0

    @property
    def directions(self) -> dict[str, Float64]:
        """What may be added, without what is zero."""
        return {name: vector for name, vector in self.added.items() if np.any(vector)}

    @property
    def unit(self) -> float:
        """The score of a basis vector with itself."""
        return self.scale * self.table.norm**2

    def scores(self, tokens: Float64 | None = None) -> Float64:
        """Return the scores of the row, as things are or with other tokens."""
        tokens = self.tokens if tokens is None else tokens
        return np.asarray(self.scale * (tokens @ tokens[self.row]))

    def weights(self, tokens: Float64 | None = None) -> Float64:
        """Return the weights of the row, as things are or with other tokens."""
        return softmax(self.scores(tokens))

    def error(self, tokens: Float64) -> float:
        """Return how far the output of the row is from the goal, relative to the goal."""
        return float(np.linalg.norm(self.weights(tokens) @ (tokens - self.goal)) / self.size)

    @property
    def output(self) -> Float64:
        """What comes out as things are."""
        return np.asarray(self.weights() @ self.tokens)

    def score_polynomials(self, vector: Float64) -> Float64:
        """Return the scores of the row over the scale, (n, 3), with a multiple f of a vector added.

        Column k holds the coefficients of f^k.
        """
        query, moves = self.tokens[self.row], self.row == self.changed
        own = np.arange(len(self.tokens)) == self.changed
        linear = own * (vector @ query) + moves * (self.tokens @ vector)
        return np.stack([self.tokens @ query, linear, own * moves * (vector @ vector)], axis=1)

    def changed_by(self, factor: float, vector: Float64) -> Float64:
        """Return the tokens after factor · vector was added to one of them."""
        tokens = self.tokens.copy()
        tokens[self.changed] += factor * vector
        return tokens

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


def instance(
    problem: FeasibilityProblem,
    parameters: dict[str, float] | None = None,
    *,
    rng: np.random.Generator | None = None,
    d: int | None = None,
) -> Instance:
    """Return the instance of a problem, or one as `token_table` has it."""
    given = problem.given
    table = token_table(given, parameters, rng=rng, d=d)
    label, wanted = next(iter(problem.goal.output.items()))
    return Instance(
        table,
        given.token("goal.output", label),
        given.token("given.change.token", given.change.token),
        {text: table.vector(text) for text in given.change.add},
        table.vector(wanted),
        given.scale,
    )


def nearer_instance(
    problem: FeasibilityProblem, times: float, seed: int | None = None, d: int | None = None
) -> Instance:
    """Return an instance so many times nearer to the limits; a seed draws its frame."""
    rng = None if seed is None else np.random.default_rng([11, seed])
    return instance(problem, nearer(problem.given, times), rng=rng, d=d)


def farthest(problem: FeasibilityProblem) -> float:
    """Return how much nearer to the limits an answer can be tried without overflow."""
    if not problem.given.limits:
        return 1.0
    times = max(FARTHEST, *steps_to_limit(problem))
    while times > 1.0 and np.max(np.abs(nearer_instance(problem, times).scores())) > MOST_SCORE:
        times = max(1.0, times / 1.25)
    return times


def steps_to_limit(problem: FeasibilityProblem) -> tuple[float, ...]:
    """Return how much nearer to the limits it is decided what can be reached."""
    if not problem.given.limits:
        return (1.0,)
    usable = [1.0]
    for times in STEPS:
        if problem.given.scale * nearer_instance(problem, times).longest ** 2 > MOST_SCORE_THERE:
            break
        usable.append(times)
    return tuple(usable[1:] or usable)


@dataclass(frozen=True)
class Nearest:
    """The multiple of one vector that brings the output nearest to the goal, and how near."""

    name: str
    factor: float
    error: float


def nearest(at: Instance) -> Nearest:
    """Return the best multiple of what may be added; factor 0 is the token as it is."""
    start = float(np.linalg.norm(at.output - at.goal) / at.size)
    tried = [Nearest(name, *_zoomed(at, vector)) for name, vector in at.directions.items()]
    return min([Nearest(next(iter(at.added)), 0.0, start), *tried], key=lambda one: one.error)


def _zoomed(at: Instance, vector: Float64) -> tuple[float, float]:
    """Look at a grid and at the multiples where two scores are equal, and zoom in on the best."""
    reach = 6 * (at.longest or 1.0) / float(np.linalg.norm(vector))
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


def _ties(at: Instance, vector: Float64) -> list[float]:
    """Return the multiples at which two tokens have the same score."""
    terms = at.score_polynomials(vector)[:, ::-1]
    found = [0.0]
    for i in range(len(terms)):
        for j in range(i):
            roots = np.roots(terms[i] - terms[j])
            found += [float(root.real) for root in roots if abs(root.imag) < 1e-9]
    return found
