"""Claims about queries over random keys k_i ~ N(μ_i, Σ_i), independent: gaps, noise, failures.

Scores have means m_i and variances e_i (:mod:`regard.certify.lemmas.random_keys`). For chosen keys
S (with weights p):

    mean_gap          m_i - m_j - z √(e_i + e_j) ≥ bound for all i in S, j outside
    mean_weights      |m_i - m_j - ln(p_i/p_j)| ≤ bound for all i, j in S
    score_variance    Σ w (e_i + e_j) over listed pairs, or the largest of them, is ≤ bound
    failure_at_most   Σ Φ(-(m_i - m_j)/√(e_i + e_j)) ≤ bound, over i in S, j outside: the
                      probability that some other key scores higher than some chosen one
"""

from __future__ import annotations

from flint import arb

from regard.certify import balls
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim
from regard.certify.claims.claim_type import ClaimType
from regard.certify.lemmas.random_keys import (
    chosen_of,
    noise_of,
    pair_weights,
    pairs_of,
    read_law,
    target_of,
)


def mean_gap(claim: Claim, certificate: Certificate) -> Decision:
    """Decide m_i - m_j - z √(e_i + e_j) ≥ bound; squares are compared, which need no root."""
    law = read_law(certificate)
    chosen, others = chosen_of(claim, len(law.means))
    deviations = claim.stated.positive_or_zero("deviations")
    bound = claim.stated.number("bound")
    query = claim.witnessed.vector("query", law.means.shape[1])

    def test(numbers: Arithmetic) -> Outcome:
        means, spread = law.scores(query, numbers)
        truths, shown = [], []
        for i in chosen:
            for j in others:
                room = means[i] - means[j] - numbers.number(bound)
                taken = numbers.number(deviations) ** 2 * (spread[i] + spread[j])
                # If nothing is taken off, room ≥ 0 is all that is asked.
                enough = balls.at_most(taken, room**2) if deviations else True
                truths.append(balls.every(balls.at_most(0, room), enough))
                shown.append(arb(taken).nonnegative_part().sqrt() - arb(means[i] - means[j]))
        return Outcome(balls.every(*truths), f"The gap is {balls.show(-BALLS.largest(shown))}.")

    return balls.constructed(balls.settle_algebra(test))


def mean_weights(claim: Claim, certificate: Certificate) -> Decision:
    """Decide |m_i - m_j - ln(p_i/p_j)| ≤ bound."""
    law = read_law(certificate)
    target = target_of(claim, len(law.means))
    bound = claim.stated.number("bound")
    query = claim.witnessed.vector("query", law.means.shape[1])
    alike = len(set(target.values())) == 1

    def test(numbers: Arithmetic) -> Outcome:
        means, _ = law.scores(query, numbers)
        levels = [means[i] if alike else means[i] - arb(p).log() for i, p in target.items()]
        off = numbers.largest(levels) + numbers.largest([-level for level in levels])
        return Outcome(
            balls.at_most(off, numbers.number(bound)), f"They differ by {balls.show(off)}."
        )

    return balls.constructed(
        balls.settle_algebra(test) if alike else balls.settle(lambda: test(BALLS))
    )


def score_variance(claim: Claim, certificate: Certificate) -> Decision:
    """Decide Σ w (e_i + e_j) ≤ bound, or max (e_i + e_j) ≤ bound."""
    law = read_law(certificate)
    pairs = pairs_of(claim.stated.part("pairs"), len(law.means))
    weights = pair_weights(claim, len(pairs))
    bound = claim.stated.number("bound")
    query = claim.witnessed.vector("query", law.means.shape[1])

    def test(numbers: Arithmetic) -> Outcome:
        _, spread = law.scores(query, numbers)
        noise = noise_of(spread, pairs, weights, numbers)
        return Outcome(
            balls.at_most(noise, numbers.number(bound)), f"The variance is {balls.show(noise)}."
        )

    return balls.constructed(balls.settle_algebra(test))


def failure_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Decide Σ Φ(-(m_i - m_j)/√(e_i + e_j)) ≤ bound. A tie without noise counts as a failure."""
    law = read_law(certificate)
    chosen, others = chosen_of(claim, len(law.means))
    bound = arb(claim.stated.number("bound"))
    query = claim.witnessed.vector("query", law.means.shape[1])

    def test() -> Outcome:
        means, spread = law.scores(query, BALLS)
        terms = (
            _below_zero(means[i] - means[j], spread[i] + spread[j]) for i in chosen for j in others
        )
        total = sum(terms, arb(0))
        return Outcome(
            balls.at_most(total, bound), f"The probabilities sum to {balls.show(total)}."
        )

    return balls.constructed(balls.settle(test))


def _below_zero(mean: arb, variance: arb) -> arb:
    """Return P(x ≤ 0) for x ~ N(mean, variance)."""
    if variance <= 0:
        return arb(0) if mean > 0 else arb(1) if mean <= 0 else arb(0.5, 0.5)
    if variance > 0:
        return (mean / (2 * variance).sqrt()).erfc() / 2
    # Nobody knows yet whether there is noise; a mean above 0 fails at most as for the most noise.
    most = variance.upper()
    if mean > 0 and most > 0:
        return arb(0).union((mean / (2 * most).sqrt()).erfc() / 2)
    return arb(0.5, 0.5)


CLAIM_TYPES = {
    "mean_gap": ClaimType(
        mean_gap,
        "the score of {chosen_keys} is above that of every other key by at least {bound:down} "
        "in the mean{less_deviations}",
    ),
    "mean_weights": ClaimType(
        mean_weights,
        "the query {scores_in_the_mean}, within {bound:up}",
    ),
    "score_variance": ClaimType(score_variance, "the {noise} is at most {bound:up}"),
    "failure_at_most": ClaimType(
        failure_at_most,
        "the probability that another key scores higher than {chosen_keys} is at most {bound:up}",
    ),
}
