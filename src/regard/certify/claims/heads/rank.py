"""How small d_k can be: the scores of a head are a matrix of rank ≤ d_k.

d_k_at_least          no head with a smaller d_k has all listed weights within tolerance
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq, fmpq_mat

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Number, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.heads.self_attention import Rows, rows_of


def d_k_at_least(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that the listed weights need d_k ≥ bound."""
    tokens = reading.given(certificate, "tokens")
    rows = rows_of(claim, len(tokens))
    bound = claim.stated.number("bound")
    tolerance = claim.stated.positive_or_zero("tolerance")
    if bound != int(bound) or bound < 1:
        raise Unusable("bound must be a whole number of at least 1.")
    rules: dict[str, Callable[[], tuple[int, Outcome]]] = {
        "targets": lambda: (2, _three_targets(claim, rows, tolerance, len(tokens))),
        "queries": lambda: (2, _queries_balance(claim, rows, tolerance, tokens)),
        "keys": lambda: (2, _keys_balance(claim, rows, tolerance, tokens)),
        "subspace": lambda: _singular_values(claim, rows, tolerance, len(tokens)),
    }

    def proof() -> Outcome:
        rule = next((rules[name] for name in rules if name in claim.witness), None)
        if rule is None:
            raise Unusable("it has none of targets, queries, keys and subspace.")
        proved, outcome = rule()
        if outcome.truth and proved < bound:
            return Outcome(False, f"it shows only that d_k is at least {proved}.")
        return outcome

    return balls.for_all(proof)


# With d_k = 1 the score of token j in row i is u_j v_i, with u_j = x_j·a and v_i = x_i·b for
# two vectors a and b. A token with more than half of the weight has the one highest score:
# where v_i > 0 it is the one j with the highest u_j, and where v_i < 0 the one with the
# lowest. With two tokens or more these differ, and v_i = 0 gives all tokens the same weight.


def _winners(rows: Rows, tolerance: Number) -> dict[int, int]:
    """Return the token that surely has more than half of the weight, by row, where there is one."""
    return {
        i: j
        for i, row in rows.items()
        for j, weight in row.items()
        if balls.rational(weight) - balls.rational(tolerance) > fmpq(1, 2)
    }


def _winner(winners: dict[int, int], row: int) -> int:
    if row not in winners:
        raise Unusable(f"row {row} has no weight that is surely above one half.")
    return winners[row]


def _three_targets(claim: Claim, rows: Rows, tolerance: Number, n: int) -> Outcome:
    """With d_k = 1 only two tokens can have more than half of the weight of some row."""
    chosen = reading.indices(claim.witness["targets"], "targets", n)
    winners = _winners(rows, tolerance)
    different = len({_winner(winners, i) for i in chosen})
    return Outcome(different >= 3, f"the rows have {different} different targets.")


def _extremes(claim: Claim, n: int) -> tuple[int, int | None]:
    """Return the tokens "towards" and "away", which differ."""
    towards, away = (
        claim.witnessed.index("towards", n),
        claim.witness.get("away"),
    )
    if away is not None and reading.index(away, "away", n) == towards:
        raise Unusable("towards and away must differ.")
    if n < 2:
        raise Unusable("a single token has all the weight with any head.")
    return towards, None if away is None else reading.index(away, "away", n)


def _balanced(weights: list[Number], vectors: fmpq_mat) -> Outcome:
    """Is Σ weight · vector = 0 in rationals, with weights ≥ 0 that are not all 0?"""
    if any(weight < 0 for weight in weights) or all(weight == 0 for weight in weights):
        raise Unusable("its weights must be at least 0, and not all 0.")
    total = EXACT.matrix(1, len(weights), weights) * vectors
    zero = all(entry == 0 for entry in total.entries())
    return Outcome(zero, f"the combination is {'' if zero else 'not '}exactly 0.")


def _queries_balance(claim: Claim, rows: Rows, tolerance: Number, tokens: Float64) -> Outcome:
    """With d_k = 1, v_i has one sign in rows won by a, and the other in rows won by b.

    So Σ l_i (± v_i) = b·Σ l_i (± x_i) is not 0.
    """
    towards, away = _extremes(claim, len(tokens))
    winners = _winners(rows, tolerance)
    places, weights, signs = [], [], []
    for entry in reading.listed(claim.witness["queries"], "queries"):
        i, weight = reading.listed(entry, "an entry of queries", 2)
        places.append(reading.index(i, "a row of queries", len(tokens)))
        weights.append(reading.exact(weight, "queries"))
        winner = _winner(winners, places[-1])
        if winner not in (towards, away):
            raise Unusable(f"row {places[-1]} goes neither towards nor away.")
        signs.append(1.0 if winner == towards else -1.0)
    vectors = [sign * tokens[i] for sign, i in zip(signs, places, strict=True)]
    flat = [entry for row in vectors for entry in row.tolist()]
    return _balanced(weights, EXACT.matrix(len(vectors), tokens.shape[1], flat))


