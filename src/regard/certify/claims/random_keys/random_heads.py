"""Heads over random keys k_i ~ N(μ_i, Σ_i), independent: what is exactly true of their scores.

A head *varies through key a* if q·Σ_i q = 0 for every other key i, exactly. Then its scores have
one random number in them, Z = s_a - ln Σ_{i≠a} exp(s_i), which is normal. (Of two keys both may
vary: then Z = s_0 - s_1.)

    heads_independent   the scores of two heads are independent: q_h·Σ_i q_g = 0 for all i (or not)
    score_differences   s_i - s_j ~ N(m, e) with these m and e, within error, for listed pairs
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq

from regard.certify import balls, reading
from regard.certify.balls import EXACT, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.worked_examples.computed import difference_in_words, in_digits
from regard.certify.lemmas.random_keys import Law, pairs_of, read_law


def independence_claim(first: int, second: int, independent: bool, *, queries: Any) -> Claim:
    """Return the claim that the scores of two heads are independent, or that they are not."""
    fields = {"heads": [first, second], "independent": independent}
    return Claim("heads_independent", fields, {"queries": queries})


def differences_claim(pairs: Any, means: Any, variances: Any, error: float, *, query: Any) -> Claim:
    """Return the claim that score differences have these means and variances."""
    fields = {"pairs": pairs, "means": means, "variances": variances, "error": error}
    return Claim("score_differences", fields, {"query": query})


@dataclass(frozen=True)
class Head:
    """A head whose scores have at most one random number in them."""

    means: list[fmpq]  # of the scores
    key: int  # the key that varies, or the first one
    signs: list[int]  # Z = Σ sign · score + what does not vary
    variance: fmpq  # of Z


class Heads:
    """Heads over random keys, with everything about their scores in rationals."""

    def __init__(self, law: Law, queries: Float64) -> None:
        self.law, self.queries = law, queries
        count, width = law.means.shape
        if count == 0 or len(queries) == 0:
            raise Unusable("there must be keys and queries.")
        if law.shortfalls.any():
            raise Unusable("a covariance is positive semidefinite up to rounding only.")
        self.q = [
            [balls.rational(law.scale) * balls.rational(x) for x in row] for row in queries.tolist()
        ]
        flat = law.covariances.reshape(-1, width)
        self.pulled = []  # Σ_i q_h, one by one
        for q in self.q:
            entries = balls.products(flat, q, EXACT)
            self.pulled.append([entries[at : at + width] for at in range(0, len(entries), width)])
        for i in range(count):
            gram = [[self.joint(h, g, i) for g in range(len(self.q))] for h in range(len(self.q))]
            if not balls.definite(gram, semi=True):
                raise Unusable(f"the covariance of key {i} gives scores a negative variance.")

    def joint(self, h: int, g: int, i: int) -> fmpq:
        """Return the covariance of the scores of key i in two heads."""
        pairs = zip(self.pulled[h][i], self.q[g], strict=True)
        return sum((a * b for a, b in pairs), fmpq(0))

    def head(self, h: int) -> Head:
        """Return a head, through which at most one key may vary."""
        means = balls.products(self.law.means, self.q[h], EXACT)
        spread = [self.joint(h, h, i) for i in range(len(means))]
        varying = [i for i, variance in enumerate(spread) if variance != 0]
        signs = [int(i in varying) for i in range(len(means))]
        if len(varying) > 1:
            if len(means) > 2:
                raise Unusable(f"{len(varying)} keys vary in head {h}, and at most one may.")
            signs = [1, -1]
        return Head(means, (varying or [0])[0], signs, sum(spread, fmpq(0)))

    def covariance(self, h: int, g: int, first: Head, second: Head) -> fmpq:
        """Return the covariance of the score differences Z_h and Z_g of two heads."""
        signs = enumerate(zip(first.signs, second.signs, strict=True))
        return sum((a * b * self.joint(h, g, i) for i, (a, b) in signs if a and b), fmpq(0))


def head_weights_of(claim: Claim, heads: int) -> list[fmpq]:
    """Return what each head counts; by default all count alike and sum to 1."""
    weights = claim.witness.get("head_weights")
    if weights is None:
        return [fmpq(1, heads)] * heads
    entries = reading.listed(weights, "head_weights", heads)
    return [balls.rational(reading.exact(entry, "head_weights")) for entry in entries]


def _say_heads_independent(claim: Claim) -> str:
    first, second = reading.listed(claim.fields["heads"], "heads", 2)
    how = "independent" if claim.fields["independent"] else "correlated, not independent"
    return f"the scores of heads {first} and {second} are {how}"


def heads_independent(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether q_h·Σ_i q_g = 0 for all keys i, in rationals."""
    law = read_law(certificate)
    queries = claim.witnessed.matrix("queries", columns=law.means.shape[1])
    places = claim.stated.listed("heads", 2)
    h, g = (reading.index(place, "heads", len(queries)) for place in places)
    independent = claim.stated.part("independent")
    if h == g or not isinstance(independent, bool):
        raise Unusable("heads must be two, and independent true or false.")
    heads = Heads(law, queries)
    joint = [heads.joint(h, g, i) for i in range(len(law.means))]
    key = max(range(len(joint)), key=lambda i: abs(joint[i]))
    reason = f"The largest covariance of scores is {balls.show(joint[key])}, at key {key}."
    return balls.constructed(Outcome((joint[key] == 0) == independent, reason))


def _say_score_differences(claim: Claim) -> str:
    fields = claim.fields
    pairs = reading.listed(fields["pairs"], "pairs")
    near = f"within {reading.up(fields['error'])}" if fields["error"] else "exactly"
    if len(pairs) > 3:
        return f"{len(pairs)} score differences have the means and variances given, {near}"
    text = "; ".join(
        f"that of keys {i} and {j} has mean {in_digits(m)} and variance {in_digits(e)}"
        for (i, j), m, e in zip(pairs, fields["means"], fields["variances"], strict=True)
    )
    return f"of the score differences, {text}, {near}"


def score_differences(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether m_i - m_j and e_i + e_j are the stated ones."""
    law = read_law(certificate)
    pairs = pairs_of(claim.stated.part("pairs"), len(law.means))
    stated = [
        [reading.exact(x, name) for x in reading.listed(claim.stated.part(name), name, len(pairs))]
        for name in ("means", "variances")
    ]
    error = claim.stated.positive_or_zero("error")
    query = claim.witnessed.vector("query", law.means.shape[1])

    def test(numbers: Arithmetic) -> Outcome:
        means, spread = law.scores(query, numbers)
        if any(variance < 0 for variance in spread):
            raise Unusable("a covariance gives a score a negative variance.")
        off = []
        for (i, j), mean, variance in zip(pairs, *stated, strict=True):
            off.append(abs(means[i] - means[j] - numbers.number(mean)))
            off.append(abs(spread[i] + spread[j] - numbers.number(variance)))
        worst = numbers.largest(off)
        return Outcome(balls.at_most(worst, numbers.number(error)), difference_in_words(worst))

    return balls.constructed(balls.settle_algebra(test))


CLAIM_TYPES = {
    "heads_independent": ClaimType(heads_independent, _say_heads_independent),
    "score_differences": ClaimType(score_differences, _say_score_differences),
}
