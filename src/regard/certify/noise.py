"""Claims about queries over random keys k_i ~ N(μ_i, Σ_i), independent: gaps, noise, failures.

With the arrays means (n, d) and covariances (n, d, d), the scores s_i = scale · q·k_i have means
m_i = scale · q·μ_i and variances e_i = scale² q·Σ_i q. Where rounding has left e_i + e_j below
0 it counts as 0. For chosen keys S (with weights p):

    mean_gap          m_i - m_j - z √(e_i + e_j) ≥ bound for all i in S, j outside
    mean_weights      |m_i - m_j - ln(p_i/p_j)| ≤ bound for all i, j in S
    score_variance    Σ w (e_i + e_j) over listed pairs, or the largest of them, is ≤ bound
    failure_at_most   Σ Φ(-(m_i - m_j)/√(e_i + e_j)) ≤ bound, over i in S, j outside: the
                      probability that some other key scores higher than some chosen one

A query q is *admissible* for a target if m_i - m_j =
ln(p_i/p_j) for all chosen i, j. Let l be the chosen key of least weight and c the first one.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from regard.certify.balls import (
    BALLS,
    Arithmetic,
    Decision,
    Outcome,
    at_most,
    combine,
    constructed,
    definite,
    every,
    for_all,
    less,
    norm,
    norm_at_most,
    products,
    settle,
    settle_algebra,
    shares,
    show,
    squared,
)
from regard.certify.certificate import (
    Certificate,
    Claim,
    Float64,
    Number,
    Unusable,
    combination,
    down,
    given,
    index,
    indices,
    listed,
    matrix,
    number,
    part,
    positive_or_zero,
    radius,
    up,
    vector,
    weighted,
)


@dataclass(frozen=True)
class _Law:
    """The law of the keys that a certificate is about."""

    means: Float64
    covariances: Float64
    scale: Number

    def scores(self, query: Float64, numbers: Arithmetic) -> tuple[list[Any], list[Any]]:
        """Return the means m_i and variances e_i of the scores of a query."""
        q = [numbers.number(self.scale) * numbers.number(entry) for entry in query.tolist()]
        width = len(q)
        pulled = products(self.covariances.reshape(-1, width), q, numbers)  # Σ_i q, one by one
        spread = [
            sum((a * b for a, b in zip(q, pulled[at : at + width], strict=True)), numbers.number(0))
            for at in range(0, len(pulled), width)
        ]
        return products(self.means, q, numbers), spread


def _read_law(certificate: Certificate) -> _Law:
    """Return means and covariances, which must be symmetric."""
    means = given(certificate, "means")
    count, width = means.shape
    stack = np.asarray(part(certificate.arrays, "covariances"))
    if stack.shape != (count, width, width):
        raise Unusable(
            f"covariances must have shape {(count, width, width)}, and has {stack.shape}."
        )
    flat = matrix(stack.reshape(count * width, width), "covariances")
    covariances = flat.reshape(count, width, width)
    if not np.array_equal(covariances, covariances.swapaxes(1, 2)):
        raise Unusable("covariances must be symmetric.")
    return _Law(means, covariances, number(certificate.scale, "scale"))


def _chosen(claim: Claim, count: int) -> tuple[list[int], list[int]]:
    """Return the chosen keys and the others; there must be some of both."""
    chosen = indices(part(claim.fields, "chosen"), "chosen", count)
    others = np.setdiff1d(np.arange(count), chosen).tolist()
    if not others:
        raise Unusable("chosen are all keys, so that there are no others.")
    return chosen, others


def _target(claim: Claim, count: int) -> dict[int, Number]:
    """Return the chosen keys with their weights, which must be above 0."""
    target: dict[int, Number] = {**weighted(part(claim.fields, "target"), "target", count)}
    if any(weight <= 0 for weight in target.values()):
        raise Unusable("the weights of target must be above 0.")
    return target


def _pairs(value: Any, count: int) -> list[tuple[int, int]]:
    """Return pairs of two different keys, at least one."""
    found = []
    for entry in listed(value, "pairs"):
        i, j = (index(place, "pairs", count) for place in listed(entry, "a pair", 2))
        if i == j:
            raise Unusable("a pair must be of two different keys.")
        found.append((i, j))
    if not found:
        raise Unusable("pairs must not be empty.")
    return found


def _pair_weights(claim: Claim, count: int) -> list[Number] | None:
    """Return what each pair counts, ≥ 0; None: the largest counts."""
    value = part(claim.fields, "weights")
    if value is None:
        return None
    return [positive_or_zero(weight, "weights") for weight in listed(value, "weights", count)]


def _noise(
    spread: list[Any],
    pairs: list[tuple[int, int]],
    weights: list[Number] | None,
    numbers: Arithmetic,
) -> Any:
    """Return Σ w (e_i + e_j), or the largest e_i + e_j."""
    nothing = numbers.number(0)
    sums = [numbers.largest([spread[i] + spread[j], nothing]) for i, j in pairs]
    if weights is None:
        return numbers.largest(sums)
    return sum((numbers.number(w) * e for w, e in zip(weights, sums, strict=True)), nothing)


def _keys_in_words(places: Sequence[Any]) -> str:
    """Name keys: "key 2", "keys 0, 1", "the 7 chosen keys"."""
    if len(places) > 5:
        return f"the {len(places)} chosen keys"
    return f"key{'s' * (len(places) > 1)} {', '.join(str(place) for place in places)}"


def _deviations_in_words(claim: Claim) -> str:
    """Say how many standard deviations are taken off a gap."""
    deviations = number(claim.fields["deviations"], "deviations")
    return f", less {deviations:.6g} standard deviations" if deviations else ""


def _noise_in_words(claim: Claim) -> str:
    """Name the variance that a claim is about."""
    pairs = listed(claim.fields["pairs"], "pairs")
    weights = claim.fields["weights"]
    if len(pairs) == 1 and (weights is None or listed(weights, "weights") == [1.0]):
        return f"variance of the score difference of keys {pairs[0][0]}, {pairs[0][1]}"
    which = "largest variance" if weights is None else "weighted sum of the variances"
    return f"{which} of {len(pairs)} score difference{'s' * (len(pairs) > 1)}"


def say_mean_gap(claim: Claim) -> str:
    """Word the claim."""
    return (
        f"the score of {_keys_in_words(listed(claim.fields['chosen'], 'chosen'))} is above that of "
        f"every other key by at least {down(claim.fields['bound'])} in the mean"
        f"{_deviations_in_words(claim)}"
    )


def mean_gap(claim: Claim, certificate: Certificate) -> Decision:
    """Decide m_i - m_j - z √(e_i + e_j) ≥ bound; squares are compared, which need no root."""
    law = _read_law(certificate)
    chosen, others = _chosen(claim, len(law.means))
    deviations = positive_or_zero(part(claim.fields, "deviations"), "deviations")
    bound = number(part(claim.fields, "bound"), "bound")
    query = vector(part(claim.witness, "query"), "query", law.means.shape[1])

    def test(numbers: Arithmetic) -> Outcome:
        means, spread = law.scores(query, numbers)
        truths, shown = [], []
        for i in chosen:
            for j in others:
                room = means[i] - means[j] - numbers.number(bound)
                taken = numbers.number(deviations) ** 2 * (spread[i] + spread[j])
                # If nothing is taken off, room ≥ 0 is all that is asked.
                enough = at_most(taken, room**2) if deviations else True
                truths.append(every(at_most(0, room), enough))
                shown.append(arb(taken).nonnegative_part().sqrt() - arb(means[i] - means[j]))
        return Outcome(every(*truths), f"The gap is {show(-BALLS.largest(shown))}.")

    return constructed(settle_algebra(test))


def say_mean_weights(claim: Claim) -> str:
    """Word the claim."""
    places = listed(claim.fields["target"]["indices"], "indices")
    return (
        f"the mean scores of {_keys_in_words(places)} differ as the logarithms of their weights, "
        f"within {up(claim.fields['bound'])}"
    )


def mean_weights(claim: Claim, certificate: Certificate) -> Decision:
    """Decide |m_i - m_j - ln(p_i/p_j)| ≤ bound."""
    law = _read_law(certificate)
    target = _target(claim, len(law.means))
    bound = number(part(claim.fields, "bound"), "bound")
    query = vector(part(claim.witness, "query"), "query", law.means.shape[1])
    alike = len(set(target.values())) == 1

    def test(numbers: Arithmetic) -> Outcome:
        means, _ = law.scores(query, numbers)
        levels = [means[i] if alike else means[i] - arb(p).log() for i, p in target.items()]
        off = numbers.largest(levels) + numbers.largest([-level for level in levels])
        return Outcome(at_most(off, numbers.number(bound)), f"They differ by {show(off)}.")

    return constructed(settle_algebra(test) if alike else settle(lambda: test(BALLS)))


def say_score_variance(claim: Claim) -> str:
    """Word the claim."""
    return f"the {_noise_in_words(claim)} is at most {up(claim.fields['bound'])}"


def score_variance(claim: Claim, certificate: Certificate) -> Decision:
    """Decide Σ w (e_i + e_j) ≤ bound, or max (e_i + e_j) ≤ bound."""
    law = _read_law(certificate)
    pairs = _pairs(part(claim.fields, "pairs"), len(law.means))
    weights = _pair_weights(claim, len(pairs))
    bound = number(part(claim.fields, "bound"), "bound")
    query = vector(part(claim.witness, "query"), "query", law.means.shape[1])

    def test(numbers: Arithmetic) -> Outcome:
        _, spread = law.scores(query, numbers)
        noise = _noise(spread, pairs, weights, numbers)
        return Outcome(at_most(noise, numbers.number(bound)), f"The variance is {show(noise)}.")

    return constructed(settle_algebra(test))


def say_failure_at_most(claim: Claim) -> str:
    """Word the claim."""
    return (
        f"the probability that another key scores higher than "
        f"{_keys_in_words(listed(claim.fields['chosen'], 'chosen'))} is at most "
        f"{up(claim.fields['bound'])}"
    )


def failure_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Decide Σ Φ(-(m_i - m_j)/√(e_i + e_j)) ≤ bound. A tie without noise counts as a failure."""
    law = _read_law(certificate)
    chosen, others = _chosen(claim, len(law.means))
    bound = arb(number(part(claim.fields, "bound"), "bound"))
    query = vector(part(claim.witness, "query"), "query", law.means.shape[1])

    def test() -> Outcome:
        means, spread = law.scores(query, BALLS)
        terms = (
            _below_zero(means[i] - means[j], spread[i] + spread[j]) for i in chosen for j in others
        )
        total = sum(terms, arb(0))
        return Outcome(at_most(total, bound), f"The probabilities sum to {show(total)}.")

    return constructed(settle(test))


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