def _keys_balance(claim: Claim, rows: Rows, tolerance: Number, tokens: Float64) -> Outcome:
    """With d_k = 1, u is highest at a and lowest at b, or the other way round.

    So a·(x_a - x_j) and a·(x_j - x_b) all have one sign, and Σ l (…) is not 0.
    """
    n = len(tokens)
    towards, away = _extremes(claim, n)
    if away is None or not {towards, away} <= set(_winners(rows, tolerance).values()):
        raise Unusable("towards and away must both be targets of listed rows.")
    coefficients, weights = [], []
    for entry in reading.listed(claim.witness["keys"], "keys"):
        kind, j, weight = reading.listed(entry, "an entry of keys", 3)
        j = reading.index(j, "a token of keys", n)
        if (kind, j) in (("above", towards), ("below", away)) or kind not in ("above", "below"):
            raise Unusable("keys must be above other than towards, or below other than away.")
        coefficients.append((towards, j) if kind == "above" else (j, away))
        weights.append(reading.exact(weight, "keys"))
    x = EXACT.read(tokens[sorted({j for pair in coefficients for j in pair})])
    place = {j: k for k, j in enumerate(sorted({j for pair in coefficients for j in pair}))}
    signs = EXACT.matrix(len(weights), len(place), [0] * (len(weights) * len(place)))
    for k, (high, low) in enumerate(coefficients):
        signs[k, place[high]] += 1
        signs[k, place[low]] -= 1
    return _balanced(weights, signs * x)


def _singular_values(claim: Claim, rows: Rows, tolerance: Number, n: int) -> tuple[int, Outcome]:
    """Weights of rank r after logarithms and centring need d_k ≥ r.

    On rows I and columns J let L = ln P, and let ln a be that of a head. Subtracting the
    mean of each row, a projection, turns ln a into centred scores, of rank ≤ d_k, and no
    entry of ln a - ln P is larger than e_ij = ln(P / (P - tolerance)). A matrix that is
    within t = ‖e‖ of the centred L has rank ≥ r if σ_r(L) > t, which holds if
    ‖Lᵀx‖ > t ‖x‖ for all x ≠ 0 in a space of r dimensions: the columns of U.
    """
    columns = claim.witnessed.indices("columns", n)
    U = reading.matrix(claim.witness["subspace"], "subspace", len(rows))
    P = [row.get(j, 0) for row in rows.values() for j in columns]
    if any(balls.rational(p) <= balls.rational(tolerance) for p in P):
        raise Unusable("a weight in its rows and columns may be 0 within the tolerance.")

    def test() -> Outcome:
        ratios = [arb(p) / (arb(p) - tolerance) for p in P]
        square = balls.squared([ratio.log() for ratio in ratios])
        L = BALLS.matrix(len(rows), len(columns), [arb(p).log() for p in P])
        centred = []
        for row in L.tolist():
            mean = sum(row, arb(0)) / len(row)
            centred += [entry - mean for entry in row]
        truth = exceeds(U, BALLS.matrix(len(rows), len(columns), centred), square, BALLS)
        word = "above" if truth else "not shown to be above"
        return Outcome(truth, f"the singular values are {word} {balls.show(square.sqrt())}.")

    return U.shape[1], balls.settle(test)


def exceeds(
    U: Float64, L: Any, square: Any, numbers: Arithmetic, *, semi: bool = False
) -> bool | None:
    """Is Uᵀ L Lᵀ U - square · UᵀU positive definite (semidefinite)?"""
    taken = numbers.read(U)
    image = taken.transpose() * L
    gap = image * image.transpose() - taken.transpose() * taken * square
    return balls.definite(gap.tolist(), semi=semi)


CLAIM_TYPES = {
    "d_k_at_least": ClaimType(
        d_k_at_least,
        "no head with d_k below {bound} has the weights of {rows:count} rows within "
        "{tolerance:down} of those listed",
    ),
}
