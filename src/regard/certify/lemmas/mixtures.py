"""Two mixtures of the keys, and how far a query can pull them apart.

Let a = softmax(s), s_i = scale · k_i · q, and let l and p be weights that sum to 1. As
ln a_i - s_i is the same for every i,

    Σ l_i ln a_i - Σ p_i ln a_i = scale · q·Σ (l_i - p_i) k_i ≥ -pull,
    pull = |scale| · radius · ‖Σ (l_i - p_i) k_i‖,

and Σ l_i ln a_i ≤ Σ l_i ln l_i = -H(l). "For all queries" needs Σ (l_i - p_i) k_i = 0,
checked in rationals; then pull = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import arb, ctx, fmpq

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Arithmetic, Outcome
from regard.certify.certificate import Certificate, Claim, Number, Unusable


class Mixtures:
    """Two mixtures of the keys, l and p, and how far a query can pull them apart."""

    def __init__(
        self,
        certificate: Certificate,
        reach: int | float | None,
        upper: Mapping[int, Number],
        lower: Mapping[int, Number],
    ) -> None:
        self.keys = reading.given(certificate, "keys")
        self.force = (reading.number(certificate.scale, "scale"), reach)
        self.upper, self.lower = upper, lower
        if reach is None and not self.meet():
            raise Unusable("the mixtures of keys are not exactly equal, and no radius is given.")

    def residual(self, numbers: Arithmetic) -> list[Any]:
        """Return Σ (l_i - p_i) k_i."""
        places = [*self.upper, *self.lower]
        weights = balls.shares(list(self.upper.values()), numbers)
        weights += [-share for share in balls.shares(list(self.lower.values()), numbers)]
        return balls.combine(weights, self.keys[places], numbers)

    def meet(self) -> bool:
        """Is the residual exactly 0, or without effect?"""
        return 0 in self.force or all(entry == 0 for entry in self.residual(EXACT))

    def pull(self) -> arb:
        """Return |scale| · radius · ‖residual‖.

        The residual is all but 0 and the radius large: with fewer bits a sum over many keys would
        have to be taken twice.
        """
        scale, reach = self.force
        if reach is None:
            return arb(0)
        with balls.with_bits(max(ctx.prec, 128)):
            return abs(arb(scale)) * reach * balls.norm(self.residual(BALLS))

    def entropy(self) -> arb:
        """Return H(l)."""
        return balls.entropy(balls.shares(list(self.upper.values()), BALLS))


def weight_at_most(gap: arb, bound: Number) -> bool | None:
    """Is 1 / (1 + exp(gap)) ≤ bound? Asked of logarithms: exp(gap) may be out of range."""
    if bound <= 0 or bound >= 1:
        return bound >= 1
    return balls.at_most(((1 - arb(bound)) / bound).log(), gap)


def weight_at_most_exactly(terms: Sequence[tuple[fmpq, fmpq]], bound: Number) -> Outcome:
    """Is 1 / (1 + exp(Σ c ln x)) ≤ bound, in rationals?"""
    if not 0 < bound < 1:
        return Outcome(None, "")
    level = balls.rational(bound)
    truth = balls.logarithms_reach(terms, (1 - level) / level)
    return Outcome(truth, f"The bound of {balls.show(level)} is met exactly.")


def by_query(
    claim: Claim, certificate: Certificate, contradiction: Callable[[list[arb], arb], Outcome]
) -> Callable[[], Outcome]:
    """Return the question whether "attained_by", within the radius, contradicts the claim.

    `contradiction` is told exp(score) of every key and their sum, divided by one number.
    """
    keys, reach = reading.given(certificate, "keys"), claim.stated.radius()
    scale = reading.number(certificate.scale, "scale")

    def refutation() -> Outcome:
        query = claim.witnessed.vector("attained_by", keys.shape[1])

        def test() -> Outcome:
            entries = [arb(entry) for entry in query.tolist()]
            within = True if reach is None else balls.norm_at_most(entries, reach, BALLS)
            truth, reason = contradiction(*balls.exponentials(balls.scores(keys, query, scale)))
            return Outcome(balls.every(within, truth), reason)

        return balls.settle(test)

    return refutation