def _within(claim: Claim) -> str:
    reach = part(claim.fields, "radius")
    return "" if reach is None else f" of length up to {down(reach)}"


def _others(target: dict[int, Number], count: int) -> list[int]:
    others = [j for j in range(count) if j not in target]
    if not others:
        raise Unusable("target are all keys, so that there are no others.")
    return others


def _ties(claim: Claim, target: dict[int, Number]) -> tuple[list[Number], list[tuple[int, int]]]:
    """Return the multipliers t_k and the pairs (c, k) that they belong to."""
    first, *rest = target
    entries = listed(part(claim.witness, "ties"), "ties", len(rest))
    return [number(entry, "ties") for entry in entries], [(first, k) for k in rest]


def _logarithm(target: dict[int, Number], i: int, j: int) -> arb:
    """Return ln(p_i/p_j), exactly 0 for equal weights."""
    return arb(0) if target[i] == target[j] else (arb(target[i]) / arb(target[j])).log()


def _differences(law: _Law, terms: list[tuple[tuple[int, int], arb]]) -> list[arb]:
    """Return scale Σ factor (μ_i - μ_j)."""
    factors = [arb(0)] * len(law.means)
    for (i, j), factor in terms:
        factors[i] += factor * law.scale
        factors[j] -= factor * law.scale
    return combine(factors, law.means, BALLS)


