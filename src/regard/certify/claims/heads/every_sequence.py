"""Heads that do the same for every sequence of tokens, and what no head can do for all of them.

every_sequence    each row of every sequence brings what is wanted to within a bound
order_unseen      two sequences look the same to a head without positions, and differ in what is
                  wanted: some error is at least the bound, whatever the matrices

Inputs are u_y + p_j for token y at position j, the rows of `tokens` and `positions`. Let d(y, j) be
the distance from the value of (y, j) to what is wanted, and s(y, j) its score, s* and d* those of
the target. The error of a row is at most Σ e^{s_j} d_j / Σ e^{s_j}, so it is at most F if

    e^{s*} (d* − F) + Σ_{j ≠ target} max(0, max_y e^{s(y, j)} (d(y, j) − F)) ≤ 0 :

tokens at different positions are chosen independently, and shorter sequences leave terms out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flint import arb, arb_mat

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType

TASKS = ("own token", "first token", "previous token", "last place", "written after")


class _Row(NamedTuple):
    """A row t, the position that it looks for, which tokens are known, and how many it sees."""

    t: int
    target: int
    known: dict[int, int]
    seen: int
    barred: int


class _Products(NamedTuple):
    """Queries, keys and values: of token y at position j in row y, column j."""

    q: list[list[arb_mat]]
    k: list[list[arb_mat]]
    v: list[list[arb_mat]]


def _say_every_sequence(claim: Claim) -> str:
    fields = claim.fields
    of = f" of token {fields['of']}" if fields.get("of") is not None else ""
    what = f"the {fields['task']}{of}"
    if fields["task"] == "written after":
        what = f"token {fields['write']} after token {fields['of']}, and nothing after others,"
    seen = ", each row seeing what is up to it" if fields.get("causal") else ""
    return (
        f"in every sequence up to the length of the positions{seen}, each row brings "
        f"{what} to within {reading.up(fields['bound'])}"
    )


def every_sequence(claim: Claim, certificate: Certificate) -> Decision:
    """Prove that each row of every sequence is within the bound."""
    tokens = reading.given(certificate, "tokens")
    positions = reading.given(certificate, "positions")
    if positions.shape[1] != tokens.shape[1]:
        raise Unusable("positions must be as wide as tokens.")
    d = tokens.shape[1]
    W = {
        name: reading.matrix(claim.witnessed.part(name), name, d) for name in ("W_Q", "W_K", "W_V")
    }
    if W["W_Q"].shape[1] != W["W_K"].shape[1] or W["W_V"].shape[1] != d:
        raise Unusable("W_Q and W_K must be as wide as each other, and W_V as the tokens.")
    bound = claim.stated.positive_or_zero("bound")
    rows = list(_rows(claim, len(tokens), len(positions)))

    def test() -> Outcome:
        x = [
            [
                BALLS.read(tokens[y : y + 1]) + BALLS.read(positions[j : j + 1])
                for j in range(len(positions))
            ]
            for y in range(len(tokens))
        ]
        Q, K, V = (BALLS.read(W[name]) for name in ("W_Q", "W_K", "W_V"))
        products = _Products(*([[one * X for one in row] for row in x] for X in (Q, K, V)))
        last = claim.fields["task"] == "last place"
        target_values = {
            i: BALLS.read((positions if last else tokens)[i : i + 1])
            for i in range(len(positions if last else tokens))
        }
        if claim.fields["task"] == "written after":
            of, write = (
                reading.index(claim.stated.part(name), name, len(tokens))
                for name in ("of", "write")
            )
            nothing = BALLS.read(tokens[:1] * 0.0)
            target_values = dict.fromkeys(range(len(tokens)), nothing) | {of: target_values[write]}
        distances: dict[tuple[int, int, int], arb] = {}
        truth: bool | None = True
        for row in rows:
            goal = row.target if last else row.known[row.target]
            found = _within(row, products, (goal, target_values[goal]), distances, arb(bound))
            truth = balls.every(truth, found)
            if found is False:
                return Outcome(False, f"row {row.t + 1} may be further off.")
        word = "is" if truth else "is not shown to be"
        return Outcome(truth, f"each of {len(rows)} kinds of rows {word} within the bound.")

    return balls.for_all(lambda: balls.settle(test))


def _within(
    row: _Row,
    products: _Products,
    target: tuple[int, arb_mat],
    distances: dict[tuple[int, int, int], arb],
    F: arb,
) -> bool | None:
    (q, k, v), (goal, wanted) = products, target
    query = q[row.known[row.t]][row.t]

    def distance(y: int, j: int) -> arb:
        if (goal, y, j) not in distances:
            distances[goal, y, j] = balls.norm((v[y][j] - wanted).entries())
        return distances[goal, y, j]

    def score(y: int, j: int) -> arb:
        return (query * k[y][j].transpose())[0, 0]

    z = row.known[row.target]
    own = score(z, row.target)
    total = distance(z, row.target) - F
    M = len(k)
    for j in range(row.seen):
        if j == row.target:
            continue
        terms = [arb(0)]
        for y in [row.known[j]] if j in row.known else range(M):
            if j not in row.known and j > row.target and y == row.barred:
                continue
            terms.append((score(y, j) - own).exp() * (distance(y, j) - F))
        total += BALLS.largest(terms)
    return balls.at_most(total, arb(0))


def _rows(claim: Claim, M: int, N: int) -> Iterator[_Row]:
    """Yield every kind of row of the longest sequences that the task says something about."""
    task, causal = claim.stated.part("task"), claim.fields.get("causal", False)
    if task not in TASKS or not isinstance(causal, bool):
        raise Unusable(f"task must be one of {', '.join(TASKS)}, and causal true or false.")
    of = claim.stated.index("of", M) if task == "last place" else -1
    for t in range(N):
        seen = t + 1 if causal else N
        if task == "own token":
            targets = [t]
        elif task == "first token":
            targets = [0]
        elif task in ("previous token", "written after"):
            targets = [t - 1] if t else []
        else:
            targets = list(range(seen))
        for target in targets:
            for z in [of] if of >= 0 else range(M):
                for x in [z] if target == t else range(M):
                    if not (of >= 0 and t > target and x == of):
                        yield _Row(t, target, {target: z, t: x}, seen, of)


def _say_order_unseen(claim: Claim) -> str:
    first, second = claim.fields["first"], claim.fields["second"]
    return (
        f"without positions, row {claim.fields['row'] + 1} of the sequences {first} and {second} "
        f"is the same, whatever the matrices: one of the two is off by at least "
        f"{reading.down(claim.fields['bound'])}"
    )


def order_unseen(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it: equal visible tokens and an equal query give an equal output."""
    tokens = reading.given(certificate, "tokens")
    sequences = [
        [reading.index(y, name, len(tokens)) for y in reading.listed(claim.stated.part(name), name)]
        for name in ("first", "second")
    ]
    first, second = sequences
    if len(first) != len(second):
        raise Unusable("the two sequences must be equally long.")
    t = claim.stated.index("row", len(first))
    task, causal = claim.stated.part("task"), claim.fields.get("causal", False)
    if task not in ("first token", "previous token") or not isinstance(causal, bool):
        raise Unusable("task must be first token or previous token, and causal true or false.")
    at = 0 if task == "first token" else t - 1
    if at < 0:
        raise Unusable("row 1 has no token before it.")
    bound = claim.stated.positive_or_zero("bound")

    def proof() -> Outcome:
        end = t + 1 if causal else len(first)
        if first[t] != second[t] or sorted(first[:end]) != sorted(second[:end]):
            return Outcome(False, "a head tells the two sequences apart.")

        def test() -> Outcome:
            gap = BALLS.read(
                tokens[first[at] : first[at] + 1] - tokens[second[at] : second[at] + 1]
            )
            half = balls.norm(gap.entries()) / 2
            return Outcome(
                balls.at_most(arb(bound), half), f"half of their distance is {balls.show(half)}."
            )

        return balls.settle(test)

    return balls.for_all(proof)


CLAIM_TYPES = {
    "every_sequence": ClaimType(every_sequence, _say_every_sequence),
    "order_unseen": ClaimType(order_unseen, _say_order_unseen),
}
