"""Why no multiple will do: claims that cover every factor.

On a piece of the line of factors each token j has at least the weight p_j, because its score is
at most so much below the others. So the output is Σ p_j x_j plus 1 − Σ p_j times an average of
the tokens, and lies in the hull of the points Σ p_j x_j + (1 − Σ p_j) x_k. On a finite piece
these are taken at both ends: they move along lines. On an endless one

- everything is looked at from the side, with the direction that is added taken out, so that the
  factor does not matter; or
- they are taken at its one end. If the direction w that tells the goal from them does not point
  the way they go, it only tells them apart further; and if the changed token fades, its score
  g + κ u below another's at u steps from the end, it adds at most |a| max u e^(−g − κu) =
  |a| e^(−g) / (κ e) to the output.

A goal away from the hull is out of reach for the whole piece.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from regard.certify import Claim
from regard.certify.claims.algebra import conditions, identities
from regard.checking.sampling import Float64
from regard.design.heads.output_targets import distance
from regard.kinds.feasibility.instance import Instance

__all__ = [
    "Piece",
    "apart",
    "cover",
    "fading",
    "least_gap",
    "mass_claim",
    "nearest_rival",
    "square_claims",
]

MOST_PIECES = 160
SLACK = 1e-9
ENDS = (8.0, 80.0, 800.0)  # times the longest token over the vector added: where parts end
PARTS = 8  # that it is cut into at first


@dataclass(frozen=True)
class Piece:
    """Factors from low to high, the token that leads there, and what is proved.

    Attributes:
        low: the least factor.
        high: the largest.
        leader: the token that is surest of its weight.
        gap: how far it is above all others at least.
        share: the weight that this is worth.
        bound: how far the output is from the goal at least.
        points: rows whose hull holds the output.
        claim: that the goal is away from it.
    """

    low: float
    high: float
    leader: int
    gap: float
    share: float
    bound: float
    points: Float64
    claim: Claim


def apart(points: Float64, goal: Float64, name: str) -> Claim:
    """Return the claim that no average of points comes nearer to the goal than it does."""
    nearest = distance(points, goal)
    size = float(np.max(np.abs(points))) + float(np.max(np.abs(goal)))
    bound = max(0.0, (nearest.lower - 1e-13 * size) * (1 - 1e-12))
    combination = np.zeros(len(points))
    combination[nearest.indices] = nearest.weights
    fields = {"array": name, "times": None, "point": goal.tolist(), "bound": bound}
    direction = -nearest.point if np.any(nearest.point) else np.eye(len(goal))[0]
    return Claim("apart_from_hull", fields, {"direction": direction, "combination": combination})


def least_gap(polynomial: Float64, low: float, high: float) -> float:
    """Return the least value of a + b x + c x² for low ≤ x ≤ high; −inf where there is none."""
    a, b, c = (float(entry) for entry in polynomial)
    up = c < 0 or (c == 0 and b < 0)
    down = c < 0 or (c == 0 and b > 0)
    if (math.isinf(high) and up) or (math.isinf(low) and down):
        return -math.inf
    places = [end for end in (low, high) if math.isfinite(end)]
    if c > 0 and low < -b / (2 * c) < high:
        places.append(-b / (2 * c))
    return min((a + b * x + c * x * x for x in places), default=a)


def cover(at: Instance, vector: Float64, allowed: float, name: str) -> list[Piece] | None:
    """Return pieces that cover all factors, on each of which the goal is out of reach; or None."""
    whole = _piece(at, vector, -math.inf, math.inf, allowed, name)
    if whole is not None:
        return [whole]
    for times in ENDS:
        end = times * (at.longest or 1.0) / float(np.linalg.norm(vector))
        found = _in_parts(at, vector, allowed, name, end)
        if found is not None:
            return found
    return None


def _in_parts(
    at: Instance, vector: Float64, allowed: float, name: str, end: float
) -> list[Piece] | None:
    """Return pieces that cover all factors, two endless ones and parts of what is between."""
    cuts = np.linspace(-end, end, PARTS + 1).tolist()
    waiting = [(-math.inf, -end), (end, math.inf), *pairwise(cuts)]
    done: list[Piece] = []
    while waiting:
        low, high = waiting.pop()
        piece = _piece(at, vector, low, high, allowed, f"{name}_{len(done) + 1}")
        if piece is not None:
            done.append(piece)
            continue
        if math.isinf(low) or math.isinf(high) or len(done) + len(waiting) >= MOST_PIECES:
            return None
        middle = (low + high) / 2
        waiting += [(low, middle), (middle, high)]
    return sorted(done, key=lambda piece: piece.low)


def _piece(
    at: Instance, vector: Float64, low: float, high: float, allowed: float, name: str
) -> Piece | None:
    """Return the proof for the factors from low to high, if there is one."""
    n = len(at.tokens)
    leads = [
        [least_gap(row, low, high) for row in np.delete(_leads(at, vector, j), j, axis=0)]
        for j in range(n)
    ]
    gaps = [min(lead, default=math.inf) for lead in leads]
    shares = np.array([1 - _epsilon(gap, n) for gap in gaps])
    leader = int(np.argmax(gaps))
    if math.isfinite(low) or math.isfinite(high):
        shares = np.maximum(shares, [_least_weight(lead) for lead in leads])
    for points, goal, onward in _views(at, vector, low, high, shares):
        claim = apart(points, goal, name)
        bound = float(claim.fields["bound"]) * (1 - SLACK)
        if float(np.asarray(claim.witness["direction"]) @ onward) > 0:
            bound -= fading(at, vector, low if math.isfinite(low) else high, onward)
        if bound > allowed:
            kept = Claim(claim.kind, {**claim.fields, "bound": bound}, claim.witness)
            share = float(shares[leader])
            return Piece(low, high, leader, gaps[leader], share, bound, points, kept)
    return None


def _leads(at: Instance, vector: Float64, of: int) -> Float64:
    """Return the score of token `of` minus those of all, (n, 3): polynomials in the factor."""
    scores = at.score_polynomials(vector)
    return np.asarray(at.scale * (scores[of] - scores))


def _least_weight(leads: list[float]) -> float:
    """Return what a token has at least that is at least so far above each other one."""
    return (1 - SLACK) / (1 + sum(math.exp(-max(lead, -700.0)) for lead in leads))


def nearest_rival(at: Instance, vector: Float64, leader: int) -> tuple[int, Float64]:
    """Return the token that comes nearest to the leader over all factors, and the lead over it.

    The lead is a polynomial in the factor, in units of the score of a basis vector with itself.
    """
    rows = _leads(at, vector, leader) / at.unit
    others = [j for j in range(len(rows)) if j != leader]
    rival = min(others, key=lambda j: least_gap(rows[j], -math.inf, math.inf))
    return rival, rows[rival]


def fading(at: Instance, vector: Float64, end: float, onward: Float64) -> float:
    """Return how much the changed token adds at most beyond the end, where its score falls."""
    least = math.inf
    for j in range(len(at.tokens)):
        a, b, c = _leads(at, vector, j)[at.changed]
        slope = float(b + 2 * c * end) * (1.0 if float(vector @ onward) > 0 else -1.0)
        if j == at.changed or c < 0 or slope <= 0:
            continue
        gap = float(a + b * end + c * end * end)
        least = min(least, math.exp(-max(gap, -700.0)) / (slope * math.e))
    return least * float(np.linalg.norm(vector))


def _views(
    at: Instance, vector: Float64, low: float, high: float, shares: Float64
) -> Iterator[tuple[Float64, Float64, Float64]]:
    """Yield points whose hull holds the output, the goal, and the way the points go from there."""

    def points(ends: list[float]) -> Float64:
        found = []
        for factor in ends:
            tokens = at.changed_by(factor, vector)
            found.append(shares @ tokens + (1 - float(shares.sum())) * tokens)
        return np.unique(np.concatenate(found), axis=0)

    still = np.zeros(len(vector))
    if math.isfinite(low) and math.isfinite(high):
        yield points([low, high]), at.goal, still
        return
    along = vector / np.linalg.norm(vector)
    table, goal = points([0.0]), at.goal
    yield table - np.outer(table @ along, along), goal - (goal @ along) * along, still
    if math.isfinite(low):
        yield points([low]), at.goal, vector
    if math.isfinite(high):
        yield points([high]), at.goal, -vector


def square_claims(at: Instance, vector: Float64, piece: Piece) -> list[Claim]:
    """Return the claim that the least lead is a square and what it is at least, in those units.

    For the factor t, a + b t + c t² = c (t + b/2c)² + a − b²/4c, if the numbers are simple ones.
    """
    _, row = nearest_rival(at, vector, piece.leader)
    a, b, c = (Fraction(float(v)).limit_denominator(1000) for v in row)
    off = max(abs(float(e) - v) for e, v in zip((a, b, c), row, strict=True))
    if off > 1e-12 or c <= 0 or b == 0:
        return []
    times = "" if c == 1 else f"{c} "
    left = f"{times}t^2 {_signed(b)} t {_signed(a)}"
    right = f"{times}(t {_signed(b / (2 * c))})^2 {_signed(a - b * b / (4 * c))}"
    return [identities.claim(left, right, {"t": []})]


def _signed(x: Fraction) -> str:
    return f"- {-x}" if x < 0 else f"+ {x}"


def _epsilon(gap: float, n: int) -> float:
    """Return what others get at most beside a token that leads by gap, rounded up to 3 digits.

    That is (n − 1) e^(−gap) over 1 and that; more than half of it where the gap is below 0.
    """
    if gap < -30 or n < 2:
        return 1.0 if n > 1 else 0.0
    others = (n - 1) * math.exp(-min(gap, 700.0))
    least = max(others / (1 + others) * (1 + 1e-9), 1e-12)
    step = 10.0 ** (math.floor(math.log10(least)) - 2)
    return min(1.0, float(f"{math.ceil(least / step) * step:.3g}"))


def mass_claim(piece: Piece, n: int) -> Claim | None:
    """Return the claim that a lead of this gap is worth this weight, for all scores."""
    if n < 2 or not 0 < piece.gap < 600:
        return None
    epsilon = Fraction(f"{_epsilon(piece.gap, n):.3g}")
    return conditions.gap_claim("sufficient", piece.gap, [{"n": n, "epsilon": str(epsilon)}])