def _times(rows: Float64, x: list[arb]) -> list[arb]:
    return list((BALLS.read(rows) * BALLS.matrix(len(x), 1, x)).entries())


def _admissible(
    claim: Claim,
    law: _Law,
    target: dict[int, Number],
    contradiction: Callable[[list[Any], list[Any], Arithmetic], bool | None],
) -> Callable[[], Outcome]:
    """Return the question whether the query "attained_by" contradicts a claim."""

    def refutation() -> Outcome:
        query = vector(part(claim.witness, "attained_by"), "attained_by", law.means.shape[1])
        reach = radius(claim.fields)
        if len(set(target.values())) > 1:
            raise Unusable("no query has exactly these differences.")

        def test(numbers: Arithmetic) -> Outcome:
            entries = [numbers.number(entry) for entry in query.tolist()]
            within = True if reach is None else norm_at_most(entries, reach, numbers)
            means, spread = law.scores(query, numbers)
            levels = [means[i] for i in target]
            alike = at_most(numbers.largest(levels), -numbers.largest([-m for m in levels]))
            truth = every(within, alike, contradiction(means, spread, numbers))
            return Outcome(truth, "A query contradicts it.")

        return settle_algebra(test)

    return refutation


def say_variance_at_least(claim: Claim) -> str:
    """Word the claim."""
    places = listed(claim.fields["target"]["indices"], "indices")
    return (
        f"every query{_within(claim)} that lifts {_keys_in_words(places)} by a mean gap of "
        f"{down(claim.fields['gap'])} has a {_noise_in_words(claim)} of at least "
        f"{down(claim.fields['bound'])}"
    )


