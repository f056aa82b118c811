"""Two causal heads, one after the other, on every sequence of tokens.

two_layers    each row of layer 2, in every sequence, brings what is wanted to within a bound

Inputs are u_y + p_j for token y at position j, the rows of `tokens` and `positions`. Layer 1 adds
what its head brings to the stream, y_j = x_j + Σ a x W_V1, and layer 2 brings Σ b y W_V2. A key of
layer 2 depends on all tokens up to its position, so the worst sequence is not found place by place:
the tree of all sequences is walked, and what a prefix has is worked out once.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from flint import arb, arb_mat

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType

TASKS = ("what followed", "token two before")
NAMES = ("W_K1", "W_Q1", "W_V1", "W_K2", "W_Q2", "W_V2")
MOST = 6000  # sequences


def _say_two_layers(claim: Claim) -> str:
    start = ", after a token that begins all of them" if claim.fields.get("start") else ""
    what = {
        "what followed": "the token that followed the same token before",
        "token two before": "the token two places back",
    }.get(str(claim.fields["task"]), "what is wanted")
    return (
        f"in every sequence up to the length of the positions{start}, each row of layer 2 brings "
        f"{what} to within {reading.up(claim.fields['bound'])}"
    )


def two_layers(claim: Claim, certificate: Certificate) -> Decision:
    """Prove it on all sequences."""
    tokens, positions = (
        reading.given(certificate, "tokens"),
        reading.given(certificate, "positions"),
    )
    d = tokens.shape[1]
    if positions.shape[1] != d:
        raise Unusable("positions must be as wide as tokens.")
    task, start = claim.stated.part("task"), claim.fields.get("start", False)
    if task not in TASKS or not isinstance(start, bool):
        raise Unusable(f"task must be one of {', '.join(TASKS)}, and start true or false.")
    M = len(tokens) - start
    if M < 1 or len(positions) - start < 1:
        raise Unusable("there must be a token and a position beside the start.")
    if sum(M**n for n in range(1, len(positions) - start + 1)) > MOST:
        raise Unusable(f"there are more than {MOST} sequences.")
    W = {name: reading.matrix(claim.witnessed.part(name), name, d) for name in NAMES}
    for layer in "12":
        if W[f"W_K{layer}"].shape != W[f"W_Q{layer}"].shape or W[f"W_V{layer}"].shape[1] != d:
            raise Unusable("W_K and W_Q must be as wide as each other, and W_V as the tokens.")
    bound = claim.stated.positive_or_zero("bound")

    def test() -> Outcome:
        rows = {name: BALLS.read(w) for name, w in W.items()}
        u = [BALLS.read(tokens[y : y + 1]) for y in range(len(tokens))]
        p = [BALLS.read(positions[j : j + 1]) for j in range(len(positions))]
        return _Walk(rows, u, p, task, start, arb(bound)).outcome()

    return balls.for_all(lambda: balls.settle(test))


class _Walk:
    """A walk through the tree of all sequences."""

    def __init__(
        self, W: dict[str, Any], u: list[arb_mat], p: list[arb_mat], task: str, start: bool, F: arb
    ) -> None:
        self.W, self.u, self.p, self.task, self.start, self.F = W, u, p, task, start, F
        self.M = len(u) - start
        self.first: dict[tuple[int, int], tuple[Any, ...]] = {}
        self.powers: dict[tuple[int, int, int, int], arb] = {}
        self.truth: bool | None = True
        self.count = 0
        self.wrong: list[int] = []

    def outcome(self) -> Outcome:
        """Walk, and say what was found."""
        self.step([], [])
        if self.truth is False:
            return Outcome(False, f"row {len(self.wrong)} of {self.wrong} is further off.")
        word = "is" if self.truth else "is not shown to be"
        return Outcome(self.truth, f"each of {self.count} rows {word} within the bound.")

    def step(self, sequence: list[int], below: list[tuple[Any, Any]]) -> None:
        """Go on from a prefix, with keys and values of layer 2 up to there."""
        t = len(sequence)
        if t == len(self.p) or self.truth is False:
            return
        for y in [self.M] if self.start and t == 0 else range(self.M):
            here = [*sequence, y]
            stream = self.stream(here)
            own = (stream * self.W["W_K2"], stream * self.W["W_V2"])
            now = [*below, own]
            goal = self.wanted(here)
            if goal is not None:
                self.count += 1
                found = self.within(stream * self.W["W_Q2"], now, self.u[goal])
                self.truth = balls.every(self.truth, found)
                if found is False:
                    self.wrong = here
                    return
            self.step(here, now)

    def at(self, y: int, j: int) -> tuple[Any, ...]:
        """Return the input, the key, the query and the value of layer 1 for token y at j."""
        if (y, j) not in self.first:
            x = self.u[y] + self.p[j]
            self.first[y, j] = (x, *(x * self.W[name] for name in ("W_K1", "W_Q1", "W_V1")))
        return self.first[y, j]

    def stream(self, sequence: list[int]) -> arb_mat:
        """Return the stream after layer 1 at the last place of a prefix."""
        t, x = len(sequence) - 1, sequence[-1]
        own, _, query, _ = self.at(x, t)
        total, brought = arb(0), own * arb(0)
        for j, y in enumerate(sequence):
            _, key, _, value = self.at(y, j)
            if (x, t, y, j) not in self.powers:
                self.powers[x, t, y, j] = (query * key.transpose())[0, 0].exp()
            power = self.powers[x, t, y, j]
            total += power
            brought += value * power
        return own + brought * (1 / total)

    def within(self, query: arb_mat, below: list[tuple[Any, Any]], wanted: arb_mat) -> bool | None:
        """Say whether what layer 2 brings is within the bound."""
        scores = [(query * key.transpose())[0, 0] for key, _ in below]
        powers, total = balls.exponentials(scores)
        brought = below[0][1] * powers[0]
        for power, (_, value) in zip(powers[1:], below[1:], strict=True):
            brought = brought + value * power
        return balls.at_most(balls.norm((brought * (1 / total) - wanted).entries()), self.F)

    def wanted(self, sequence: list[int]) -> int | None:
        """Return the token that the last row of a prefix has to bring; None: it is free."""
        words = sequence[self.start :]
        if self.task == "token two before":
            return words[-3] if len(words) > 2 else None
        after = {b for a, b in pairwise(words) if a == words[-1]}
        return after.pop() if len(after) == 1 else None


CLAIM_TYPES = {"two_layers": ClaimType(two_layers, _say_two_layers)}
