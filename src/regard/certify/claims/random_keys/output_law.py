"""The claim that the output of heads over random keys has a mean and a covariance.

The output is Σ_h w_h c_h with c_h = Σ_i a_hi v_i and a_h = softmax(scale · keys q_h), and every
head varies through one key a (`certify.lemmas.random_heads`). With Z = s_a - ln Σ_{i≠a}
exp(s_i), which is N(m, τ²), and σ(Z) = 1/(1 + exp(-Z)),

    c_h = r + σ(Z) (v_a - r),    r = Σ_{i≠a} exp(s_i) v_i / Σ_{i≠a} exp(s_i).

    output_law   mean and covariance of Σ_h w_h c_h are these, each entry within error

Moments of σ(Z) are integrals of one variable, enclosed by Arb. Z_h and Z_g are jointly normal:
uncorrelated ones are independent, and in general |Cov(f(Z_h), g(Z_g))| ≤ |corr(Z_h, Z_g)| times
the standard deviations of f(Z_h) and g(Z_g) (Gebelein).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.random_keys.random_heads import Head, Heads, head_weights_of
from regard.certify.claims.worked_examples.computed import difference_in_words, in_digits
from regard.certify.lemmas.random_keys import read_law

MOST_BITS = 256  # of an integral; more would take long and settle nothing
MOST_POINTS = 6_000


def claim(
    mean: Any, covariance: Any, error: float, *, queries: Any, head_weights: Any = None
) -> Claim:
    """Return the claim that the output has this mean and covariance (head weights: 1/H each)."""
    fields = {"mean": mean, "covariance": covariance, "error": error}
    return Claim("output_law", fields, {"queries": queries, "head_weights": head_weights})


def sigmoid_moment(terms: Sequence[tuple[arb, arb]]) -> arb:
    """Return E Π σ(m + τ z) for a standard normal z."""
    reach = (2 * arb(2).log() * ctx.prec).sqrt() + 1

    def integrand(z: acb, _: bool) -> acb:  # meromorphic: where σ has a pole its ball is infinite
        value = (-z * z / 2).exp()
        for mean, deviation in terms:
            value /= 1 + (-(mean + deviation * z)).exp()
        return value

    inside = acb.integral(integrand, acb(-reach), acb(reach), eval_limit=MOST_POINTS).real
    outside = arb(0).union((reach / arb(2).sqrt()).erfc())  # σ is between 0 and 1
    return inside / (2 * arb.pi()).sqrt() + outside


@dataclass(frozen=True)
class _Moved:
    """c = rest + σ(Z) step with Z ~ N(mean, variance), and the moments of σ(Z)."""

    rest: list[arb]
    step: list[arb]
    mean: arb
    deviation: arb
    expected: arb
    spread: arb  # Var σ(Z)


def _moved(head: Head, values: Float64) -> _Moved:
    own = [arb(x) for x in values[head.key].tolist()]
    others = [i for i in range(len(values)) if i != head.key]
    if not others:
        nothing = arb(0)
        return _Moved(own, [nothing] * len(own), nothing, nothing, nothing, nothing)
    means = [arb(mean) for mean in head.means]
    terms, total = balls.exponentials([means[i] for i in others])
    rest = [x / total for x in balls.combine(terms, values[others], BALLS)]
    highest = max(means[i].mid() for i in others)  # what `exponentials` divided by
    mean, deviation = means[head.key] - highest - total.log(), arb(head.variance).sqrt()
    if head.variance == 0:
        expected, spread = 1 / (1 + (-mean).exp()), arb(0)
    else:
        expected = sigmoid_moment([(mean, deviation)])
        spread = sigmoid_moment([(mean, deviation)] * 2) - expected**2
        if not spread > 0:  # σ grows by at most 1/4 per unit, so that Var σ(Z) ≤ τ²/16
            spread = arb(0).union((deviation**2 / 16).min(spread.upper()))
    step = [a - b for a, b in zip(own, rest, strict=True)]
    return _Moved(rest, step, mean, deviation, expected, spread)


def _joint_spread(covariance: fmpq, heads: tuple[Head, Head], moved: tuple[_Moved, _Moved]) -> arb:
    """Return Cov(σ(Z_h), σ(Z_g)) of two heads."""
    (head, other), (first, second) = heads, moved
    if covariance == 0:
        return arb(0)
    if covariance**2 == head.variance * other.variance:  # one normal number moves both
        same = 1 if covariance > 0 else -1
        terms = [(first.mean, first.deviation), (second.mean, same * second.deviation)]
        return sigmoid_moment(terms) - first.expected * second.expected
    most = abs(arb(covariance)) / (first.deviation * second.deviation)
    most *= (first.spread * second.spread).nonnegative_part().sqrt()
    return (-most).union(most)


def _say_output_law(claim: Claim) -> str:
    mean = reading.listed(claim.fields["mean"], "mean")
    covariance = [
        reading.listed(row, "covariance")
        for row in reading.listed(claim.fields["covariance"], "it")
    ]
    trace = float(sum(Fraction(row[i]) for i, row in enumerate(covariance)))
    where = f"({', '.join(in_digits(x) for x in mean)})" if len(mean) <= 6 else "as given"
    return (
        f"the output has mean {where} and the covariance given, whose trace is about {trace:.6g}, "
        f"each entry within {reading.up(claim.fields['error'])}"
    )


def output_law(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether every entry of mean and covariance is within error."""
    law = read_law(certificate)
    values = reading.given(certificate, "values", len(law.means))
    width = values.shape[1]
    mean = claim.stated.vector("mean", width)
    covariance = claim.stated.matrix("covariance", width, width)
    error = arb(claim.stated.positive_or_zero("error"))
    queries = claim.witnessed.matrix("queries", columns=law.means.shape[1])
    all_heads = Heads(law, queries)
    weights = head_weights_of(claim, len(queries))
    heads = [all_heads.head(h) for h in range(len(queries))]
    last = Outcome(None, "nothing was computed.")

    def test() -> Outcome:
        nonlocal last
        if ctx.prec > MOST_BITS:
            return last
        moved = [_moved(head, values) for head in heads]
        off = [-arb(x) for x in mean.tolist()]
        for weight, c in zip(weights, moved, strict=True):
            entries = zip(off, c.rest, c.step, strict=True)
            off = [x + arb(weight) * (r + c.expected * s) for x, r, s in entries]
        spread = [[-arb(x) for x in row] for row in covariance.tolist()]
        for h, g in itertools.product(range(len(heads)), repeat=2):
            if h == g:
                shared = moved[h].spread
            else:
                joint = all_heads.covariance(h, g, heads[h], heads[g])
                shared = _joint_spread(joint, (heads[h], heads[g]), (moved[h], moved[g]))
            factor = arb(weights[h]) * arb(weights[g]) * shared
            for i, j in itertools.product(range(width), repeat=2):
                spread[i][j] += factor * moved[h].step[i] * moved[g].step[j]
        worst = BALLS.largest([abs(x) for x in [*off, *itertools.chain(*spread)]])
        last = Outcome(balls.at_most(worst, error), difference_in_words(worst))
        return last

    return balls.constructed(balls.settle(test))


CLAIM_TYPES = {
    "output_law": ClaimType(output_law, _say_output_law),
}
