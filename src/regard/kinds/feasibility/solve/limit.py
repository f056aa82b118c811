"""What an output comes close to when every limit is reached, as weights and as a formula."""

from __future__ import annotations

import numpy as np

from regard.checking.sampling import Float64, softmax
from regard.kinds.feasibility.instance import Instance, instance
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.language import parse_limit
from regard.report import number
from regard.solving.latex_numbers import ratio

FAR = 1e4  # times the instance's number stands for a limit at infinity
NEGLIGIBLE = 1e-12
MOST_TERMS = 4  # of an average that is written with its tokens


def limit_weights(problem: FeasibilityProblem) -> Float64:
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
    scores = instance(problem, parameters).scores()
    # Scores that are equal but for rounding are equal.
    scores = np.where(np.max(scores) - scores <= _rounding(scores), np.max(scores), scores)
    found = softmax(scores)
    return np.asarray(np.where(found < NEGLIGIBLE, 0.0, found))


def _rounding(scores: Float64) -> float:
    """Return by how much scores that are equal may differ."""
    return 1e-12 * max(float(np.max(np.abs(scores))), 1.0)


def away(at: Instance, limit: Float64) -> float:
    """Return how far the output of the row is from the average with the weights `limit`.

    Tokens that share the limit evenly and score alike share evenly here too, and cancel. The
    others are summed alone: what is left of 1 − α has no digits where α is nearly 1.
    """
    weights, tied = at.weights(), limit > 0
    scores = (at.tokens @ at.tokens[at.row])[tied]
    if np.ptp(limit[tied]) <= NEGLIGIBLE and np.ptp(scores) <= _rounding(scores):
        weights = np.where(tied, 0.0, weights)
    return float(np.linalg.norm(weights @ (at.tokens - limit @ at.tokens)))


def average(problem: FeasibilityProblem, weights: Float64, digits: int) -> str:
    """Return the average of tokens with these weights in the formula language.

    Weights that are no simple fractions have so many digits. Tokens that are zero add nothing
    and are left out.
    """
    given, table = problem.given, instance(problem).table
    tokens, names, basis = table.tokens, given.basis.names, table.basis
    held = [int(j) for j in np.flatnonzero(weights) if np.any(tokens[j])]
    if len(held) == 1 and weights[held[0]] == 1:
        return str(given.tokens[held[0]])
    if len(held) <= MOST_TERMS:
        parts = [f"{_decimal(float(weights[j]), digits)} ({given.tokens[j]})" for j in held]
        return " + ".join(parts) or f"0 {names[0]}"
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
