"""Claims about self-attention: row i attends to token j with the score scale · x_jᵀ A x_i.

A head is a matrix A, or W_Q and W_K with A = W_K W_Qᵀ.

    pattern_close     |a_ij - P_ij| ≤ bound for the rows listed and all j
    outputs_close     ‖Σ_j a_ij x_j W_V - o_i‖ ≤ bound for the rows listed
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, arb_mat

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Unusable
from regard.certify.claims.claim_type import ClaimType

Rows = dict[int, dict[int, int | float]]  # weights by row and column


def rows_of(claim: Claim, n: int) -> Rows:
    """Return the weights that are listed, by row and column."""
    found = claim.stated.listed("rows")
    rows = {
        reading.index(reading.part(row, "row"), "row", n): reading.weighted(row, "rows", n)
        for row in found
    }
    if not rows or len(rows) != len(found):
        raise Unusable("rows must be different rows, at least one.")
    return rows


def outputs_of(claim: Claim, n: int, width: int | None = None) -> dict[int, Float64]:
    """Return the outputs that are listed, by row."""
    found = claim.stated.listed("outputs")
    outputs: dict[int, Float64] = {}
    for entry in found:
        wanted = reading.listed(reading.part(entry, "vector"), "vector", width)
        width = len(wanted)
        outputs[reading.index(reading.part(entry, "row"), "row", n)] = reading.vector(
            wanted, "vector", width
        )
    if not outputs or len(outputs) != len(found):
        raise Unusable("outputs must be of different rows, at least one.")
    return outputs


def head_of(witness: Mapping[str, Any], d: int) -> Callable[[], arb_mat]:
    """Return what gives the matrix A of the head in a witness, as balls."""
    if isinstance(witness, Mapping) and "A" in witness:
        if "W_Q" in witness or "W_K" in witness:
            raise Unusable("the head is given twice, as A and as W_Q and W_K.")
        A = reading.matrix(witness["A"], "A", d, d)
        return lambda: BALLS.read(A)
    W_Q = reading.matrix(reading.part(witness, "W_Q"), "W_Q", d)
    W_K = reading.matrix(reading.part(witness, "W_K"), "W_K", d, W_Q.shape[1])
    return lambda: BALLS.read(W_K) * BALLS.read(W_Q).transpose()


def attention_of(
    tokens: Float64, rows: list[int], A: arb_mat, certificate: Certificate
) -> list[tuple[list[arb], arb]]:
    """Return, for each row, exp(score) of every token and their sum, divided by one number."""
    scale = arb(reading.number(certificate.scale, "scale"))
    matched = A * BALLS.read(tokens[rows]).transpose()  # (d, m): A x_i
    scores = (BALLS.read(tokens) * matched).transpose().tolist()
    return [balls.exponentials([scale * score for score in row]) for row in scores]


def _form(claim: Claim) -> str:
    """Say that a head is given as A: it need not be exactly the product of W_K and W_Q."""
    return " of matrix A" if "A" in claim.witness else ""


def _counted(rows: Any) -> str:
    return f"{len(rows)} row{'s' * (len(rows) != 1)}"


def pattern_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide |a_ij - P_ij| ≤ bound for the rows listed and all j."""
    tokens = reading.given(certificate, "tokens")
    rows = rows_of(claim, len(tokens))
    bound = claim.stated.number("bound")
    head = head_of(claim.witness, tokens.shape[1])

    def test() -> Outcome:
        attention = attention_of(tokens, list(rows), head(), certificate)
        worst = BALLS.largest(
            [
                abs(term / total - rows[i].get(j, 0))
                for i, (terms, total) in zip(rows, attention, strict=True)
                for j, term in enumerate(terms)
            ]
        )
        return Outcome(
            balls.at_most(worst, bound), f"The largest difference is {balls.show(worst)}."
        )

    return balls.constructed(balls.settle(test))


def outputs_close(claim: Claim, certificate: Certificate) -> Decision:
    """Decide ‖Σ_j a_ij x_j W_V - o_i‖ ≤ bound for the rows listed."""
    tokens = reading.given(certificate, "tokens")
    d, bound = tokens.shape[1], claim.stated.number("bound")
    # A W_V that the certificate is about goes before one that comes with the head.
    W_V = reading.matrix(reading.part({**claim.witness, **certificate.arrays}, "W_V"), "W_V", d)
    outputs = outputs_of(claim, len(tokens), W_V.shape[1])
    head = head_of(claim.witness, d)

    def test() -> Outcome:
        values = BALLS.read(tokens) * BALLS.read(W_V)
        attention = attention_of(tokens, list(outputs), head(), certificate)
        misses = []
        for wanted, (terms, total) in zip(outputs.values(), attention, strict=True):
            sums = (arb_mat(1, len(terms), terms) * values).entries()
            misses.append([s / total - o for s, o in zip(sums, wanted.tolist(), strict=True)])
        worst = BALLS.largest([balls.norm(miss) for miss in misses])
        truths = [balls.norm_at_most(miss, bound, BALLS) for miss in misses]
        return Outcome(balls.every(*truths), f"The largest miss is {balls.show(worst)}.")

    return balls.constructed(balls.settle(test))


CLAIM_TYPES = {
    "pattern_close": ClaimType(
        pattern_close,
        "the weights of the head{form} in {rows} are within {bound:up} of those listed",
        words={"form": _form, "rows": lambda claim: _counted(claim.fields["rows"])},
    ),
    "outputs_close": ClaimType(
        outputs_close,
        "the outputs of the head{form} in {rows} are within {bound:up} of those listed",
        words={"form": _form, "rows": lambda claim: _counted(claim.fields["outputs"])},
    ),
}
