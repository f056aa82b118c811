"""Claims about self-attention: row i attends to token j with the score scale · x_jᵀ A x_i.

A head is a matrix A, or W_Q and W_K with A = W_K W_Qᵀ. Scores are linear in A, so what
`impossibility` proves of a query holds of a head too, with x_j x_iᵀ in place of k_j and
the norm ‖A‖ = √Σ A_ij² in place of the length of a query:

    pattern_close     |a_ij - P_ij| ≤ bound for the rows listed and all j
    outputs_close     ‖Σ_j a_ij x_j W_V - o_i‖ ≤ bound for the rows listed
    pattern_ceiling   some row gives its target at most 1 / (1 + exp(H - pull)),
                      H = Σ_i w_i H(L_i), w_i = Σ_j l_ij, L_ij = l_ij / w_i
    pattern_apart     Σ_i KL(P_i ‖ a_i) ≥ Σ_i (H(L_i) - H(P_i)) - pull
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, arb_mat

from regard.certify.balls import (
    BALLS,
    EXACT,
    Arithmetic,
    Decision,
    Outcome,
    at_most,
    constructed,
    entropy,
    every,
    exponentials,
    for_all,
    less,
    norm,
    norm_at_most,
    settle,
    shares,
    show,
)
from regard.certify.certificate import (
    Certificate,
    Claim,
    Float64,
    Number,
    Unusable,
    down,
    exact,
    given,
    index,
    listed,
    matrix,
    number,
    part,
    radius,
    up,
    vector,
    weighted,
)
from regard.certify.impossibility import weight_at_most, weight_at_most_exactly

Rows = dict[int, dict[int, int | float]]  # weights by row and column
Entries = dict[tuple[int, int], Any]  # the same, flat


def rows_of(claim: Claim, n: int) -> Rows:
    """Return the weights that are listed, by row and column."""
    found = listed(part(claim.fields, "rows"), "rows")
    rows = {index(part(row, "row"), "row", n): weighted(row, "rows", n) for row in found}
    if not rows or len(rows) != len(found):
        raise Unusable("rows must be different rows, at least one.")
    return rows


def outputs_of(claim: Claim, n: int, width: int | None = None) -> dict[int, Float64]:
    """Return the outputs that are listed, by row."""
    found = listed(part(claim.fields, "outputs"), "outputs")
    outputs: dict[int, Float64] = {}
    for entry in found:
        wanted = listed(part(entry, "vector"), "vector", width)
        width = len(wanted)
        outputs[index(part(entry, "row"), "row", n)] = vector(wanted, "vector", width)
    if not outputs or len(outputs) != len(found):
        raise Unusable("outputs must be of different rows, at least one.")
    return outputs


def _head(witness: Mapping[str, Any], d: int) -> Callable[[], arb_mat]:
    """Return what gives the matrix A of the head in a witness, as balls."""
    if isinstance(witness, Mapping) and "A" in witness:
        if "W_Q" in witness or "W_K" in witness:
            raise Unusable("the head is given twice, as A and as W_Q and W_K.")
        A = matrix(witness["A"], "A", d, d)
        return lambda: BALLS.read(A)
    W_Q = matrix(part(witness, "W_Q"), "W_Q", d)
    W_K = matrix(part(witness, "W_K"), "W_K", d, W_Q.shape[1])
    return lambda: BALLS.read(W_K) * BALLS.read(W_Q).transpose()


def _attention(
    tokens: Float64, rows: list[int], A: arb_mat, certificate: Certificate
) -> list[tuple[list[arb], arb]]:
    """Return, for each row, exp(score) of every token and their sum, divided by one number."""
    scale = arb(number(certificate.scale, "scale"))
    matched = A * BALLS.read(tokens[rows]).transpose()  # (d, m): A x_i
    scores = (BALLS.read(tokens) * matched).transpose().tolist()
    return [exponentials([scale * score for score in row]) for row in scores]


def say_pattern_close(claim: Claim) -> str:
    """Word the claim."""
    n, bound = len(claim.fields["rows"]), up(claim.fields["bound"])
    return f"the weights of the head in {n} row{'s' * (n != 1)} are within {bound} of those listed"


def pattern_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide |a_ij - P_ij| ≤ bound for the rows listed and all j."""
    tokens = given(certificate, "tokens")
    rows = rows_of(claim, len(tokens))
    bound = number(part(claim.fields, "bound"), "bound")
    head = _head(claim.witness, tokens.shape[1])

    def test() -> Outcome:
        attention = _attention(tokens, list(rows), head(), certificate)
        worst = BALLS.largest(
            [
                abs(term / total - rows[i].get(j, 0))
                for i, (terms, total) in zip(rows, attention, strict=True)
                for j, term in enumerate(terms)
            ]
        )
        return Outcome(at_most(worst, bound), f"The largest difference is {show(worst)}.")

    return constructed(settle(test))


