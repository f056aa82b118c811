"""Outputs that no head gives, whatever its matrices.

    outputs_out_of_reach  whatever the head and W_V, some output is bound or more from the
                          one listed
    outputs_contradict    with exactly the weights listed, whatever W_V, some output is bound or
                          more from the one listed; with "within" and "spread": for all weights
                          that near to those listed and all values x_j W_V at most spread apart

Rows with the same token have the same output; the outputs are a matrix of rank ≤ rank(tokens); and
where all tokens lie on a line, outputs are monotone along it.
"""

from __future__ import annotations

from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import EXACT, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.heads.rank import exceeds
from regard.certify.claims.heads.self_attention import outputs_of, rows_of


def outputs_out_of_reach(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that some output is bound or more from the one listed, whatever the head."""
    tokens = reading.given(certificate, "tokens")
    outputs = outputs_of(claim, len(tokens))
    bound = claim.stated.number("bound")

    def proof() -> Outcome:
        if "same" in claim.witness:
            return _same_token(claim, tokens, outputs, bound)
        if "monotone" in claim.witness:
            return _monotone(claim, tokens, outputs, bound)
        return _beyond_rank(claim, tokens, outputs, bound)

    return balls.for_all(proof)


def _same_token(
    claim: Claim, tokens: Float64, outputs: dict[int, Float64], bound: Number
) -> Outcome:
    """Rows with the same token have the same output: it is half of ‖o_i - o_j‖ from one of them."""
    i, j = reading.indices(reading.listed(claim.witness["same"], "same", 2), "same", len(tokens))
    if i not in outputs or j not in outputs or not (tokens[i] == tokens[j]).all():
        raise Unusable("the rows must be listed and hold the same token.")

    def test(numbers: Arithmetic) -> Outcome:
        wanted = zip(outputs[i].tolist(), outputs[j].tolist(), strict=True)
        square = balls.squared([numbers.number(a) - numbers.number(b) for a, b in wanted]) / 4
        truth = bound <= 0 or balls.at_most(numbers.number(bound) ** 2, square)
        return Outcome(truth, f"half of the difference is {balls.show(arb(square).sqrt())}.")

    return balls.settle_algebra(test)


def _monotone(claim: Claim, tokens: Float64, outputs: dict[int, Float64], bound: Number) -> Outcome:
    """On a line, the output moves one way as the token does: the middle row is between the others.

    If x_j = t_j u, row i has scores z t_i t_j with one number z for the whole head, and puts out
    m(z t_i) W_Vᵀu with m(y) the mean of t under weights ∝ exp(y t). The derivative of m is a
    variance, so each coordinate of the output is monotone in t_i. For t_a ≤ t_b ≤ t_c it is
    between those of rows a and c in row b; if the one listed there is outside by g, some row
    misses by g/2.
    """
    a, b, c = reading.indices(
        reading.listed(claim.witness["monotone"], "monotone", 3), "monotone", len(tokens)
    )
    if not {a, b, c} <= outputs.keys():
        raise Unusable("the rows must be listed.")
    width = len(outputs[a])
    k = claim.witnessed.index("coordinate", width)
    exact_tokens = EXACT.read(tokens)
    if exact_tokens.rank() != 1:
        raise Unusable("the tokens do not lie on one line through 0.")
    columns = range(tokens.shape[1])
    ahead = sum(
        (exact_tokens[b, j] - exact_tokens[a, j]) * (exact_tokens[c, j] - exact_tokens[b, j])
        for j in columns
    )
    if ahead < 0:
        raise Unusable("the second token is not between the first and the third.")

    def test(numbers: Arithmetic) -> Outcome:
        low, middle, high = (numbers.number(float(outputs[row][k])) for row in (a, b, c))
        beyond = numbers.largest(
            [middle - numbers.largest([low, high]), -middle - numbers.largest([-low, -high])]
        )
        truth = balls.at_most(numbers.number(bound), beyond / 2)
        return Outcome(truth, f"half of what is beyond is {balls.show(beyond / 2)}.")

    return balls.settle_algebra(test)


def _beyond_rank(
    claim: Claim, tokens: Float64, outputs: dict[int, Float64], bound: Number
) -> Outcome:
    """The m outputs of a head are a matrix of rank ≤ rank(tokens) = r - 1.

    So it is σ_r(O) or more from the matrix O of those listed, and some row at least
    σ_r(O) / √m. As above, σ_r(O) ≥ t if ‖Oᵀx‖ ≥ t ‖x‖ for all x in a space of r dimensions.
    """
    U = claim.witnessed.matrix("subspace", len(outputs))
    rank = EXACT.read(tokens).rank()
    if U.shape[1] <= rank:
        raise Unusable(f"subspace must have {rank + 1} columns: the tokens have rank {rank}.")
    if EXACT.read(U).rank() < U.shape[1]:  # U = 0 would meet the inequality as well
        raise Unusable("the columns of subspace are not independent.")
    O = [entry for wanted in outputs.values() for entry in wanted.tolist()]  # noqa: E741
    width = len(O) // len(outputs)

    def test(numbers: Arithmetic) -> Outcome:
        square = numbers.number(bound) ** 2 * len(outputs)
        wanted = numbers.matrix(len(outputs), width, O)
        truth = exceeds(U, wanted, square, numbers, semi=True)
        return Outcome(truth, f"the outputs {'' if truth else 'may '}need more than rank {rank}.")

    return balls.settle_algebra(test)


def _supposed(claim: Claim) -> str:
    """What of the weights and the values is taken for granted."""
    if "within" not in claim.fields:
        return "exactly the weights listed, whatever W_V"
    within, spread = claim.stated.part("within"), claim.stated.part("spread")
    return (
        f"all weights within {reading.exactly(within)} of those listed and any W_V whose values "
        f"x_j W_V are at most {reading.exactly(spread)} apart"
    )


def outputs_contradict(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that the weights listed cannot give the outputs listed.

    Row i puts out m_i W_V, with m_i = Σ_j P_ij x_j. If Σ u_i m_i = 0, then Σ u_i (o_i - c_i) =
    Σ u_i o_i for every W_V, so that some ‖o_i - c_i‖ is at least ‖Σ u_i o_i‖ / Σ |u_i|.

    Weights P + δ with |δ_ij| ≤ t move Σ u_i c_i to Σ_j z_j x_j W_V, with z = Σ u_i δ_i. Because
    Σ z_j = 0, that is at most Z · spread long, with Z the sum of z_j over the set S where it is
    positive. A weight falls by at most f_ij = min(t, P_ij), so that δ_i adds at most Σ_(j not in S)
    f_ij to S and takes at most Σ_(j in S) f_ij from it. The former counts where u_i > 0, the latter
    where u_i < 0: Z ≤ Σ_j max(Σ_(u_i > 0) u_i f_ij, Σ_(u_i < 0) |u_i| f_ij).
    """
    tokens = reading.given(certificate, "tokens")
    rows, outputs = rows_of(claim, len(tokens)), outputs_of(claim, len(tokens))
    bound = claim.stated.number("bound")
    within = reading.number(claim.fields.get("within", 0), "within")
    spread = claim.stated.number("spread") if "within" in claim.fields else 0
    if within < 0 or spread < 0:
        raise Unusable("within and spread must be 0 or more.")

    def proof() -> Outcome:
        u: dict[int, Number] = {}
        for entry in claim.witnessed.listed("combination"):
            row, weight = reading.listed(entry, "an entry of combination", 2)
            place = reading.index(row, "a row of combination", len(tokens))
            if place in u or place not in rows or place not in outputs:
                raise Unusable("combination must be of rows with weights and an output, each once.")
            u[place] = reading.exact(weight, "combination")
        if all(weight == 0 for weight in u.values()):
            raise Unusable("combination is 0 everywhere.")
        mixed, more, less = ([EXACT.number(0)] * len(tokens) for _ in range(3))
        for i, weight in u.items():
            parts = balls.shares(list(rows[i].values()), EXACT)
            for j, share in zip(rows[i], parts, strict=True):
                mixed[j] += EXACT.number(weight) * share
                side = more if weight > 0 else less
                side[j] += abs(EXACT.number(weight)) * min(EXACT.number(within), share)
        total = EXACT.matrix(1, len(tokens), mixed) * EXACT.read(tokens)
        if any(entry != 0 for entry in total.entries()):
            raise Unusable("the combination of what the rows attend to is not exactly 0.")
        moves = sum(map(max, more, less), EXACT.number(0)) * EXACT.number(spread)
        width = len(next(iter(outputs.values())))

        def test(numbers: Arithmetic) -> Outcome:
            moved = [
                sum(
                    (
                        numbers.number(w) * numbers.number(float(outputs[i][k]))
                        for i, w in u.items()
                    ),
                    numbers.number(0),
                )
                for k in range(width)
            ]
            size = sum((abs(numbers.number(w)) for w in u.values()), numbers.number(0))
            needed = numbers.number(bound) * size + numbers.number(moves)
            truth = bound <= 0 or balls.at_most(needed**2, balls.squared(moved))
            least = (balls.norm(moved) - arb(moves)) / arb(size)
            return Outcome(truth, f"they are {balls.show(least)} apart.")

        return balls.settle_algebra(test)

    return balls.for_all(proof)


CLAIM_TYPES = {
    "outputs_out_of_reach": ClaimType(
        outputs_out_of_reach,
        "with any head and any W_V, one of {outputs:count} outputs is at least "
        "{bound:down} from the one listed",
    ),
    "outputs_contradict": ClaimType(
        outputs_contradict,
        "with {supposed}, one of {outputs:count} outputs is at least {bound:down} from "
        "the one listed",
        words={"supposed": _supposed},
    ),
}
