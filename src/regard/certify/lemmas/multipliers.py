"""Multipliers that show weights between bounds to be out of reach of every query or head.

Let y_ij and l_ij ≥ 0 have the same row sums and the same Σ y_ij y_j x_iᵀ. As ln a_ij is the score
less one number per row, Σ y ln a = Σ l ln a for every B (up to pull = |scale| · radius · ‖what is
left of the equation‖). A goal keeps each weight between bounds, which bound Σ y ln a from below and
Σ l ln a from above (`bounded_weights`). If the former is larger by more than pull, no B meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Arithmetic, Outcome
from regard.certify.certificate import Claim, Unusable
from regard.certify.lemmas.bounded_weights import Bounds, largest, smallest
from regard.certify.lemmas.linear_scores import Entries, LinearScores, entries


def by_multipliers(
    claim: Claim, scores: LinearScores, bounds: Callable[[], Mapping[int, Bounds]]
) -> Outcome:
    """Is Σ y ln a above Σ l ln a for all weights between bounds, by more than pull?"""
    reach = claim.stated.radius()
    read = reading.number if reach is not None else reading.exact
    lower = entries(claim.witnessed.part("lower"), "lower", scores, read)
    upper = entries(claim.witnessed.part("upper"), "upper", scores, read)
    rows = sorted({i for i, _ in lower})
    if rows != sorted({i for i, _ in upper}):
        raise Unusable("lower and upper must be of the same rows.")
    levels = [
        reading.positive_or_zero(level, "levels")
        for level in claim.witnessed.listed("levels", len(rows))
    ]

    def parts(numbers: Arithmetic) -> tuple[Entries, Entries]:
        """y, divided by its sum, and l with the same row sums."""
        y = {pair: numbers.number(weight) for pair, weight in lower.items()}
        total = sum(y.values(), numbers.number(0))
        y = {pair: weight / total for pair, weight in y.items()}
        l = {pair: numbers.number(weight) for pair, weight in upper.items()}  # noqa: E741
        for row in rows:
            own = sum((w for (i, _), w in y.items() if i == row), numbers.number(0))
            held = sum((w for (i, _), w in l.items() if i == row), numbers.number(0))
            l.update({(i, j): w * own / held for (i, j), w in l.items() if i == row})
        return y, l

    def residual(numbers: Arithmetic) -> list[Any]:
        y, l = parts(numbers)  # noqa: E741
        coefficients = dict(y)
        for pair, weight in l.items():
            coefficients[pair] = coefficients.get(pair, numbers.number(0)) - weight
        return scores.moment(coefficients, numbers)

    if reach is None and any(entry != 0 for entry in residual(EXACT)):
        raise Unusable("the mixtures are not exactly equal, and no radius is given.")

    def test() -> Outcome:
        pull = arb(0)
        if reach is not None:
            pull = abs(arb(scores.scale)) * reach * balls.norm(residual(BALLS))
        y, l = parts(BALLS)  # noqa: E741
        between = bounds()
        excess = -pull
        for row, level in zip(rows, levels, strict=True):
            wanted = {j: w for (i, j), w in y.items() if i == row}
            others = {j: w for (i, j), w in l.items() if i == row}
            excess += smallest(wanted, between[row]) - largest(others, between[row], arb(level))
        return Outcome(balls.less(0, excess), f"The goal is out of reach by {balls.show(excess)}.")

    outcome = balls.settle(test)
    return outcome if outcome.truth else Outcome(None, outcome.reason)
