"""Claims that no head of self-attention can do something.

Scores are linear in A, so what `impossibility` proves of a query holds of a head too, with
x_j x_iᵀ in place of k_j and the norm ‖A‖ = √Σ A_ij² in place of the length of a query:

    pattern_ceiling   some row gives its target at most 1 / (1 + exp(H - pull)),
                      H = Σ_i w_i H(L_i), w_i = Σ_j l_ij, L_ij = l_ij / w_i
    pattern_apart     Σ_i KL(P_i ‖ a_i) ≥ Σ_i (H(L_i) - H(P_i)) - pull
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.heads.self_attention import Rows, attention_of, head_of, rows_of
from regard.certify.lemmas.mixtures import weight_at_most, weight_at_most_exactly

Entries = dict[tuple[int, int], Any]  # weights by row and column


def _combination(claim: Claim, n: int, rows: Rows) -> Entries:
    """Return the entries [i, j, l] of a combination with l > 0, each pair once, in listed rows."""
    read = reading.number if claim.stated.radius() is not None else reading.exact
    found: Entries = {}
    for entry in claim.witnessed.listed("combination"):
        i, j, weight = reading.listed(entry, "an entry of combination", 3)
        pair = (
            reading.index(i, "a row of combination", n),
            reading.index(j, "a column of combination", n),
        )
        entry_weight = read(weight, "combination")
        # A pair given twice would count as two in the entropy.
        if pair[0] not in rows or pair in found or entry_weight < 0:
            raise Unusable("combination must be of listed rows, each pair once, and ≥ 0.")
        found[pair] = entry_weight
    return {pair: weight for pair, weight in found.items() if weight != 0}


def _moment(coefficients: Entries, tokens: Float64, numbers: Arithmetic) -> list[Any]:
    """Return the entries of Σ_ij c_ij x_j x_iᵀ."""
    rows = sorted({i for i, _ in coefficients})
    columns = sorted({j for _, j in coefficients})
    flat = [coefficients.get((i, j), 0) for i in rows for j in columns]
    mixed = numbers.matrix(len(rows), len(columns), flat) * numbers.read(tokens[columns])
    return list((mixed.transpose() * numbers.read(tokens[rows])).entries())


def _pull(
    moment: Callable[[Arithmetic], list[Any]], claim: Claim, certificate: Certificate
) -> Callable[[], arb]:
    """Return what gives |scale| · radius · ‖moment‖, which for every head must be 0 exactly."""
    reach, scale = claim.stated.radius(), reading.number(certificate.scale, "scale")
    if reach is not None:
        return lambda: abs(arb(scale)) * reach * balls.norm(moment(BALLS))
    if any(entry != 0 for entry in moment(EXACT)):
        raise Unusable("the mixtures are not exactly equal, and no radius is given.")
    return lambda: arb(0)


def by_head(
    claim: Claim,
    certificate: Certificate,
    rows: Iterable[int],
    contradiction: Callable[[list[tuple[list[arb], arb]]], Outcome],
) -> Callable[[], Outcome]:
    """Return the question whether "attained_by", within the radius, contradicts the claim."""
    tokens, reach = reading.given(certificate, "tokens"), claim.stated.radius()

    def refutation() -> Outcome:
        head = head_of(claim.witnessed.part("attained_by"), tokens.shape[1])

        def test() -> Outcome:
            A = head()
            within = True if reach is None else balls.norm_at_most(A.entries(), reach, BALLS)
            truth, reason = contradiction(attention_of(tokens, list(rows), A, certificate))
            return Outcome(balls.every(within, truth), reason)

        return balls.settle(test)

    return refutation


def pattern_ceiling(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no head gives the target of every listed row more than bound.

    For row i with target t, ln((1 - a_it) / a_it) ≥ H(L_i) + Σ_j L_ij (s_ij - s_it), as in
    `impossibility.ceiling`. The mean of the right sides with weights w_i is at least
    H - pull, so the left side is at least that in some row.
    """
    tokens = reading.given(certificate, "tokens")
    rows = rows_of(claim, len(tokens))
    bound = claim.stated.number("bound")
    if any(len(row) != 1 for row in rows.values()):
        raise Unusable("each row must have one target.")
    targets = {i: next(iter(row)) for i, row in rows.items()}

    def proof() -> Outcome:
        found = _combination(claim, len(tokens), rows)
        if not found or any(targets[i] == j for i, j in found):
            raise Unusable("combination must not be 0, nor give weight to a target.")

        def weights(numbers: Arithmetic) -> tuple[Entries, dict[int, Any]]:
            parts = dict(zip(found, balls.shares(list(found.values()), numbers), strict=True))
            sums: dict[int, Any] = {}
            for (i, _), weight in parts.items():
                sums[i] = sums.get(i, 0) + weight
            return parts, sums

        def moment(numbers: Arithmetic) -> list[Any]:
            parts, sums = weights(numbers)
            coefficients = {pair: -weight for pair, weight in parts.items()}
            coefficients.update({(i, targets[i]): total for i, total in sums.items()})
            return _moment(coefficients, tokens, numbers)

        pull = _pull(moment, claim, certificate)

        def test() -> Outcome:
            parts, sums = weights(BALLS)
            mean = sum((-w * (w / sums[i]).log() for (i, _), w in parts.items()), arb(0))
            gap = mean - pull()
            reason = f"The lowest weight of a target is at most {balls.show(1 / (1 + gap.exp()))}."
            return Outcome(weight_at_most(gap, bound), reason)

        def exactly() -> Outcome:
            if any(entry != 0 for entry in moment(EXACT)):
                return Outcome(None, "")
            parts, sums = weights(EXACT)
            return weight_at_most_exactly([(w, sums[i] / w) for (i, _), w in parts.items()], bound)

        return balls.settle(test, exactly)

    def contradiction(attention: list[tuple[list[arb], arb]]) -> Outcome:
        pairs = zip(targets.values(), attention, strict=True)
        above = [balls.less(bound, terms[t] / total) for t, (terms, total) in pairs]
        return Outcome(balls.every(*above), "A head gives every target more.")

    return balls.for_all(proof, by_head(claim, certificate, rows, contradiction))


