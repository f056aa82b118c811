"""Find the key with the largest weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.certify import Certificate, Claim
from regard.solving.finding import Finding, Status, within
from toy_course.sharpest.spec import SharpestProblem


@dataclass(frozen=True, eq=False, kw_only=True)
class Sharpest(Finding):
    """All weights, of which the largest is the answer."""

    weights: tuple[float, ...]


def solve(problem: SharpestProblem) -> Sharpest:
    """Return the key and its weight, with a claim about all weights."""
    keys, query = np.array(problem.given.keys), np.array(problem.given.query)
    powers = np.exp(keys @ query - np.max(keys @ query))
    weights = powers / powers.sum()
    target = {"indices": list(range(len(keys))), "weights": weights.tolist()}
    bound = problem.goal.tolerance
    claim = Claim("weights_close", {"target": target, "bound": bound}, {"query": query.tolist()})
    certificate = Certificate({"keys": keys}, (claim,))
    key = int(np.argmax(weights))
    return Sharpest(
        Status.PROVED,
        {"key": key + 1, "weight": float(weights[key])},
        certificate,
        reaches=within(certificate, ("weights_close",), bound),
        weights=tuple(weights.tolist()),
    )
