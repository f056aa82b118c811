"""How far the output of heads over random keys is off in the mean square, by exponentials only.

Keys k_i ~ N(μ_i, Σ_i) are independent; head h has the scores s_i = scale · q_h·k_i, of means m_i
and variances e_i, and the output is c = Σ_h w_h c_h. Let α = softmax(m) be the weights *at the
means*, c_0 the output with them, U = Σ α_j² e_j, d_ij = ‖v_i − v_j‖ and d_i = max_j d_ij. Then

    E ‖c − c*‖² ≤ (‖c_0 − c*‖ + R)² + V,    R = Σ_h |w_h| Σ_i e_i/2 F_i,
    V = Σ_i Σ_hg |w_h w_g| |scale² q_h·Σ_i q_g| G_i^h G_i^g,

for any G_i² ≥ E α_i²‖v_i − c‖² and F_i ≥ E |1 − 2α_i| α_i ‖v_i − c‖, this at every smaller noise.

Proof. (1) E‖c − c*‖² = ‖Ec − c*‖² + tr Cov c. (2) By the Gaussian Poincaré inequality Var f ≤
E ∇f·Σ∇f, and ∂c/∂k_i = scale Σ_h w_h α_i^h (v_i − c_h) q_hᵀ; Cauchy-Schwarz gives V. (3) The heat
equation: Ec − c_0 is the integral over the noise t e, 0 ≤ t ≤ 1, of ½ Σ e_i E ∂²c/∂s_i², and
∂²c/∂s_i² = α_i (1 − 2α_i)(v_i − c), which gives R. (4) α_i ‖v_i − c‖ ≤ Σ_j α_i α_j d_ij, which is
at most α_i (1 − α_i) d_i ≤ d_i/4; and x(1 − x)|1 − 2x| ≤ 1/(6√3). (5) Log-sum-exp is convex, so
for *every* noise α_i α_j is at most a e^X with a = α_i α_j at the means and X normal, of mean 0 and
variance w_ij = e_i + e_j + 4U − 4 α_i e_i − 4 α_j e_j. Hence ‖α_i α_j‖₂ ≤ a e^w and E α_i α_j ≤
a e^{w/2}, which grow with the noise. As α_i α_j ≤ 1/4, also ≤ (1/4)^{1−θ} (a e^X)^θ for 0 ≤ θ ≤ 1:
with x = −ln 4a and the best θ these are ¼ e^{−x²/4w} if x ≤ 2w, and ¼ e^{−x²/2w} if x ≤ w. ∎

e^w is a product of a number for i and one for j, so that without θ all sums over pairs cost O(n).

A head that looks at one key a has another bound, for noise of order one. 1 − α_a = σ(ℓ − s_a), and
ℓ = ln Σ_{j≠a} e^{s_j} is independent of s_a, has E ℓ ≤ ℓ_0 = ln Σ_{j≠a} e^{m_j + e_j/2}, and is
√e_max-Lipschitz in independent standard normal numbers. So for any u > 0 (Gaussian concentration)

    E ‖c_h − v_a‖² ≤ d_a² (E σ(ℓ_0 + u − s_a)² + e^{−u²/(2 e_max)}).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, arb_mat

from regard.certify.balls import BALLS, exponentials, norm
from regard.certify.certificate import Float64
from regard.certify.claims.random_keys.output_law import sigmoid_moment

MOST_PAIRS = 256  # keys for which pairs are looked at one by one
SHARES = (4, 64, 4096, 10**8)  # one over the parts of bound² that the tail of ℓ may have
NEARER = (0.7, 0.85, 0.93)  # by which the best u is then moved, down and up, as long as it helps


@dataclass(frozen=True)
class Scores:
    """Means and joint variances of the scores of all heads, as balls.

    Attributes:
        means: m_i by head.
        joint: |Cov(s_i^h, s_i^g)| by heads h and g, and key i.
        shares: |w_h|.
    """

    means: list[list[arb]]
    joint: list[list[list[arb]]]
    shares: list[arb]

    def spread(self, head: int) -> list[arb]:
        """The variances e_i of the scores of a head."""
        return self.joint[head][head]

    def only(self, heads: Sequence[int]) -> Scores:
        """The laws of the scores of some heads, in the order given."""
        return Scores(
            [self.means[h] for h in heads],
            [[self.joint[h][g] for g in heads] for h in heads],
            [self.shares[h] for h in heads],
        )


class Distances:
    """d_ij = ‖v_i − v_j‖ and d_i = max_j d_ij, all rounded up."""

    def __init__(self, values: Float64 | None, count: int, diameter: arb) -> None:
        """Measure values; where there are none, all are the diameter apart."""
        self.pairs: list[list[arb]] | None = None
        if values is None:
            self.widest = [diameter] * count
            self.same: arb | None = diameter
            return
        self.same = None
        # From the first value, so that a large common part does not cost digits.
        table = arb_mat(count, values.shape[1], [arb(x) for x in values.ravel().tolist()])
        first = [table[0, c] for c in range(values.shape[1])]
        moved = arb_mat(
            count, values.shape[1],
            [table[i, c] - first[c] for i in range(count) for c in range(values.shape[1])],
        )  # fmt: skip
        if count > MOST_PAIRS:
            away = [norm([moved[i, c] for c in range(values.shape[1])]) for i in range(count)]
            farthest = BALLS.largest(away)
            self.widest = [one + farthest for one in away]
            return
        gram = (moved * moved.transpose()).tolist()
        self.pairs = [
            [
                (gram[i][i] + gram[j][j] - 2 * gram[i][j]).nonnegative_part().sqrt()
                if i != j
                else arb(0)
                for j in range(count)
            ]
            for i in range(count)
        ]
        self.widest = [BALLS.largest(row) for row in self.pairs]

    def between(self, i: int, j: int) -> arb:
        """The distance d_ij between values i and j, one for all pairs where no values are given."""
        return self.same if self.pairs is None else self.pairs[i][j]  # type: ignore[return-value]


@dataclass(frozen=True)
class Parts:
    """What the bound is made of: R, V and the weights at the means, by head."""

    bias: arb  # R
    variance: arb  # V
    weights: list[list[arb]]


def noise_parts(scores: Scores, distances: Distances, *, pairs: bool) -> Parts:
    """Return R and V of the heads; with or without looking at pairs of keys one by one."""
    heads = range(len(scores.means))
    weights, G, bias = [], [], arb(0)
    for h in heads:
        terms, total = exponentials(scores.means[h])
        alpha, spread = [term / total for term in terms], scores.spread(h)
        weights.append(alpha)
        second, first = (_by_pair if pairs else _by_key)(alpha, spread, distances)
        G.append(second)
        curved = sum((e * f for e, f in zip(spread, first, strict=True)), arb(0))
        bias += scores.shares[h] * curved / 2
    variance = arb(0)
    for h in heads:
        for g in heads:
            shared = sum(
                (c * a * b for c, a, b in zip(scores.joint[h][g], G[h], G[g], strict=True)), arb(0)
            )
            variance += scores.shares[h] * scores.shares[g] * shared
    return Parts(bias, variance, weights)


def _by_key(
    alpha: list[arb], spread: list[arb], distances: Distances
) -> tuple[list[arb], list[arb]]:
    """Return G_i and F_i in O(n): e^w is a product of a number for i and one for j."""
    U = sum((a * a * e for a, e in zip(alpha, spread, strict=True)), arb(0))
    found = []
    for half, most in ((arb(1), arb(1) / 4), (arb(1) / 2, 1 / (6 * arb(3).sqrt()))):
        b = [a * (half * e * (1 - 4 * a)).exp() for a, e in zip(alpha, spread, strict=True)]
        total, front = sum(b, arb(0)), (4 * half * U).exp()
        found.append(
            [
                d * most.min(front * x * (total - x))
                for d, x in zip(distances.widest, b, strict=True)
            ]
        )
    return found[0], found[1]


def _by_pair(
    alpha: list[arb], spread: list[arb], distances: Distances
) -> tuple[list[arb], list[arb]]:
    """Return G_i and F_i as sums over the other keys."""
    count = len(alpha)
    U = sum((a * a * e for a, e in zip(alpha, spread, strict=True)), arb(0))
    own = [e * (1 - 4 * a) for a, e in zip(alpha, spread, strict=True)]
    log4 = arb(4).log()
    logs = [a.log() for a in alpha]
    quarter, curved = arb(1) / 4, 1 / (6 * arb(3).sqrt())
    second, first = [arb(0)] * count, [arb(0)] * count
    for i in range(count):
        for j in range(i):
            a = alpha[i] * alpha[j]
            w = (own[i] + own[j] + 4 * U).nonnegative_part()
            x = (-log4 - logs[i] - logs[j]).nonnegative_part()  # as 4 α_i α_j ≤ 1
            # The second form holds only where its exponent θ is certainly at most 1.
            strong = quarter * (-x * x / (4 * w)).exp() if w > 0 and x <= 2 * w else a * w.exp()
            weak = quarter * (-x * x / (2 * w)).exp() if w > 0 and x <= w else a * (w / 2).exp()
            d = distances.between(i, j)
            for k in (i, j):
                second[k] += d * strong
                first[k] += d * weak
    return (
        [(d * quarter).min(x) for d, x in zip(distances.widest, second, strict=True)],
        [(d * curved).min(x) for d, x in zip(distances.widest, first, strict=True)],
    )


def one_key_square(means: list[arb], spread: list[arb], key: int, u: arb) -> tuple[arb, arb]:
    """Return what bounds E (1 − α_a)² for a key a and u > 0: the integral, and the tail."""
    others = [j for j in range(len(means)) if j != key]
    _, total = exponentials([means[j] + spread[j] / 2 for j in others])
    highest = max((means[j] + spread[j] / 2).mid() for j in others)
    level = total.log() + highest
    deviation = spread[key].nonnegative_part().sqrt()
    inside = sigmoid_moment([(level + u - means[key], deviation)] * 2)
    widest = BALLS.largest([spread[j] for j in others])
    if widest <= 0:  # ℓ does not vary
        return inside, arb(0)
    return inside, (-u * u / (2 * widest)).exp()


def one_key(scores: Scores, head: int, room: arb) -> tuple[int, arb]:
    """Return the key that a head looks at, and a bound of √E (1 − α_a)²."""
    means, spread = scores.means[head], scores.spread(head)
    key = max(range(len(means)), key=lambda i: means[i].mid())
    widest = BALLS.largest([e for j, e in enumerate(spread) if j != key])

    def bound(u: arb) -> arb:
        inside, tail = one_key_square(means, spread, key, u)
        return (inside + tail).nonnegative_part().sqrt().min(arb(1))

    begin = [
        arb(
            ((2 * widest * (share / room**2).log()).nonnegative_part().sqrt() + arb(2) ** -40).mid()
        )
        for share in SHARES
    ]
    best, at = min(((bound(u), u) for u in begin), key=lambda pair: float(pair[0].upper()))
    for factor in NEARER:  # every u > 0 gives a bound: the least of some is one
        for u in (arb((at * factor).mid()), arb((at / factor).mid())):
            found = bound(u)
            if found < best:
                best, at = found, u
    return key, best
