"""The claim that a point is away from every average of some rows.

    apart_from_hull   w·point - max_i w·x_i ≥ bound ‖w‖ for a direction w ≠ 0

Every average y of the rows has w·y ≤ max_i w·x_i, so ‖point - y‖ ≥ w·(point - y) / ‖w‖.
"""

from __future__ import annotations

from typing import Any

from regard.certify import balls, reading
from regard.certify.balls import Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Unusable
from regard.certify.claims.claim_type import ClaimType


def _say_apart_from_hull(claim: Claim) -> str:
    fields = claim.fields
    rows = f"{fields['array']}" + (f" times {fields['times']}" if fields["times"] else "")
    bound = reading.down(fields["bound"])
    return f"no average of the rows of {rows} comes closer than {bound} to the point"


class _Points:
    """The rows x_i of an array, or of the product of two."""

    def __init__(self, claim: Claim, certificate: Certificate) -> None:
        name, times = claim.stated.part("array"), claim.stated.part("times")
        self.rows = reading.given(certificate, name)
        if len(self.rows) == 0:
            raise Unusable(f"{name} has no rows.")
        self.times: Float64 | None = None
        if times is not None:
            self.times = reading.given(certificate, times, self.rows.shape[1])
        self.width = (self.rows if self.times is None else self.times).shape[1]

    def heights(self, direction: list[Any], numbers: Arithmetic) -> list[Any]:
        """Return x_i · direction for every i."""
        if self.times is not None:
            direction = balls.products(self.times, direction, numbers)
        return balls.products(self.rows, direction, numbers)

    def average(self, weights: dict[int, Any], numbers: Arithmetic) -> list[Any]:
        """Return the average of the rows with these weights (divided by their sum)."""
        average = balls.combine(
            balls.shares(list(weights.values()), numbers), self.rows[list(weights)], numbers
        )
        return average if self.times is None else balls.combine(average, self.times, numbers)


def apart_from_hull(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that every average of the rows is at least bound away from the point."""
    points = _Points(claim, certificate)
    point = claim.stated.vector("point", points.width).tolist()
    bound = claim.stated.number("bound")

    def proof() -> Outcome:
        direction = claim.witnessed.vector("direction", points.width)
        if not direction.any():
            raise Unusable("the direction is 0.")

        def test(numbers: Arithmetic) -> Outcome:
            w = [numbers.number(entry) for entry in direction.tolist()]
            own = sum((a * numbers.number(b) for a, b in zip(w, point, strict=True)))
            margin = own - numbers.largest(points.heights(w, numbers))
            reason = f"The direction shows a distance of {balls.show(margin / balls.norm(w))}."
            return Outcome(balls.at_least_times_norm(margin, bound, w, numbers), reason)

        return balls.settle_algebra(test)

    def refutation() -> Outcome:
        given_weights = claim.witnessed.part("combination")
        weights = reading.combination(given_weights, "combination", len(points.rows))

        def test(numbers: Arithmetic) -> Outcome:
            average = points.average(weights, numbers)
            gap = [numbers.number(a) - b for a, b in zip(point, average, strict=True)]
            closer = bound > 0 and balls.less(balls.squared(gap), numbers.number(bound) ** 2)
            return Outcome(closer, f"An average of the rows is {balls.show(balls.norm(gap))} away.")

        return balls.settle_algebra(test)

    return balls.for_all(proof, refutation)


CLAIM_TYPES = {
    "apart_from_hull": ClaimType(apart_from_hull, _say_apart_from_hull),
}
