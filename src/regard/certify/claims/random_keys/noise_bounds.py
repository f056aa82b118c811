"""Claims about all queries over random keys: how little noise, and how much gap, there can be.

The law of the scores is that of :mod:`regard.certify.lemmas.random_keys`. A query q is *admissible*
for a target if m_i - m_j = ln(p_i/p_j) for all chosen i, j. Let l be the chosen key of least weight
and c the first one.

    variance_at_least   Σ w (e_i + e_j) ≥ bound (or max (e_i + e_j) ≥ bound) for every admissible q
                        of length up to radius with m_i - m_j ≥ gap for all i chosen, j outside
    gap_at_most         for every admissible q of length up to radius, the least m_i - m_j -
                        z √(e_i + e_j) over i chosen, j outside, is ≤ bound

Proof of the first. Let M = scale² Σ w (Σ_i + Σ_j); for the largest, w may be any weights ≥ 0 that
sum to 1, as an average is at most the largest. Take multipliers y_j ≥ 0 and t_k, a point x, λ ≥ 0
and μ > 0 with M + λI ⪰ μI, and

    u = scale (Σ y_j (μ_l - μ_j) + Σ t_k (μ_c - μ_k)),    r = 2 (M + λI) x - u.

u·q ≥ gap Σ y_j + Σ t_k ln(p_c/p_k) =: b, and f(q) = q·(M + λI)q - u·q is convex:

    f(q) = f(x) + r·(q - x) + (q - x)·(M + λI)(q - x) ≥ f(x) - ‖r‖²/(4μ),
    q·Mq ≥ f(x) - ‖r‖²/(4μ) + b - λ radius².

With λ = 0 there need be no radius.

Proof of the second. For shares y_ij ≥ 0 that sum to 1 the least is at most the average. With any
x_ij, Cauchy-Schwarz for C = Σ_i + Σ_j + ridge I ⪰ 0 gives √(q·Cq) ≥ q·Cx / max(1, √(x·Cx)), and
√(q·(Σ_i + Σ_j)q) ≥ √(q·Cq) - √ridge ‖q‖. So with

    u = scale (Σ y_ij (μ_i - μ_j) + Σ t_k (μ_c - μ_k)) - |scale| z Σ y_ij C x_ij / max(1, √(x·Cx))

the gap is at most radius (‖u‖ + |scale| z √ridge) - Σ t_k ln(p_c/p_k).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.lemmas.random_keys import (
    Law,
    deviations_in_words,
    keys_in_words,
    noise_in_words,
    noise_of,
    pair_weights,
    pairs_of,
    read_law,
    target_of,
    weights_in_words,
)


def _within(claim: Claim) -> str:
    reach = reading.part(claim.fields, "radius")
    return "" if reach is None else f" of length up to {reading.down(reach)}"


def _others(target: dict[int, Number], count: int) -> list[int]:
    others = [j for j in range(count) if j not in target]
    if not others:
        raise Unusable("target are all keys, so that there are no others.")
    return others


def _ties(claim: Claim, target: dict[int, Number]) -> tuple[list[Number], list[tuple[int, int]]]:
    """Return the multipliers t_k and the pairs (c, k) that they belong to."""
    first, *rest = target
    entries = reading.listed(reading.part(claim.witness, "ties"), "ties", len(rest))
    return [reading.number(entry, "ties") for entry in entries], [(first, k) for k in rest]


def _logarithm(target: dict[int, Number], i: int, j: int) -> arb:
    """Return ln(p_i/p_j), exactly 0 for equal weights."""
    return arb(0) if target[i] == target[j] else (arb(target[i]) / arb(target[j])).log()


def _differences(law: Law, terms: list[tuple[tuple[int, int], arb]]) -> list[arb]:
    """Return scale Σ factor (μ_i - μ_j)."""
    factors = [arb(0)] * len(law.means)
    for (i, j), factor in terms:
        factors[i] += factor * law.scale
        factors[j] -= factor * law.scale
    return balls.combine(factors, law.means, BALLS)


def _times(rows: Float64, x: list[arb]) -> list[arb]:
    return list((BALLS.read(rows) * BALLS.matrix(len(x), 1, x)).entries())


def _admissible(
    claim: Claim,
    law: Law,
    target: dict[int, Number],
    contradiction: Callable[[list[Any], list[Any], Arithmetic], bool | None],
) -> Callable[[], Outcome]:
    """Return the question whether the query "attained_by" contradicts a claim."""

    def refutation() -> Outcome:
        query = reading.vector(
            reading.part(claim.witness, "attained_by"), "attained_by", law.means.shape[1]
        )
        reach = reading.radius(claim.fields)
        if len(set(target.values())) > 1:
            raise Unusable("no query has exactly these differences.")

        def test(numbers: Arithmetic) -> Outcome:
            entries = [numbers.number(entry) for entry in query.tolist()]
            within = True if reach is None else balls.norm_at_most(entries, reach, numbers)
            means, spread = law.scores(query, numbers)
            levels = [means[i] for i in target]
            alike = balls.at_most(numbers.largest(levels), -numbers.largest([-m for m in levels]))
            truth = balls.every(within, alike, contradiction(means, spread, numbers))
            return Outcome(truth, "A query contradicts it.")

        return balls.settle_algebra(test)

    return refutation


def say_variance_at_least(claim: Claim) -> str:
    """Return a claim of the kind `variance_at_least` as a sentence."""
    return (
        f"every query{_within(claim)} that {_lifts(claim)} above every other key by a mean gap of "
        f"at least {reading.exactly(claim.fields['gap'])} has a {noise_in_words(claim)} of at "
        f"least {reading.down(claim.fields['bound'])}"
    )


def _lifts(claim: Claim) -> str:
    """Word what admissible queries do: "scores keys 0, 1 alike in the mean and lifts them"."""
    target = claim.fields["target"]
    places = reading.listed(target["indices"], "indices")
    if len(places) == 1:
        return f"lifts {keys_in_words(places)}"
    return f"{weights_in_words(target)} and lifts them"


def variance_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it from multipliers (rows y, ties t, ridge λ, floor μ, mixture w) and a point x."""
    law = read_law(certificate)
    count, width = law.means.shape
    target = target_of(claim, count)
    others = _others(target, count)
    pairs = pairs_of(reading.part(claim.fields, "pairs"), count)
    fixed = pair_weights(claim, len(pairs))
    gap = reading.number(reading.part(claim.fields, "gap"), "gap")
    bound = arb(reading.number(reading.part(claim.fields, "bound"), "bound"))
    reach = reading.radius(claim.fields)
    lowest = min(target, key=lambda i: target[i])

    def proof() -> Outcome:
        witness = claim.witness
        x = reading.vector(reading.part(witness, "point"), "point", width).tolist()
        entries = reading.listed(reading.part(witness, "rows"), "rows", len(others))
        rows = [reading.positive_or_zero(entry, "rows") for entry in entries]
        ties, tied = _ties(claim, target)
        ridge = reading.positive_or_zero(reading.part(witness, "ridge"), "ridge")
        floor = reading.positive_or_zero(reading.part(witness, "floor"), "floor")
        if floor == 0 or (ridge and reach is None):
            raise Unusable("floor must be above 0, and a ridge needs a radius.")
        mixture = (
            {}
            if fixed is not None
            else reading.combination(reading.part(witness, "mixture"), "mixture", len(pairs))
        )

        def test() -> Outcome:
            if fixed is not None:
                counted = dict(enumerate(arb(weight) for weight in fixed))
            else:
                averaged = balls.shares(list(mixture.values()), BALLS)
                counted = dict(zip(mixture, averaged, strict=True))
            per_key = [arb(0)] * count
            for place, weight in counted.items():
                for key in pairs[place]:
                    per_key[key] += weight * law.scale * law.scale
            flat = balls.combine(per_key, law.covariances.reshape(count, -1), BALLS)
            form = [flat[at : at + width] for at in range(0, len(flat), width)]
            for at in range(width):
                form[at][at] += ridge
            raised = [
                [entry - floor * (i == j) for j, entry in enumerate(row)]
                for i, row in enumerate(form)
            ]
            terms = [((lowest, j), arb(y)) for j, y in zip(others, rows, strict=True)]
            terms += [(pair, arb(t)) for pair, t in zip(tied, ties, strict=True)]
            level = gap * sum((arb(y) for y in rows), arb(0))
            for pair, t in zip(tied, ties, strict=True):
                level += t * _logarithm(target, *pair)
            u = _differences(law, terms)
            image = [sum((a * b for a, b in zip(row, x, strict=True)), arb(0)) for row in form]
            off = [2 * a - b for a, b in zip(image, u, strict=True)]
            value = sum(((a - b) * c for a, b, c in zip(image, u, x, strict=True)), level)
            value -= balls.squared(off) / (4 * arb(floor))
            if reach is not None:
                value -= ridge * arb(reach) ** 2
            truth = balls.at_most(bound, value)
            if truth:  # the factors take longest
                truth = balls.definite(raised)
            return Outcome(truth, f"The variance is at least {balls.show(value)}.")

        return balls.settle(test)

    def contradiction(means: list[Any], spread: list[Any], numbers: Arithmetic) -> bool | None:
        apart = [means[lowest] - means[j] - numbers.number(gap) for j in others]
        noise = noise_of(spread, pairs, fixed, numbers)
        lifted = [balls.at_most(0, difference) for difference in apart]
        return balls.every(
            *lifted,
            balls.less(noise, numbers.number(reading.number(claim.fields["bound"], "bound"))),
        )

    return balls.for_all(proof, _admissible(claim, law, target, contradiction))


