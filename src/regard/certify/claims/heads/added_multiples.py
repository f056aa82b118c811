"""The claim that no multiple of a vector, added to one token, brings an output near a goal.

Tokens are their own queries, keys and values: with x_c(t) = x_c + t u for one token c and the
others as they are, token r has the output c_r = Σ_i α_i x_i, where α = softmax(scale x_i·x_r).

    multiples_out_of_reach   ‖c_r - goal‖ > bound for every real t; and, if it says so, also for
                             every larger scale (of tokens that grow together, all relative to them)

The witness cuts the real line into pieces, each with a direction w. On a piece it is shown that
w·(c_r - goal) > bound ‖w‖, that is Σ_i e^{s_i} h_i > 0 with h_i = w·(x_i - goal) - bound ‖w‖. The
scores s_i are polynomials of degree 2 in t, and the h_i are constants, but for h_c which is linear.
Divide by e^{s_l} of a token l: with δ_i = s_l - s_i,

    h_l + Σ_{i≠l} e^{-δ_i} h_i ≥ inf h_l + Σ_{inf h_i < 0} e^{-inf δ_i} inf h_i
                               + Σ_{inf h_i > 0} e^{-sup δ_i} inf h_i.

On a piece without end h_c may fall without bound, as β t. Then let δ_c be convex, with the slope
k > 0 away from the end T: e^{-δ_c} |β| |t - T| ≤ |β| e^{-δ_c(T)} / (e k), as y e^{-ky} ≤ 1/(ek).

A larger scale multiplies all δ_i. Where inf δ_i ≥ 0 for those of the first sum, what is taken away
shrinks; of the last sum only terms with sup δ_i ≤ 0 are counted, which do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from regard.certify import balls, reading
from regard.certify.balls import Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Unusable
from regard.certify.claims.claim_type import ClaimType

MOST_PIECES = 400
Polynomial = tuple[fmpq, fmpq, fmpq]  # a + b t + c t²
End = fmpq | None  # None: there is none


def claim(
    row: int,
    changed: int,
    added: Any,
    goal: Any,
    bound: float,
    *,
    pieces: list[dict[str, Any]],
    larger: bool = False,
) -> Claim:
    """Return the claim that no multiple of a vector brings an output as near as bound.

    Args:
        row: the token whose output it is.
        changed: the token that the multiple is added to.
        added: the vector.
        goal: what the output is to be near to.
        bound: how near.
        pieces: {"low", "high" (None: no end), "direction", "leader"}, in order, without gaps. With
            "across" true the part of the direction along the vector is taken off.
        larger: whether it is claimed for every larger scale too.
    """
    fields = {"row": row, "changed": changed, "added": added, "goal": goal, "bound": bound}
    fields["larger"] = larger
    return Claim("multiples_out_of_reach", fields, {"pieces": pieces})


def _say_multiples_out_of_reach(claim: Claim) -> str:
    fields = claim.fields
    return (
        f"whatever multiple of the vector is added to token {fields['changed']}, the output of "
        f"token {fields['row']} is farther than {reading.up(fields['bound'])} from the goal"
        + ", also at every larger scale"
        * bool(fields.get("larger"))
    )


@dataclass(frozen=True)
class _Piece:
    low: End
    high: End
    direction: list[fmpq]
    leader: int


class _Scene:
    """The arrays of a claim in rationals."""

    def __init__(self, claim: Claim, certificate: Certificate) -> None:
        tokens: Float64 = reading.given(certificate, "tokens")
        count, width = tokens.shape
        fields = claim.fields
        self.row = reading.index(reading.part(fields, "row"), "row", count)
        self.changed = reading.index(reading.part(fields, "changed"), "changed", count)
        self.added = _rationals(reading.vector(reading.part(fields, "added"), "added", width))
        self.goal = _rationals(reading.vector(reading.part(fields, "goal"), "goal", width))
        self.bound = balls.rational(
            reading.positive_or_zero(reading.part(fields, "bound"), "bound")
        )
        self.larger = fields.get("larger", False)
        if not isinstance(self.larger, bool):
            raise Unusable("larger must be true or false.")
        self.tokens = [_rationals(row) for row in tokens]
        scale = balls.rational(reading.number(certificate.scale, "scale"))
        if self.larger and scale <= 0:
            raise Unusable("the scale must be above 0.")
        query, moved = self.tokens[self.row], self.row == self.changed
        self.scores: list[Polynomial] = []
        for i, key in enumerate(self.tokens):
            own = i == self.changed
            slope = own * _dot(self.added, query) + moved * _dot(key, self.added)
            curve = int(own and moved) * balls.squared(self.added)
            self.scores.append((scale * _dot(key, query), scale * slope, scale * curve))

    def lead(self, leader: int, other: int) -> Polynomial:
        """Return how far one score is above another."""
        a, b = self.scores[leader], self.scores[other]
        return a[0] - b[0], a[1] - b[1], a[2] - b[2]

    def height(self, direction: list[fmpq], i: int) -> tuple[fmpq, fmpq]:
        """Return w·(x_i - goal) as a constant and a slope in t."""
        away = [x - g for x, g in zip(self.tokens[i], self.goal, strict=True)]
        slope = _dot(direction, self.added) if i == self.changed else fmpq(0)
        return _dot(direction, away), slope


def multiples_out_of_reach(claim: Claim, certificate: Certificate) -> Decision:
    """Show it piece by piece; an example of a multiple that does it refutes it."""
    scene = _Scene(claim, certificate)

    def proof() -> Outcome:
        pieces = _pieces(claim, scene)
        least: Outcome = Outcome(None, "there are no pieces.")
        for place, piece in enumerate(pieces):
            least = balls.settle(lambda piece=piece: _above(scene, piece))  # type: ignore[misc]
            if not least.truth:
                return Outcome(None, f"piece {place} does not show it: {least.reason}")
        return Outcome(True, f"It is shown on {len(pieces)} pieces of the line.")

    return balls.for_all(proof)


def _above(scene: _Scene, piece: _Piece) -> Outcome:
    """Is w·(c_r - goal) > bound ‖w‖ on a piece?"""
    shorter = arb(scene.bound) * balls.norm([arb(x) for x in piece.direction])
    total = arb(0)
    for i in range(len(scene.tokens)):
        start, slope = scene.height(piece.direction, i)
        lead = scene.lead(piece.leader, i)
        least = _least((start, slope, fmpq(0)), piece)
        if least is None:  # it falls without end
            if i == piece.leader:
                return Outcome(None, "the height of the leader falls without end.")
            end = piece.high if piece.low is None else piece.low
            faded = None if end is None else _faded(lead, slope, end)
            if end is None or faded is None:
                return Outcome(None, "a token that is moved away keeps its weight.")
            if scene.larger and _at(lead, end) < 0:
                return Outcome(None, "a larger scale would help it.")
            total -= faded
            least = start + slope * end
        height = arb(least) - shorter
        if i == piece.leader:
            total += height
            continue
        nearest = _least(lead, piece)
        if height > 0:
            farthest = _least((-lead[0], -lead[1], -lead[2]), piece)
            if farthest is not None and not (scene.larger and farthest < 0):
                total += height * arb(farthest).exp()
        elif nearest is None:
            return Outcome(None, "no token leads by a gap that is bounded below.")
        elif scene.larger and nearest < 0:
            return Outcome(None, "a larger scale would help it.")
        else:
            total += height * (-arb(nearest)).exp()
    truth = True if total > 0 else False if total <= 0 else None
    return Outcome(truth, f"the sum is {balls.show(total)}.")


def _faded(lead: Polynomial, slope: fmpq, end: fmpq) -> arb | None:
    """Return the most that a height that falls with this slope from an end on can take away."""
    steep = lead[1] + 2 * lead[2] * end
    outward = steep if slope < 0 else -steep  # it falls to the right where the slope is below 0
    if lead[2] < 0 or outward <= 0:
        return None
    return arb(abs(slope)) * (-arb(_at(lead, end)) - 1).exp() / arb(outward)


def _at(polynomial: Polynomial, t: fmpq) -> fmpq:
    a, b, c = polynomial
    return a + b * t + c * t * t


def _least(polynomial: Polynomial, piece: _Piece) -> fmpq | None:
    """Return the least value of a + b t + c t² on a piece; None: there is none."""
    a, b, c = polynomial
    falls_right = c < 0 or (c == 0 and b < 0)
    falls_left = c < 0 or (c == 0 and b > 0)
    if (piece.high is None and falls_right) or (piece.low is None and falls_left):
        return None
    places = [end for end in (piece.low, piece.high) if end is not None]
    if c > 0:
        lowest = -b / (2 * c)
        inside = (piece.low is None or lowest > piece.low) and (
            piece.high is None or lowest < piece.high
        )
        places += [lowest] if inside else []
    return min((_at(polynomial, t) for t in places), default=a)


def _pieces(claim: Claim, scene: _Scene) -> list[_Piece]:
    """Return the pieces, which must cover the line."""
    found = []
    for entry in claim.witnessed.listed("pieces"):
        if not isinstance(entry, Mapping):
            raise Unusable("a piece must be a dict.")
        ends = [entry.get(name) for name in ("low", "high")]
        low, high = (
            None if end is None else balls.rational(reading.exact(end, "an end")) for end in ends
        )
        direction = _rationals(
            reading.vector(reading.part(entry, "direction"), "direction", len(scene.goal))
        )
        if entry.get("across") is True and any(scene.added):
            along = _dot(direction, scene.added) / balls.squared(scene.added)
            direction = [w - along * u for w, u in zip(direction, scene.added, strict=True)]
        leader = reading.index(reading.part(entry, "leader"), "leader", len(scene.tokens))
        found.append(_Piece(low, high, direction, leader))
    if not 0 < len(found) <= MOST_PIECES:
        raise Unusable(f"there must be 1 to {MOST_PIECES} pieces.")
    joined = all(a.high == b.low is not None for a, b in pairwise(found))
    if found[0].low is not None or found[-1].high is not None or not joined:
        raise Unusable("the pieces do not cover the line.")
    return found


def _rationals(row: Any) -> list[fmpq]:
    return [balls.rational(float(x)) for x in row]


def _dot(a: list[fmpq], b: list[fmpq]) -> fmpq:
    return sum((x * y for x, y in zip(a, b, strict=True)), fmpq(0))


CLAIM_TYPES = {
    "multiples_out_of_reach": ClaimType(multiples_out_of_reach, _say_multiples_out_of_reach),
}
