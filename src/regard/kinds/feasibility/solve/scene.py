"""Tokens that are their own queries, keys and values, and one of them that may be changed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.language import parse, parse_limit
from regard.problems import token_instance
from regard.problems.tokens import Tokens
from regard.report import number
from regard.solving.latex_numbers import ratio

Array = NDArray[np.float64]

FAR = 1e4  # times the instance's number stands for a limit at infinity
NEGLIGIBLE = 1e-12
MOST_TERMS = 4  # of an average that is written with its tokens


@dataclass(frozen=True, eq=False)
class Scene:
    """The numbers of an instance.

    Attributes:
        tokens: (n, d).
        row: the token whose output is wanted.
        changed: the token that may be changed.
        added: what may be added to it, as (formula, vector).
        goal: the output that is wanted.
        scale: what scores are multiplied by.
        size: what errors are relative to.
        norm: the length of the basis vectors.
    """

    tokens: Array
    row: int
    changed: int
    added: tuple[tuple[str, Array], ...]
    goal: Array
    scale: float
    size: float
    norm: float
    symbols: dict[str, Array | float] = field(repr=False)

    def changed_by(self, factor: float, vector: Array) -> Array:
        """Return the tokens after factor · vector was added to one of them."""
        tokens = self.tokens.copy()
        tokens[self.changed] += factor * vector
        return tokens

    def weights(self, tokens: Array) -> Array:
        """Return the attention weights of the row."""
        return softmax(self.scale * (tokens @ tokens[self.row]))

    def error(self, tokens: Array) -> float:
        """Return how far the output of the row is from the goal, relative to the goal."""
        missed = self.weights(tokens) @ (tokens - self.goal)
        return float(np.linalg.norm(missed) / self.size)

    def away(self, limit: Array) -> float:
        """Return how far the output of the row is from the average with the weights `limit`.

        Tokens that share the limit evenly and score alike share evenly here too, and cancel. The
        others are summed alone: what is left of 1 − α has no digits where α is nearly 1.
        """
        weights, tied = self.weights(self.tokens), limit > 0
        scores = (self.tokens @ self.tokens[self.row])[tied]
        room = 1e-12 * max(float(np.max(np.abs(scores))), 1.0)
        if np.ptp(limit[tied]) <= NEGLIGIBLE and np.ptp(scores) <= room:
            weights = np.where(tied, 0.0, weights)
        return float(np.linalg.norm(weights @ (self.tokens - limit @ self.tokens)))

    def differences(self, vector: Array, of: int) -> Array:
        """Return the scores of token `of` minus those of all, (n, 3): polynomials in the factor.

        Column k holds the coefficients of factor^k.
        """
        n = len(self.tokens)
        query, moved = self.tokens[self.row], float(self.row == self.changed)
        found = np.empty((n, 3))
        for j in range(n):
            own = float(j == self.changed)
            key = self.tokens[j]
            found[j] = (
                key @ query,
                own * (vector @ query) + moved * (key @ vector),
                own * moved * (vector @ vector),
            )
        return np.asarray(self.scale * (found[of] - found))


def softmax(scores: Array) -> Array:
    """Return the weights of scores."""
    powers = np.exp(scores - np.max(scores))
    return np.asarray(powers / powers.sum())


def scene(problem: FeasibilityProblem, parameters: dict[str, float] | None = None) -> Scene:
    """Return the instance, or one with other parameters."""
    given = problem.given
    tokens, symbols = token_instance(given, parameters=parameters)
    label, text = next(iter(problem.goal.output.items()))
    goal = np.asarray(parse(text).evaluate(symbols), float)
    added = []
    for formula in given.change.add:
        vector = np.asarray(parse(formula).evaluate(symbols), float)
        if np.any(vector):
            added.append((formula, vector))
    norm = given.basis.norm
    return Scene(
        tokens=tokens,
        row=given.token("goal.output", label),
        changed=given.token("given.change.token", given.change.token),
        added=tuple(added),
        goal=goal,
        scale=given.scale,
        size=float(np.linalg.norm(goal)) or float(np.max(np.linalg.norm(tokens, axis=1))) or 1.0,
        norm=float(symbols[norm]) if isinstance(norm, str) else norm,
        symbols=symbols,
    )


def limit_weights(problem: FeasibilityProblem) -> Array:
    """Return the weights of the row when every limit is reached; those of the instance if none."""
    given, parameters = problem.given, dict(problem.given.parameters)
    for text in given.limits:
        limit = parse_limit(text)
        if np.isinf(limit.target):
            sign = 1.0 if limit.target > 0 else -1.0
            parameters[limit.name] = sign * FAR * max(abs(parameters[limit.name]), 1.0)
        else:
            parameters[limit.name] = float(limit.target)
    norm = given.basis.norm
    if isinstance(norm, str) and parameters[norm] <= 0:
        parameters[norm] = given.parameters[norm]
    at = scene(problem, parameters)
    scores = at.scale * (at.tokens @ at.tokens[at.row])
    # Scores that are equal but for rounding are equal.
    room = 1e-12 * max(float(np.max(np.abs(scores))), 1.0)
    scores = np.where(np.max(scores) - scores <= room, np.max(scores), scores)
    found = softmax(scores)
    return np.asarray(np.where(found < NEGLIGIBLE, 0.0, found))


def average(given: Tokens, weights: Array, digits: int) -> str:
    """Return the average of tokens with these weights in the formula language.

    Weights that are no simple fractions have so many digits. Tokens that are zero add nothing
    and are left out.
    """
    tokens, symbols = token_instance(given)
    names = given.basis.names
    held = [int(j) for j in np.flatnonzero(weights) if np.any(tokens[j])]
    if len(held) == 1 and weights[held[0]] == 1:
        return str(given.tokens[held[0]])
    if len(held) <= MOST_TERMS:
        parts = [f"{_decimal(float(weights[j]), digits)} ({given.tokens[j]})" for j in held]
        return " + ".join(parts) or f"0 {names[0]}"
    basis = np.array([np.asarray(symbols[name]) for name in names])
    text = ""
    for name, x in zip(names, basis @ (weights @ tokens) / np.sum(basis**2, axis=1), strict=True):
        size = _decimal(abs(float(x)), digits)
        if size != "0":
            text += " - " if x < 0 else " + "
            text += name if size == "1" else f"{size} {name}"
    return text.removeprefix(" + ").replace(" - ", "-", text.startswith(" - ")) or f"0 {names[0]}"


def _decimal(x: float, digits: int) -> str:
    """Return a simple fraction, also where it is one but for rounding, or so many digits."""
    text = ratio(round(x, 14))
    return text if "." not in text and "e" not in text else number(x, digits)
