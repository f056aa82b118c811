"""Claims that a goal is out of reach within its tolerance, in the measure of the goal.

    weights_beyond   no query has max_i |a_i - p_i| ≤ ε
    output_beyond    no query has ‖Σ (a_i - p_i) v_i‖ ≤ ε
    pattern_beyond   no head has |a_ij - P_ij| ≤ ε in all rows listed
    outputs_beyond   no head with this W_V has ‖Σ_j a_ij x_j W_V - o_i‖ ≤ ε in all rows listed

Proved by multipliers (`multipliers`), from bounds of the weights that meet the goal, or by cells
(`cells`). An output bounds weights too. For any w, w·c ≥ w·c* - ε‖w‖ =: f, and with t the largest
w·v_j of the others,

    a_i ≥ (f - t) / (w·v_i - t) if w·v_i > t,      a_i ≤ (t - f) / (t - w·v_i) if w·v_i < t.

Equal keys have equal weights, so the mean of their values stands for the value of each; where
some w has w·v_i < f for all of these, that alone excludes the output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.heads import cells
from regard.certify.claims.heads.patterns import by_head
from regard.certify.claims.heads.self_attention import Rows, outputs_of, rows_of
from regard.certify.claims.words import queries
from regard.certify.lemmas.bounded_weights import Bounds
from regard.certify.lemmas.linear_scores import LinearScores, of_head, of_query
from regard.certify.lemmas.mixtures import by_query
from regard.certify.lemmas.multipliers import by_multipliers

Attention = list[tuple[list[arb], arb]]  # exp(score) and their sum, by row


def _say_weights_beyond(claim: Claim) -> str:
    n, tolerance = len(claim.fields["target"]["indices"]), reading.down(claim.fields["tolerance"])
    what = "the weight" if n == 1 else f"the {n} weights"
    return f"{queries(claim)} brings every weight within {tolerance} of {what} asked for"


def _tolerance(claim: Claim) -> int | float:
    return claim.stated.positive_or_zero("tolerance")


def weights_beyond(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no query has max_i |a_i - p_i| ≤ tolerance."""
    keys = reading.given(certificate, "keys")
    wanted: Rows = {0: claim.stated.weighted("target", len(keys))}
    proof = _weights_proof(claim, of_query(certificate), wanted)
    return balls.for_all(
        proof, by_query(claim, certificate, _of_one(_weights_met(wanted, _tolerance(claim))))
    )