def say_outputs_close(claim: Claim) -> str:
    """Word the claim."""
    n, bound = len(claim.fields["outputs"]), up(claim.fields["bound"])
    return f"the outputs of the head in {n} row{'s' * (n != 1)} are within {bound} of those listed"


def outputs_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide ‖Σ_j a_ij x_j W_V - o_i‖ ≤ bound for the rows listed."""
    tokens = given(certificate, "tokens")
    d, bound = tokens.shape[1], number(part(claim.fields, "bound"), "bound")
    # A W_V that the certificate is about goes before one that comes with the head.
    W_V = matrix(part({**claim.witness, **certificate.arrays}, "W_V"), "W_V", d)
    outputs = outputs_of(claim, len(tokens), W_V.shape[1])
    head = _head(claim.witness, d)

    def test() -> Outcome:
        values = BALLS.read(tokens) * BALLS.read(W_V)
        attention = _attention(tokens, list(outputs), head(), certificate)
        misses = []
        for wanted, (terms, total) in zip(outputs.values(), attention, strict=True):
            sums = (arb_mat(1, len(terms), terms) * values).entries()
            misses.append([s / total - o for s, o in zip(sums, wanted.tolist(), strict=True)])
        worst = BALLS.largest([norm(miss) for miss in misses])
        truths = [norm_at_most(miss, bound, BALLS) for miss in misses]
        return Outcome(every(*truths), f"The largest miss is {show(worst)}.")

    return constructed(settle(test))


def _combination(claim: Claim, n: int, rows: Rows) -> Entries:
    """Return the entries [i, j, l] of a combination with l > 0, each pair once, in listed rows."""
    read = number if radius(claim.fields) is not None else exact
    found: Entries = {}
    for entry in listed(part(claim.witness, "combination"), "combination"):
        i, j, weight = listed(entry, "an entry of combination", 3)
        pair = index(i, "a row of combination", n), index(j, "a column of combination", n)
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
    reach, scale = radius(claim.fields), number(certificate.scale, "scale")
    if reach is not None:
        return lambda: abs(arb(scale)) * reach * norm(moment(BALLS))
    if any(entry != 0 for entry in moment(EXACT)):
        raise Unusable("the mixtures are not exactly equal, and no radius is given.")
    return lambda: arb(0)


def _by_head(
    claim: Claim,
    certificate: Certificate,
    rows: Rows,
    contradiction: Callable[[list[tuple[list[arb], arb]]], Outcome],
) -> Callable[[], Outcome]:
    """Return the question whether "attained_by", within the radius, contradicts the claim."""
    tokens, reach = given(certificate, "tokens"), radius(claim.fields)

    def refutation() -> Outcome:
        head = _head(part(claim.witness, "attained_by"), tokens.shape[1])

        def test() -> Outcome:
            A = head()
            within = True if reach is None else norm_at_most(A.entries(), reach, BALLS)
            truth, reason = contradiction(_attention(tokens, list(rows), A, certificate))
            return Outcome(every(within, truth), reason)

        return settle(test)

    return refutation


def _heads(claim: Claim) -> str:
    reach = part(claim.fields, "radius")
    return "every head" if reach is None else f"every head with ‖A‖ up to {down(reach)}"


def say_pattern_ceiling(claim: Claim) -> str:
    """Word the claim."""
    n, bound = len(claim.fields["rows"]), up(claim.fields["bound"])
    return f"{_heads(claim)} gives the target of one of {n} rows at most {bound}"


def pattern_ceiling(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that no head gives the target of every listed row more than bound.

    For row i with target t, ln((1 - a_it) / a_it) ≥ H(L_i) + Σ_j L_ij (s_ij - s_it), as in
    `impossibility.ceiling`. The mean of the right sides with weights w_i is at least
    H - pull, so the left side is at least that in some row.
    """
    tokens = given(certificate, "tokens")
    rows = rows_of(claim, len(tokens))
    bound = number(part(claim.fields, "bound"), "bound")
    if any(len(row) != 1 for row in rows.values()):
        raise Unusable("each row must have one target.")
    targets = {i: next(iter(row)) for i, row in rows.items()}

    def proof() -> Outcome:
        found = _combination(claim, len(tokens), rows)
        if not found or any(targets[i] == j for i, j in found):
            raise Unusable("combination must not be 0, nor give weight to a target.")

        def weights(numbers: Arithmetic) -> tuple[Entries, dict[int, Any]]:
            parts = dict(zip(found, shares(list(found.values()), numbers), strict=True))
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
            reason = f"The lowest weight of a target is at most {show(1 / (1 + gap.exp()))}."
            return Outcome(weight_at_most(gap, bound), reason)

        def exactly() -> Outcome:
            if any(entry != 0 for entry in moment(EXACT)):
                return Outcome(None, "")
            parts, sums = weights(EXACT)
            return weight_at_most_exactly([(w, sums[i] / w) for (i, _), w in parts.items()], bound)

        return settle(test, exactly)

    def contradiction(attention: list[tuple[list[arb], arb]]) -> Outcome:
        pairs = zip(targets.values(), attention, strict=True)
        above = [less(bound, terms[t] / total) for t, (terms, total) in pairs]
        return Outcome(every(*above), "A head gives every target more.")

    return for_all(proof, _by_head(claim, certificate, rows, contradiction))


