"""The claim that the output of heads over random keys becomes one of a few values.

Let queries C u_h grow, C → ∞, along directions u_h that vary through one key a each
(`certify.lemmas.random_heads`). With m = u·μ_a - max_{i≠a} u·μ_i and τ² = u·Σ_a u the key a
has the highest score with probability Φ(m/τ), and then all of the weight in the limit. Otherwise
the highest of the other keys have it, in equal shares, as they do where nothing varies.

    hard_limit   the output Σ_h w_h c_h becomes one of these values with these probabilities; or
                 it does, given that no score that varies is negative; its limit has this mean and
                 this variance (the trace of its covariance), where they are stated

Given s_a ≥ 0, with the highest other score M: for M ≤ 0 the key a always wins, and otherwise with
probability Φ(m/τ)/Φ(u·μ_a/τ).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from flint import arb, fmpq

from regard.certify import balls, reading
from regard.certify.balls import Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.random_keys.random_heads import Heads, head_weights_of
from regard.certify.claims.worked_examples.computed import in_digits
from regard.certify.lemmas.random_keys import read_law

MOST_HEADS = 10  # each may double the number of values


def claim(
    atoms: Any,
    error: float,
    *,
    directions: Any,
    head_weights: Any = None,
    nonnegative: bool = False,
    moments: tuple[Any, float, float] | None = None,
) -> Claim:
    """Return the claim that, as queries grow, the output is one of (probability, value) ….

    Args:
        atoms: the pairs.
        error: of probabilities and entries of values.
        directions: (heads, d), along which the queries grow.
        head_weights: what each head counts; by default 1 over their number.
        nonnegative: whether the law is the one given that no score that varies is negative.
        moments: the mean of the limit, its variance, and the error of both.
    """
    listing = [{"probability": probability, "value": value} for probability, value in atoms]
    fields: dict[str, Any] = {"atoms": listing, "error": error, "nonnegative": nonnegative}
    if moments is not None:
        mean, variance, off = moments
        fields["moments"] = {"mean": mean, "variance": variance, "error": off}
    witness = {"directions": directions, "head_weights": head_weights}
    return Claim("hard_limit", fields, witness)


def _say_hard_limit(claim: Claim) -> str:
    atoms = reading.listed(claim.fields["atoms"], "atoms")
    if len(atoms) > 4 or any(len(atom["value"]) > 6 for atom in atoms):
        ends = f"one of {len(atoms)} values with the probabilities given"
    else:
        ends = ", or ".join(
            f"({', '.join(in_digits(x) for x in reading.listed(atom['value'], 'it'))}) with "
            f"probability {in_digits(atom['probability'])}"
            for atom in atoms
        )
    near = f", within {reading.up(claim.fields['error'])}" if claim.fields["error"] else ""
    kept = " if no score that varies is negative," * bool(claim.fields.get("nonnegative"))
    moments = claim.fields.get("moments")
    if moments:
        near += f", and has the variance {in_digits(moments['variance'])} and the mean given"
    return f"as the queries grow along their directions,{kept} the output becomes {ends}{near}"


def hard_limit(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether the limits of the output and their probabilities are the stated ones."""
    law = read_law(certificate)
    values = reading.given(certificate, "values", len(law.means))
    error = balls.rational(claim.stated.positive_or_zero("error"))
    stated = []
    for atom in claim.stated.listed("atoms"):
        entries = reading.listed(reading.part(atom, "value"), "value", values.shape[1])
        point = [balls.rational(reading.exact(entry, "value")) for entry in entries]
        stated.append(
            (balls.rational(reading.exact(reading.part(atom, "probability"), "probability")), point)
        )
    directions = claim.witnessed.matrix("directions", columns=law.means.shape[1])
    if len(directions) > MOST_HEADS:
        raise Unusable(f"there are more than {MOST_HEADS} heads.")
    all_heads = Heads(law, directions)
    weights = head_weights_of(claim, len(directions))
    nonnegative = claim.fields.get("nonnegative", False)
    if not isinstance(nonnegative, bool):
        raise Unusable("nonnegative must be true or false.")
    factors = _factors(all_heads, weights, values, nonnegative)
    moments = _moments(claim, values.shape[1])

    def test() -> Outcome:
        atoms: dict[tuple[fmpq, ...], arb] = {(fmpq(0),) * values.shape[1]: arb(1)}
        for factor in factors:
            longer: dict[tuple[fmpq, ...], arb] = {}
            for (sofar, chance), (share, step) in itertools.product(atoms.items(), factor):
                point = tuple(a + b for a, b in zip(sofar, step, strict=True))
                longer[point] = longer.get(point, arb(0)) + chance * share()
            atoms = longer
        found = _matched(atoms, stated, error)
        if moments is None:
            return found
        return Outcome(balls.every(found.truth, _have_moments(atoms, *moments)), found.reason)

    return balls.constructed(balls.settle(test))