def pattern_beyond(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no head has |a_ij - P_ij| ≤ tolerance in all rows listed."""
    wanted = rows_of(claim, len(reading.given(certificate, "tokens")))
    proof = _weights_proof(claim, of_head(certificate, list(wanted)), wanted)
    met = _weights_met(wanted, _tolerance(claim))
    return balls.for_all(proof, by_head(claim, certificate, wanted, _of_all(met)))


def _weights_proof(claim: Claim, scores: LinearScores, wanted: Rows) -> Callable[[], Outcome]:
    tolerance = _tolerance(claim)

    def missed(note: Any, ranges: Any) -> bool | None:
        row, key, test = cells.weight_missed(note, wanted, tolerance)
        return test(ranges(row, reading.index(key, "a key of leaves", len(scores.keys))))

    def bounds() -> dict[int, Bounds]:
        """Return p - ε and p + ε, the latter never above 1, for each weight."""
        found = {}
        for row, weights in wanted.items():
            ends = {
                j: (arb(p) - tolerance, (arb(p) + tolerance).min(arb(1)))
                for j, p in weights.items()
            }
            found[row] = Bounds(len(scores.keys), ends, arb(tolerance).min(arb(1)))
        return found

    def proof() -> Outcome:
        if "tree" in claim.witness:
            return cells.covered(scores, claim.witness, claim.stated.radius(), missed)
        return by_multipliers(claim, scores, bounds)

    return proof


def output_beyond(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no query has ‖Σ (a_i - p_i) v_i‖ ≤ tolerance."""
    scores = of_query(certificate)
    values = reading.given(certificate, "values", len(scores.keys))
    target = claim.stated.weighted("target", len(scores.keys))

    def wanted() -> dict[int, list[arb]]:
        return {0: balls.combine([arb(p) for p in target.values()], values[list(target)], BALLS)}

    def heights(w: Sequence[arb]) -> list[arb]:
        return cells.evened(balls.products(values, w, BALLS), scores.keys)

    proof = _output_proof(claim, scores, heights, wanted)
    tolerance = _tolerance(claim)

    def met(attention: Attention) -> bool | None:
        terms, total = attention[0]
        sums = balls.combine(terms, values, BALLS)
        miss = [s / total - w for s, w in zip(sums, wanted()[0], strict=True)]
        return balls.norm_at_most(miss, tolerance, BALLS)

    return balls.for_all(proof, by_query(claim, certificate, _of_one(met)))


def outputs_beyond(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no head has ‖Σ_j a_ij x_j W_V - o_i‖ ≤ tolerance in all rows listed."""
    tokens = reading.given(certificate, "tokens")
    W_V = reading.given(certificate, "W_V", tokens.shape[1])
    outputs = outputs_of(claim, len(tokens), W_V.shape[1])
    scores = of_head(certificate, list(outputs))

    def wanted() -> dict[int, list[arb]]:
        return {i: [arb(entry) for entry in o.tolist()] for i, o in outputs.items()}

    def heights(w: Sequence[arb]) -> list[arb]:
        return cells.evened(balls.products(tokens, balls.products(W_V, w, BALLS), BALLS), tokens)

    tolerance = _tolerance(claim)

    def met(attention: Attention) -> bool | None:
        found = []
        for goal, (terms, total) in zip(wanted().values(), attention, strict=True):
            mean = balls.combine([term / total for term in terms], tokens, BALLS)
            sums = balls.combine(mean, W_V, BALLS)
            miss = [s - o for s, o in zip(sums, goal, strict=True)]
            found.append(balls.norm_at_most(miss, tolerance, BALLS))
        return balls.every(*found)

    proof = _output_proof(claim, scores, heights, wanted)
    return balls.for_all(proof, by_head(claim, certificate, outputs, _of_all(met)))


def _output_proof(
    claim: Claim,
    scores: LinearScores,
    values: Callable[[Sequence[arb]], list[arb]],
    wanted: Callable[[], dict[int, list[arb]]],
) -> Callable[[], Outcome]:
    tolerance, n = _tolerance(claim), len(scores.keys)

    def missed(note: Any, ranges: Any) -> bool | None:
        row, key, test = cells.output_missed(note, values, wanted(), tolerance, n)
        return test(ranges(row, key))

    def bounds() -> dict[int, Bounds]:
        goals = wanted()
        ends: dict[int, dict[int, tuple[arb, arb]]] = {row: {} for row in goals}
        for entry in claim.witnessed.listed("directions"):
            row, key, w = cells.direction(entry, "directions", goals, n)
            least = sum((a * b for a, b in zip(w, goals[row], strict=True)), arb(0))
            least -= balls.norm(w) * tolerance
            low, high = ends[row].get(key, (arb(0), arb(1)))
            heights = values(w)
            own = heights.pop(key)
            top = BALLS.largest(heights) if heights else own - 1
            if own > top:
                low = low.max((least - top) / (own - top))
            elif own < top:
                high = high.min((top - least) / (top - own))
            ends[row][key] = low, high
        return {row: Bounds(n, found, arb(1)) for row, found in ends.items()}

    def proof() -> Outcome:
        if "tree" in claim.witness:
            return cells.covered(scores, claim.witness, claim.stated.radius(), missed)
        if "separated" in claim.witness:
            return _by_direction(claim, values, wanted)
        return by_multipliers(claim, scores, bounds)

    return proof


def _by_direction(
    claim: Claim,
    values: Callable[[Sequence[arb]], list[arb]],
    wanted: Callable[[], dict[int, list[arb]]],
) -> Outcome:
    """Is w·c* above w·v of every value by more than the tolerance, equal keys sharing theirs?"""
    place, direction = reading.listed(claim.witness["separated"], "separated", 2)
    row = reading.index(place, "a row", max(wanted()) + 1)
    if row not in wanted():
        raise Unusable("separated is of a row that is not listed.")

    def test() -> Outcome:
        goal = wanted()[row]
        w = [arb(x) for x in reading.vector(direction, "separated", len(goal)).tolist()]
        own = sum((a * b for a, b in zip(w, goal, strict=True)), arb(0))
        margin = own - BALLS.largest(values(w)) - balls.norm(w) * _tolerance(claim)
        return Outcome(
            balls.less(0, margin),
            f"The output is out of reach by {balls.show(margin / balls.norm(w))}.",
        )

    outcome = balls.settle(test)
    return outcome if outcome.truth else Outcome(None, outcome.reason)


def _weights_met(wanted: Rows, tolerance: int | float) -> Callable[[Attention], bool | None]:
    def met(attention: Attention) -> bool | None:
        found = []
        for weights, (terms, total) in zip(wanted.values(), attention, strict=True):
            for j, term in enumerate(terms):
                found.append(balls.at_most(abs(term / total - weights.get(j, 0)), tolerance))
        return balls.every(*found)

    return met


def _of_one(met: Callable[[Attention], bool | None]) -> Callable[[list[arb], arb], Outcome]:
    """Return the question whether a query meets the goal, which contradicts the claim."""
    return lambda terms, total: Outcome(met([(terms, total)]), "A query meets the goal.")


def _of_all(met: Callable[[Attention], bool | None]) -> Callable[[Attention], Outcome]:
    """Return the question whether a head meets the goal, which contradicts the claim."""
    return lambda attention: Outcome(met(attention), "A head meets the goal.")


CLAIM_TYPES = {
    "weights_beyond": ClaimType(weights_beyond, _say_weights_beyond),
    "output_beyond": ClaimType(
        output_beyond,
        "{queries} brings the output within {tolerance:down} of the one asked for",
    ),
    "pattern_beyond": ClaimType(
        pattern_beyond,
        "{heads} misses a weight of one of {rows:count} rows by more than {tolerance:down}",
    ),
    "outputs_beyond": ClaimType(
        outputs_beyond,
        "{heads}, with this W_V, misses one of {outputs:count} outputs by more than "
        "{tolerance:down}",
    ),
}