def say_gap_at_most(claim: Claim) -> str:
    """Return a claim of the kind `gap_at_most` as a sentence."""
    return (
        f"no query{_within(claim)} {_lifts(claim)} above every other key by more than "
        f"{reading.up(claim.fields['bound'])} in the mean{deviations_in_words(claim)}"
    )


def gap_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it from shares y of pairs, ties t and, for each pair, a direction x."""
    law = read_law(certificate)
    count, width = law.means.shape
    target = target_of(claim, count)
    others = _others(target, count)
    deviations = reading.positive_or_zero(reading.part(claim.fields, "deviations"), "deviations")
    bound = reading.number(reading.part(claim.fields, "bound"), "bound")
    reach = reading.radius(claim.fields)

    def proof() -> Outcome:
        if reach is None:
            raise Unusable("a radius is needed.")
        witness = claim.witness
        pairs = pairs_of(reading.part(witness, "pairs"), count)
        if any(i not in target or j in target for i, j in pairs):
            raise Unusable("pairs must be of a chosen key and another one.")
        weights = reading.combination(reading.part(witness, "shares"), "shares", len(pairs))
        ties, tied = _ties(claim, target)
        ridge = reading.positive_or_zero(reading.part(witness, "ridge"), "ridge")
        if deviations:
            directions = reading.matrix(
                reading.part(witness, "directions"), "directions", len(pairs), width
            )

        def test() -> Outcome:
            total = sum((arb(w) for w in weights.values()), arb(0))
            terms = [(pairs[at], arb(w) / total) for at, w in weights.items()]
            taken = [arb(0)] * width
            proved: bool | None = True
            known: dict[bytes, bool | None] = {}
            for at, share in ((at, arb(w) / total) for at, w in weights.items()):
                if not deviations:
                    continue
                i, j = pairs[at]
                first, second = law.covariances[i], law.covariances[j]
                x = [arb(entry) for entry in directions[at].tolist()]
                image = [
                    a + b + ridge * c
                    for a, b, c in zip(_times(first, x), _times(second, x), x, strict=True)
                ]
                length = sum((a * b for a, b in zip(image, x, strict=True)), arb(0))
                shrunk = length.nonnegative_part().sqrt().max(arb(1))
                factor = abs(arb(law.scale)) * deviations * share / shrunk
                taken = [a + factor * b for a, b in zip(taken, image, strict=True)]
                name = first.tobytes() + second.tobytes()
                if name not in known:
                    known[name] = _semidefinite(first, second, ridge)
                proved = balls.every(proved, known[name])
            tail = arb(0)
            for pair, t in zip(tied, ties, strict=True):
                terms.append((pair, arb(t) / total))
                tail += t * _logarithm(target, *pair) / total
            u = _differences(law, terms)
            rest = balls.norm([a - b for a, b in zip(u, taken, strict=True)])
            rest += abs(arb(law.scale)) * deviations * arb(ridge).sqrt()
            gap = reach * rest - tail
            return Outcome(
                balls.every(balls.at_most(gap, arb(bound)), proved),
                f"The gap is at most {balls.show(gap)}.",
            )

        return balls.settle(test)

    def contradiction(means: list[Any], spread: list[Any], numbers: Arithmetic) -> bool | None:
        truths = []
        for i in target:
            for j in others:
                room = means[i] - means[j] - numbers.number(bound)
                taken = numbers.number(deviations) ** 2 * (spread[i] + spread[j])
                truths.append(balls.every(balls.less(0, room), balls.less(taken, room**2)))
        return balls.every(*truths)

    return balls.for_all(proof, _admissible(claim, law, target, contradiction))


def _semidefinite(first: Float64, second: Float64, ridge: Number) -> bool | None:
    """Is the sum of two matrices, and of the ridge on its diagonal, positive semidefinite?"""
    rows = (BALLS.read(first) + BALLS.read(second)).tolist()
    for at, row in enumerate(rows):
        row[at] += ridge
    return balls.definite(rows, semi=True)


CLAIM_TYPES = {
    "variance_at_least": ClaimType(variance_at_least, say_variance_at_least),
    "gap_at_most": ClaimType(gap_at_most, say_gap_at_most),
}