def say_pattern_apart(claim: Claim) -> str:
    """Word the claim."""
    n, bound = len(claim.fields["rows"]), down(claim.fields["bound"])
    return f"{_heads(claim)} has a divergence of at least {bound} from the weights of {n} rows"


def pattern_apart(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that Σ_i KL(P_i ‖ a_i) ≥ Σ_i (H(L_i) - H(P_i)) - pull ≥ bound for every head."""
    tokens = given(certificate, "tokens")
    rows = rows_of(claim, len(tokens))
    bound = number(part(claim.fields, "bound"), "bound")
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
            reached = [entropy(shares(list(row.values()), BALLS)) for row in mixtures.values()]
            wanted = [entropy(list(P.values())) for P in listed_shares(BALLS)]
            divergence = sum(reached, arb(0)) - sum(wanted, arb(0)) - pull()
            reason = f"The divergence is at least {show(divergence)}."
            return Outcome(at_most(bound, divergence), reason)

        return settle(test)

    def contradiction(attention: list[tuple[list[arb], arb]]) -> Outcome:
        divergence = arb(0)
        for P, (terms, total) in zip(listed_shares(BALLS), attention, strict=True):
            divergence += sum((w * (w * total / terms[j]).log() for j, w in P.items()), arb(0))
        return Outcome(less(divergence, bound), f"A head has {show(divergence)}.")

    return for_all(proof, _by_head(claim, certificate, rows, contradiction))


def _shares(row: Mapping[int, Number], numbers: Arithmetic) -> dict[int, Any]:
    return dict(zip(row, shares(list(row.values()), numbers), strict=True))
