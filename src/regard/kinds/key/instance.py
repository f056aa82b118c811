"""What a new key can do: everything depends on one number, its weight.

With the query fixed, the scores of the other keys stay, and so do the ratios p of their weights. A
new key of score t has the weight u = e^t/(e^t + Σ e^s), the others (1 − u) p. Errors are convex in
u, so that the least one and all u within a tolerance are found in closed form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regard.checking.sampling import generator, softmax
from regard.kinds.key.spec import KeyProblem
from regard.language import parse
from regard.problems.instances import Float64, KeyInstance, key_instance
from regard.problems.laws import Fixed

DRAWN = 6
HALVINGS = 200


@dataclass(frozen=True, eq=False)
class Replacement:
    """An instance: keys, the query, and what is wanted."""

    problem: KeyProblem
    instance: KeyInstance
    query: Float64
    seed: int | None = None

    @property
    def row(self) -> int:
        """The row of the key that is replaced."""
        return self.problem.given.row

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        return float(self.problem.given.scale)

    @cached_property
    def others(self) -> Float64:
        """The scores (n − 1,) of the other keys."""
        keys = np.delete(self.instance.keys, self.row, axis=0)
        return np.asarray(self.scale * (keys @ self.query))

    @cached_property
    def level(self) -> float:
        """The ln Σ e^s of the other keys: with this score a new key has half of the weight."""
        most = float(np.max(self.others))
        return most + math.log(float(np.sum(np.exp(self.others - most))))

    @cached_property
    def ratios(self) -> Float64:
        """How the other keys share what is left, (n − 1,)."""
        return softmax(self.others)

    @cached_property
    def highest(self) -> float:
        """The largest score that a new key can have; minus it is the lowest."""
        length = float(np.linalg.norm(self.query))
        if length == 0:
            return 0.0
        radius = self.problem.goal.radius
        return math.inf if radius is None else self.scale * radius * length

    @cached_property
    def span(self) -> tuple[float, float]:
        """The weights that a new key can have; 0 and 1 are only come near to."""
        return self.weight(-self.highest), self.weight(self.highest)

    def weight(self, score: float) -> float:
        """Return the weight of a new key of this score."""
        x = score - self.level
        return 1 / (1 + math.exp(-x)) if x > -700 else 0.0

    def score(self, weight: float) -> float:
        """Return the score with which a new key has this weight."""
        if weight <= 0:
            return -math.inf
        return math.inf if weight >= 1 else self.level + math.log(weight) - math.log1p(-weight)

    def weights(self, u: float) -> Float64:
        """Return all weights (n,) where the new key has the weight u."""
        return np.insert((1 - u) * self.ratios, self.row, u)

    @cached_property
    def wanted(self) -> Float64:
        """The weights (n,) or the output (d_v,) that is wanted."""
        weights = self.problem.goal.weights
        if weights is None:
            return self.problem.wanted_output()
        found = np.zeros(self.problem.given.n)
        for name, share in weights.items():
            found[self.problem.given.names[name]] = share
        return found

    def error(self, u: float) -> float:
        """Return the error where the new key has the weight u: convex in u."""
        got = self.weights(u)
        if self.problem.goal.weights is not None:
            return float(np.max(np.abs(got - self.wanted)))
        return float(np.linalg.norm(got @ self.instance.values - self.wanted))

    @cached_property
    def best(self) -> float:
        """The weight of the new key at which the error is least."""
        low, high = self.span
        if self.problem.goal.weights is None:
            rest = self.ratios @ np.delete(self.instance.values, self.row, axis=0)
            step = self.instance.values[self.row] - rest
            size = float(step @ step)
            at = float((self.wanted - rest) @ step) / size if size else low
            return min(max(at, low), high)
        return self._lowest(low, high)

    def _lowest(self, low: float, high: float) -> float:
        """Return where max |…| is least: at an end, or where a rising and a falling line cross."""
        own = float(self.wanted[self.row])
        p, g = self.ratios, np.delete(self.wanted, self.row)
        # Lines a + b u: the pairs ±(u − own), ±((1 − u) p − g).
        a = np.concatenate([[-own, own], p - g, g - p])
        b = np.concatenate([[1.0, -1.0], -p, p])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            value = a + b * middle
            steep = float(b[int(np.argmax(value))])
            low, high = (low, middle) if steep > 0 else (middle, high)
        ends = (low, high)
        return min(ends, key=self.error)

    @cached_property
    def least(self) -> float:
        """The least error of all new keys, or what they come as near to as one likes."""
        return self.error(self.best)

    def within(self, tolerance: float) -> tuple[float, float] | None:
        """Return the weights of a new key with which the error is within a tolerance, or None."""
        if self.least > tolerance:
            return None
        ends = []
        for end in self.span:
            inside, outside = self.best, end
            if self.error(end) <= tolerance:
                ends.append(end)
                continue
            for _ in range(HALVINGS):
                middle = (inside + outside) / 2
                if self.error(middle) <= tolerance:
                    inside = middle
                else:
                    outside = middle
            ends.append(inside)
        return ends[0], ends[1]


def plain(problem: KeyProblem) -> Replacement:
    """Return the plain instance."""
    return _made(problem, key_instance(problem.given), None)


def drawn(problem: KeyProblem) -> tuple[Replacement, ...]:
    """Return the instances that an answer is tried on: keys with numbers have one."""
    given = problem.given
    if isinstance(given.keys, Fixed):
        return (plain(problem),)
    found = [plain(problem)]
    for seed in range(DRAWN):
        found.append(_made(problem, key_instance(given, generator(seed)), seed))
    return tuple(found)


def _made(problem: KeyProblem, instance: KeyInstance, seed: int | None) -> Replacement:
    query = problem.given.query
    found = parse(query).evaluate(instance.symbols) if isinstance(query, str) else query
    return Replacement(problem, instance, np.asarray(found, float), seed)