def pattern_apart(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that Σ_i KL(P_i ‖ a_i) ≥ Σ_i (H(L_i) - H(P_i)) - pull ≥ bound for every head."""
    tokens = reading.given(certificate, "tokens")
    rows = rows_of(claim, len(tokens))
    bound = claim.stated.number("bound")
    if any(weight <= 0 for row in rows.values() for weight in row.values()):
        raise Unusable("the weights of rows must be above 0.")

    def listed_shares(numbers: Arithmetic) -> list[dict[int, Any]]:
        return [_shares(row, numbers) for row in rows.values()]

    def proof() -> Outcome:
        found = _combination(claim, len(tokens), rows)
        mixtures: dict[int, dict[int, Number]] = {i: {} for i in rows}
        for (i, j), weight in found.items():
            mixtures[i][j] = weight
        if not all(mixtures.values()):
            raise Unusable("combination must have every listed row.")

        def moment(numbers: Arithmetic) -> list[Any]:
            coefficients: Entries = {}
            for i, P in zip(rows, listed_shares(numbers), strict=True):
                L = _shares(mixtures[i], numbers)
                for j in {*L, *P}:
                    coefficients[i, j] = L.get(j, 0) - P.get(j, 0)
            return _moment(coefficients, tokens, numbers)

        pull = _pull(moment, claim, certificate)

        def test() -> Outcome:
            reached = [
                balls.entropy(balls.shares(list(row.values()), BALLS)) for row in mixtures.values()
            ]
            wanted = [balls.entropy(list(P.values())) for P in listed_shares(BALLS)]
            divergence = sum(reached, arb(0)) - sum(wanted, arb(0)) - pull()
            reason = f"The divergence is at least {balls.show(divergence)}."
            return Outcome(balls.at_most(bound, divergence), reason)

        return balls.settle(test)

    def contradiction(attention: list[tuple[list[arb], arb]]) -> Outcome:
        divergence = arb(0)
        for P, (terms, total) in zip(listed_shares(BALLS), attention, strict=True):
            divergence += sum((w * (w * total / terms[j]).log() for j, w in P.items()), arb(0))
        return Outcome(balls.less(divergence, bound), f"A head has {balls.show(divergence)}.")

    return balls.for_all(proof, by_head(claim, certificate, rows, contradiction))


def _shares(row: Mapping[int, Number], numbers: Arithmetic) -> dict[int, Any]:
    return dict(zip(row, balls.shares(list(row.values()), numbers), strict=True))


CLAIM_TYPES = {
    "pattern_ceiling": ClaimType(
        pattern_ceiling,
        "{heads} gives the target of one of {rows:count} rows at most {bound:up}",
    ),
    "pattern_apart": ClaimType(
        pattern_apart,
        "{heads} has a divergence of at least {bound:down} from the weights of {rows:count} rows",
    ),
}