def variance_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it from multipliers (rows y, ties t, ridge λ, floor μ, mixture w) and a point x."""
    law = _read_law(certificate)
    count, width = law.means.shape
    target = _target(claim, count)
    others = _others(target, count)
    pairs = _pairs(part(claim.fields, "pairs"), count)
    fixed = _pair_weights(claim, len(pairs))
    gap = number(part(claim.fields, "gap"), "gap")
    bound = arb(number(part(claim.fields, "bound"), "bound"))
    reach = radius(claim.fields)
    lowest = min(target, key=lambda i: target[i])

    def proof() -> Outcome:
        witness = claim.witness
        x = vector(part(witness, "point"), "point", width).tolist()
        entries = listed(part(witness, "rows"), "rows", len(others))
        rows = [positive_or_zero(entry, "rows") for entry in entries]
        ties, tied = _ties(claim, target)
        ridge = positive_or_zero(part(witness, "ridge"), "ridge")
        floor = positive_or_zero(part(witness, "floor"), "floor")
        if floor == 0 or (ridge and reach is None):
            raise Unusable("floor must be above 0, and a ridge needs a radius.")
        mixture = (
            {}
            if fixed is not None
            else combination(part(witness, "mixture"), "mixture", len(pairs))
        )

        def test() -> Outcome:
            if fixed is not None:
                counted = dict(enumerate(arb(weight) for weight in fixed))
            else:
                averaged = shares(list(mixture.values()), BALLS)
                counted = dict(zip(mixture, averaged, strict=True))
            per_key = [arb(0)] * count
            for place, weight in counted.items():
                for key in pairs[place]:
                    per_key[key] += weight * law.scale * law.scale
            flat = combine(per_key, law.covariances.reshape(count, -1), BALLS)
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
            value -= squared(off) / (4 * arb(floor))
            if reach is not None:
                value -= ridge * arb(reach) ** 2
            truth = at_most(bound, value)
            if truth:  # the factors take longest
                truth = definite(raised)
            return Outcome(truth, f"The variance is at least {show(value)}.")

        return settle(test)

    def contradiction(means: list[Any], spread: list[Any], numbers: Arithmetic) -> bool | None:
        apart = [means[lowest] - means[j] - numbers.number(gap) for j in others]
        noise = _noise(spread, pairs, fixed, numbers)
        lifted = [at_most(0, difference) for difference in apart]
        return every(*lifted, less(noise, numbers.number(number(claim.fields["bound"], "bound"))))

    return for_all(proof, _admissible(claim, law, target, contradiction))


def say_gap_at_most(claim: Claim) -> str:
    """Word the claim."""
    places = listed(claim.fields["target"]["indices"], "indices")
    return (
        f"no query{_within(claim)} lifts the score of {_keys_in_words(places)} above that of every "
        f"other key by more than {up(claim.fields['bound'])} in the mean"
        f"{_deviations_in_words(claim)}"
    )


def gap_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it from shares y of pairs, ties t and, for each pair, a direction x."""
    law = _read_law(certificate)
    count, width = law.means.shape
    target = _target(claim, count)
    others = _others(target, count)
    deviations = positive_or_zero(part(claim.fields, "deviations"), "deviations")
    bound = number(part(claim.fields, "bound"), "bound")
    reach = radius(claim.fields)

    def proof() -> Outcome:
        if reach is None:
            raise Unusable("a radius is needed.")
        witness = claim.witness
        pairs = _pairs(part(witness, "pairs"), count)
        if any(i not in target or j in target for i, j in pairs):
            raise Unusable("pairs must be of a chosen key and another one.")
        weights = combination(part(witness, "shares"), "shares", len(pairs))
        ties, tied = _ties(claim, target)
        ridge = positive_or_zero(part(witness, "ridge"), "ridge")
        if deviations:
            directions = matrix(part(witness, "directions"), "directions", len(pairs), width)

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
                proved = every(proved, known[name])
            tail = arb(0)
            for pair, t in zip(tied, ties, strict=True):
                terms.append((pair, arb(t) / total))
                tail += t * _logarithm(target, *pair) / total
            u = _differences(law, terms)
            rest = norm([a - b for a, b in zip(u, taken, strict=True)])
            rest += abs(arb(law.scale)) * deviations * arb(ridge).sqrt()
            gap = reach * rest - tail
            return Outcome(
                every(at_most(gap, arb(bound)), proved), f"The gap is at most {show(gap)}."
            )

        return settle(test)

    def contradiction(means: list[Any], spread: list[Any], numbers: Arithmetic) -> bool | None:
        truths = []
        for i in target:
            for j in others:
                room = means[i] - means[j] - numbers.number(bound)
                taken = numbers.number(deviations) ** 2 * (spread[i] + spread[j])
                truths.append(every(less(0, room), less(taken, room**2)))
        return every(*truths)

    return for_all(proof, _admissible(claim, law, target, contradiction))


def _semidefinite(first: Float64, second: Float64, ridge: Number) -> bool | None:
    """Is the sum of two matrices, and of the ridge on its diagonal, positive semidefinite?"""
    rows = (BALLS.read(first) + BALLS.read(second)).tolist()
    for at, row in enumerate(rows):
        row[at] += ridge
    return definite(rows, semi=True)
