"""Claims about queries over random keys k_i ~ N(μ_i, Σ_i), independent: gaps, noise, failures.

With the arrays means (n, d) and covariances (n, d, d), the scores s_i = scale · q·k_i have means
m_i = scale · q·μ_i and variances e_i = scale² q·Σ_i q. A Σ_i that is positive semidefinite up to
rounding only is raised by its shortfall (:mod:`.semidefinite`), and no e_i is below 0. For chosen
keys S (with weights p):

    mean_gap          m_i - m_j - z √(e_i + e_j) ≥ bound for all i in S, j outside
    mean_weights      |m_i - m_j - ln(p_i/p_j)| ≤ bound for all i, j in S
    score_variance    Σ w (e_i + e_j) over listed pairs, or the largest of them, is ≤ bound
    failure_at_most   Σ Φ(-(m_i - m_j)/√(e_i + e_j)) ≤ bound, over i in S, j outside: the
                      probability that some other key scores higher than some chosen one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.kind import Kind
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
    chosen = reading.indices(reading.part(claim.fields, "chosen"), "chosen", count)
    others = np.setdiff1d(np.arange(count), chosen).tolist()
    if not others:
        raise Unusable("chosen are all keys, so that there are no others.")
    return chosen, others


def target_of(claim: Claim, count: int) -> dict[int, Number]:
    """Return the chosen keys with their weights, which must be above 0."""
    target: dict[int, Number] = {
        **reading.weighted(reading.part(claim.fields, "target"), "target", count)
    }
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
    value = reading.part(claim.fields, "weights")
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


def keys_in_words(places: Sequence[Any]) -> str:
    """Name keys: "key 2", "keys 0, 1", "the 7 chosen keys"."""
    if len(places) > 5:
        return f"the {len(places)} chosen keys"
    return f"key{'s' * (len(places) > 1)} {', '.join(str(place) for place in places)}"


def deviations_in_words(claim: Claim) -> str:
    """Say how many standard deviations are taken off a gap."""
    deviations = reading.number(claim.fields["deviations"], "deviations")
    return f", less {reading.exactly(deviations)} standard deviations" if deviations else ""


def weights_in_words(target: Any) -> str:
    """Say how the mean scores of keys must differ: "scores keys 0, 1 alike in the mean"."""
    places = reading.listed(reading.part(target, "indices"), "indices")
    weights = [
        reading.number(w, "weights")
        for w in reading.listed(reading.part(target, "weights"), "weights")
    ]
    if len(set(weights)) == 1:
        return f"scores {keys_in_words(places)} alike in the mean"
    few = f" {', '.join(reading.exactly(w) for w in weights)}" if len(weights) <= 5 else " given"
    return (
        f"gives {keys_in_words(places)} mean scores that differ as the logarithms of the weights"
        f"{few}"
    )


def noise_in_words(claim: Claim) -> str:
    """Name the variance that a claim is about."""
    pairs = reading.listed(claim.fields["pairs"], "pairs")
    weights = claim.fields["weights"]
    if len(pairs) == 1 and (weights is None or reading.listed(weights, "weights") == [1.0]):
        return f"variance of the score difference of keys {pairs[0][0]}, {pairs[0][1]}"
    which = "largest variance" if weights is None else "weighted sum of the variances"
    return f"{which} of {len(pairs)} score difference{'s' * (len(pairs) > 1)}"


def say_mean_gap(claim: Claim) -> str:
    """Return a claim of the kind `mean_gap` as a sentence."""
    return (
        f"the score of {keys_in_words(reading.listed(claim.fields['chosen'], 'chosen'))} is above "
        f"that of every other key by at least {reading.down(claim.fields['bound'])} in the mean"
        f"{deviations_in_words(claim)}"
    )


def mean_gap(claim: Claim, certificate: Certificate) -> Decision:
    """Decide m_i - m_j - z √(e_i + e_j) ≥ bound; squares are compared, which need no root."""
    law = read_law(certificate)
    chosen, others = chosen_of(claim, len(law.means))
    deviations = reading.positive_or_zero(reading.part(claim.fields, "deviations"), "deviations")
    bound = reading.number(reading.part(claim.fields, "bound"), "bound")
    query = reading.vector(reading.part(claim.witness, "query"), "query", law.means.shape[1])

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


def say_mean_weights(claim: Claim) -> str:
    """Return a claim of the kind `mean_weights` as a sentence."""
    words = weights_in_words(claim.fields["target"])
    return f"the query {words}, within {reading.up(claim.fields['bound'])}"


def mean_weights(claim: Claim, certificate: Certificate) -> Decision:
    """Decide |m_i - m_j - ln(p_i/p_j)| ≤ bound."""
    law = read_law(certificate)
    target = target_of(claim, len(law.means))
    bound = reading.number(reading.part(claim.fields, "bound"), "bound")
    query = reading.vector(reading.part(claim.witness, "query"), "query", law.means.shape[1])
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


def say_score_variance(claim: Claim) -> str:
    """Return a claim of the kind `score_variance` as a sentence."""
    return f"the {noise_in_words(claim)} is at most {reading.up(claim.fields['bound'])}"


def score_variance(claim: Claim, certificate: Certificate) -> Decision:
    """Decide Σ w (e_i + e_j) ≤ bound, or max (e_i + e_j) ≤ bound."""
    law = read_law(certificate)
    pairs = pairs_of(reading.part(claim.fields, "pairs"), len(law.means))
    weights = pair_weights(claim, len(pairs))
    bound = reading.number(reading.part(claim.fields, "bound"), "bound")
    query = reading.vector(reading.part(claim.witness, "query"), "query", law.means.shape[1])

    def test(numbers: Arithmetic) -> Outcome:
        _, spread = law.scores(query, numbers)
        noise = noise_of(spread, pairs, weights, numbers)
        return Outcome(
            balls.at_most(noise, numbers.number(bound)), f"The variance is {balls.show(noise)}."
        )

    return balls.constructed(balls.settle_algebra(test))


def say_failure_at_most(claim: Claim) -> str:
    """Return a claim of the kind `failure_at_most` as a sentence."""
    return (
        f"the probability that another key scores higher than "
        f"{keys_in_words(reading.listed(claim.fields['chosen'], 'chosen'))} is at most "
        f"{reading.up(claim.fields['bound'])}"
    )


def failure_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Decide Σ Φ(-(m_i - m_j)/√(e_i + e_j)) ≤ bound. A tie without noise counts as a failure."""
    law = read_law(certificate)
    chosen, others = chosen_of(claim, len(law.means))
    bound = arb(reading.number(reading.part(claim.fields, "bound"), "bound"))
    query = reading.vector(reading.part(claim.witness, "query"), "query", law.means.shape[1])

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


KINDS = {
    "mean_gap": Kind(mean_gap, say_mean_gap),
    "mean_weights": Kind(mean_weights, say_mean_weights),
    "score_variance": Kind(score_variance, say_score_variance),
    "failure_at_most": Kind(failure_at_most, say_failure_at_most),
}
