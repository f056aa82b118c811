"""The claim that the output of heads over random keys becomes one of a few values.

Let queries C u_h grow, C → ∞, along directions u_h that vary through one key a each
(:mod:`regard.certify.random_heads`). With m = u·μ_a - max_{i≠a} u·μ_i and τ² = u·Σ_a u the key a
has the highest score with probability Φ(m/τ), and then all of the weight in the limit. Otherwise
the highest of the other keys have it, in equal shares, as they do where nothing varies.

    hard_limit   the output Σ_h w_h c_h becomes one of these values with these probabilities
"""

from __future__ import annotations

import itertools
from typing import Any

from flint import arb, fmpq

from regard.certify.balls import (
    Decision,
    Outcome,
    at_most,
    constructed,
    every,
    rational,
    settle,
    show,
)
from regard.certify.certificate import (
    Certificate,
    Claim,
    Float64,
    Unusable,
    exact,
    given,
    listed,
    matrix,
    part,
    positive_or_zero,
    up,
)
from regard.certify.computed import in_digits
from regard.certify.noise import read_law
from regard.certify.random_heads import Heads, head_weights_of

MOST_HEADS = 10  # each may double the number of values


def claim(atoms: Any, error: float, *, directions: Any, head_weights: Any = None) -> Claim:
    """Return the claim that, as queries grow, the output is one of (probability, value) …."""
    listing = [{"probability": probability, "value": value} for probability, value in atoms]
    witness = {"directions": directions, "head_weights": head_weights}
    return Claim("hard_limit", {"atoms": listing, "error": error}, witness)


def say_hard_limit(claim: Claim) -> str:
    """Word the claim."""
    atoms = listed(claim.fields["atoms"], "atoms")
    if len(atoms) > 4 or any(len(atom["value"]) > 6 for atom in atoms):
        ends = f"one of {len(atoms)} values with the probabilities given"
    else:
        ends = ", or ".join(
            f"({', '.join(in_digits(x) for x in listed(atom['value'], 'it'))}) with probability "
            f"{in_digits(atom['probability'])}"
            for atom in atoms
        )
    near = f", within {up(claim.fields['error'])}" if claim.fields["error"] else ""
    return f"as the queries grow along their directions, the output becomes {ends}{near}"


def hard_limit(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether the limits of the output and their probabilities are the stated ones."""
    law = read_law(certificate)
    values = given(certificate, "values", len(law.means))
    error = rational(positive_or_zero(part(claim.fields, "error"), "error"))
    stated = []
    for atom in listed(part(claim.fields, "atoms"), "atoms"):
        entries = listed(part(atom, "value"), "value", values.shape[1])
        point = [rational(exact(entry, "value")) for entry in entries]
        stated.append((rational(exact(part(atom, "probability"), "probability")), point))
    directions = matrix(part(claim.witness, "directions"), "directions", columns=law.means.shape[1])
    if len(directions) > MOST_HEADS:
        raise Unusable(f"there are more than {MOST_HEADS} heads.")
    all_heads = Heads(law, directions)
    weights = head_weights_of(claim, len(directions))
    factors = _factors(all_heads, weights, values)

    def test() -> Outcome:
        atoms: dict[tuple[fmpq, ...], arb] = {(fmpq(0),) * values.shape[1]: arb(1)}
        for factor in factors:
            longer: dict[tuple[fmpq, ...], arb] = {}
            for (sofar, chance), (share, step) in itertools.product(atoms.items(), factor):
                point = tuple(a + b for a, b in zip(sofar, step, strict=True))
                longer[point] = longer.get(point, arb(0)) + chance * _normal(share)
            atoms = longer
        return _matched(atoms, stated, error)

    return constructed(settle(test))


Share = tuple[int, fmpq] | None  # Φ(sign · √(the fraction)); None: 1


def _normal(share: Share) -> arb:
    if share is None:
        return arb(1)
    sign, square = share
    return (-sign * (arb(square) / 2).sqrt()).erfc() / 2


def _factors(
    all_heads: Heads, weights: list[fmpq], values: Float64
) -> list[list[tuple[Share, list[fmpq]]]]:
    """Return independent parts of the output, each with its values and their probabilities."""
    rows = [[rational(x) for x in row] for row in values.tolist()]
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
            factors.append([(None, lost)])
            continue
        ahead = head.means[head.key] - highest
        sign, square = (1 if ahead > 0 else -1), ahead**2 / head.variance
        won = [weight * x for x in rows[head.key]]
        factors.append([((sign, square), won), ((-sign, square), lost)])
    return factors


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
            text = ", ".join(show(x) for x in point)
            return Outcome(False, f"The value ({text}) is not among those stated.")
        if len(near) > 1:
            return Outcome(None, "two of the values are closer than the error.")
        probability, _ = left.pop(near[0])
        truths.append(at_most(abs(chance - arb(probability)), arb(error)))
        found.append(show(chance))
    return Outcome(every(*truths), f"The probabilities are {', '.join(found)}.")