def _moments(claim: Claim, width: int) -> tuple[list[fmpq], fmpq, fmpq] | None:
    stated = claim.fields.get("moments")
    if stated is None:
        return None
    mean = [
        balls.rational(reading.exact(entry, "mean"))
        for entry in reading.listed(reading.part(stated, "mean"), "mean", width)
    ]
    variance = balls.rational(reading.exact(reading.part(stated, "variance"), "variance"))
    return (
        mean,
        variance,
        balls.rational(reading.positive_or_zero(reading.part(stated, "error"), "error")),
    )


def _have_moments(
    atoms: dict[tuple[fmpq, ...], arb], mean: list[fmpq], variance: fmpq, error: fmpq
) -> bool | None:
    """Are mean and variance of these values with their probabilities the stated ones?"""
    truth = [
        sum((chance * arb(point[k]) for point, chance in atoms.items()), arb(0))
        for k in range(len(mean))
    ]
    spread = sum(
        (
            chance
            * sum(((arb(x) - m) * (arb(x) - m) for x, m in zip(point, truth, strict=True)), arb(0))
            for point, chance in atoms.items()
        ),
        arb(0),
    )
    off = [abs(m - arb(x)) for m, x in zip(truth, mean, strict=True)]
    return balls.every(*(balls.at_most(x, arb(error)) for x in [*off, abs(spread - arb(variance))]))


Share = Callable[[], arb]  # a probability, in balls of the precision of the moment


def _below(number: fmpq, square: fmpq) -> arb:
    """Return Φ(number / √square)."""
    return (-arb(number) / (2 * arb(square)).sqrt()).erfc() / 2


def _factors(
    all_heads: Heads, weights: list[fmpq], values: Float64, nonnegative: bool
) -> list[list[tuple[Share, list[fmpq]]]]:
    """Return independent parts of the output, each with its values and their probabilities."""
    rows = [[balls.rational(x) for x in row] for row in values.tolist()]
    heads = [all_heads.head(h) for h in range(len(weights))]
    factors: list[list[tuple[Share, list[fmpq]]]] = []
    groups: dict[tuple[fmpq, ...], list[int]] = {}  # heads with one direction move together
    for h, q in enumerate(all_heads.q):
        groups.setdefault(tuple(q), []).append(h)
    leaders = [members[0] for members in groups.values()]
    for h, g in itertools.combinations(leaders, 2):
        if all_heads.covariance(h, g, heads[h], heads[g]) != 0:
            raise Unusable(f"heads {h} and {g} are correlated.")
    for members in groups.values():
        head, weight = heads[members[0]], sum((weights[h] for h in members), fmpq(0))
        varying = head.variance != 0 and len(rows) > 1
        others = [i for i in range(len(rows)) if not (varying and i == head.key)]
        highest = max(head.means[i] for i in others)
        first = [rows[i] for i in others if head.means[i] == highest]
        lost = [weight * sum(column, fmpq(0)) / len(first) for column in zip(*first, strict=True)]
        if not varying:
            factors.append([(lambda: arb(1), lost)])
            continue
        won = [weight * x for x in rows[head.key]]
        own, spread = head.means[head.key], head.variance
        if not nonnegative:
            ahead = own - highest
            factors.append(
                [
                    (partial(_below, ahead, spread), won),
                    (partial(_below, -ahead, spread), lost),
                ]
            )
            continue
        if sum(map(abs, head.signs)) > 1:
            raise Unusable("of a head in which two keys vary, negative scores are not looked at.")
        if highest <= 0:  # s_a = 0 has probability 0
            factors.append([(lambda: arb(1), won)])
            continue
        factors.append(
            [
                (partial(_given_kept, own - highest, own, spread), won),
                (partial(_given_lost, own - highest, own, spread), lost),
            ]
        )
    return factors


def _given_kept(ahead: fmpq, own: fmpq, square: fmpq) -> arb:
    return _below(ahead, square) / _below(own, square)


def _given_lost(ahead: fmpq, own: fmpq, square: fmpq) -> arb:
    return (_below(-ahead, square) - _below(-own, square)) / _below(own, square)


def _matched(
    atoms: dict[tuple[fmpq, ...], arb], stated: list[tuple[fmpq, list[fmpq]]], error: fmpq
) -> Outcome:
    """Is each atom one of those stated, and the other way round?"""
    if len(atoms) != len(stated):
        return Outcome(False, f"There are {len(atoms)} values, not {len(stated)}.")
    left, truths, found = list(stated), [], []
    for point, chance in atoms.items():
        near = [
            at
            for at, (_, other) in enumerate(left)
            if all(abs(a - b) <= error for a, b in zip(point, other, strict=True))
        ]
        if not near:
            text = ", ".join(balls.show(x) for x in point)
            return Outcome(False, f"The value ({text}) is not among those stated.")
        if len(near) > 1:
            return Outcome(None, "two of the values are closer than the error.")
        probability, _ = left.pop(near[0])
        truths.append(balls.at_most(abs(chance - arb(probability)), arb(error)))
        found.append(balls.show(chance))
    return Outcome(balls.every(*truths), f"The probabilities are {', '.join(found)}.")


CLAIM_TYPES = {
    "hard_limit": ClaimType(hard_limit, _say_hard_limit),
}
