"""Random keys k_i ~ N(μ_i, Σ_i), independent: their law, and the parts of claims about them.

With the arrays means (n, d) and covariances (n, d, d), the scores s_i = scale · q·k_i have means
m_i = scale · q·μ_i and variances e_i = scale² q·Σ_i q. A Σ_i that is positive semidefinite up to
rounding only is raised by its shortfall (:mod:`.semidefinite`), and no e_i is below 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify import balls, reading
from regard.certify.balls import Arithmetic
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.lemmas.semidefinite import shortfalls


@dataclass(frozen=True)
class Law:
    """The law of the keys that a certificate is about."""

    means: Float64
    covariances: Float64
    shortfalls: Float64  # what each covariance lacks on its diagonal to be one
    scale: Number

    def scores(self, query: Float64, numbers: Arithmetic) -> tuple[list[Any], list[Any]]:
        """Return the means m_i and variances e_i of the scores of a query."""
        q = [numbers.number(self.scale) * numbers.number(entry) for entry in query.tolist()]
        width = len(q)
        pulled = balls.products(
            self.covariances.reshape(-1, width), q, numbers
        )  # Σ_i q, one by one
        length, nothing = balls.squared(q), numbers.number(0)
        spread = []
        for i, lacks in enumerate(self.shortfalls.tolist()):
            row = pulled[i * width : (i + 1) * width]
            variance = sum((a * b for a, b in zip(q, row, strict=True)), nothing)
            if lacks:
                variance += numbers.number(lacks) * length
            spread.append(numbers.largest([variance, nothing]))
        return balls.products(self.means, q, numbers), spread


def read_law(certificate: Certificate) -> Law:
    """Return means and covariances, which must be positive semidefinite."""
    means = reading.given(certificate, "means")
    count, width = means.shape
    stack = np.asarray(reading.part(certificate.arrays, "covariances"))
    if stack.shape != (count, width, width):
        raise Unusable(
            f"covariances must have shape {(count, width, width)}, and has {stack.shape}."
        )
    flat = reading.matrix(stack.reshape(count * width, width), "covariances")
    covariances = flat.reshape(count, width, width)
    return Law(
        means,
        covariances,
        shortfalls(means, covariances),
        reading.number(certificate.scale, "scale"),
    )


def chosen_of(claim: Claim, count: int) -> tuple[list[int], list[int]]:
    """Return the chosen keys and the others; there must be some of both."""
    chosen = claim.stated.indices("chosen", count)
    others = np.setdiff1d(np.arange(count), chosen).tolist()
    if not others:
        raise Unusable("chosen are all keys, so that there are no others.")
    return chosen, others


def target_of(claim: Claim, count: int) -> dict[int, Number]:
    """Return the chosen keys with their weights, which must be above 0."""
    target: dict[int, Number] = {**claim.stated.weighted("target", count)}
    if any(weight <= 0 for weight in target.values()):
        raise Unusable("the weights of target must be above 0.")
    return target


def pairs_of(value: Any, count: int) -> list[tuple[int, int]]:
    """Return pairs of two different keys, at least one."""
    found = []
    for entry in reading.listed(value, "pairs"):
        i, j = (
            reading.index(place, "pairs", count) for place in reading.listed(entry, "a pair", 2)
        )
        if i == j:
            raise Unusable("a pair must be of two different keys.")
        found.append((i, j))
    if not found:
        raise Unusable("pairs must not be empty.")
    return found


def pair_weights(claim: Claim, count: int) -> list[Number] | None:
    """Return what each pair counts, ≥ 0; None: the largest counts."""
    value = claim.stated.part("weights")
    if value is None:
        return None
    return [
        reading.positive_or_zero(weight, "weights")
        for weight in reading.listed(value, "weights", count)
    ]


def noise_of(
    spread: list[Any],
    pairs: list[tuple[int, int]],
    weights: list[Number] | None,
    numbers: Arithmetic,
) -> Any:
    """Return Σ w (e_i + e_j), or the largest e_i + e_j."""
    sums = [spread[i] + spread[j] for i, j in pairs]
    if weights is None:
        return numbers.largest(sums)
    weighted_sums = (numbers.number(w) * e for w, e in zip(weights, sums, strict=True))
    return sum(weighted_sums, numbers.number(0))
