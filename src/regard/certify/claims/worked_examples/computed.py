"""The claim that the numbers of a worked example are right.

    computed   a quantity, or one row of it, has these entries: exactly, or each within a bound

From tokens X (n, D) and the matrices W_Q, W_K, W_V, or from queries, keys and values themselves:

    queries Q = X W_Q,  keys K = X W_K,  values V = X W_V,  products P = Q Kᵀ,
    scores S = scale · P / √root,  weights A = softmax of each row of S,  outputs A V

Where the certificate has a mask, a weight is 0 where the mask is, and a row without any 1 has
weights 0. An array that is listed under `over` holds numerators: it is divided by that number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flint import arb

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Number, Unusable
from regard.certify.claims.claim_type import ClaimType

QUANTITIES = ("queries", "keys", "values", "products", "scores", "weights", "outputs")
MATRICES = {"queries": "W_Q", "keys": "W_K", "values": "W_V"}
NOUNS = {"products": "products of queries and keys", "weights": "attention weights"}
FEW = 12  # entries that a sentence can hold


def claim(
    quantity: str,
    entries: Any,
    *,
    row: int | None = None,
    bound: float = 0,
    over: Mapping[str, int] | None = None,
    root: int = 1,
) -> Claim:
    """Return the claim that a quantity, or a row of it, has these entries."""
    fields = {
        "quantity": quantity,
        "row": row,
        "entries": entries,
        "bound": bound,
        "over": dict(over or {}),
        "root": root,
    }
    return Claim("computed", fields)


def _say_computed(claim: Claim) -> str:
    fields = claim.fields
    name, row = NOUNS.get(fields["quantity"], fields["quantity"]), fields["row"]
    rows = _rows(fields["entries"], row)
    if sum(len(entries) for entries in rows) <= FEW:
        text = "; ".join(", ".join(in_digits(entry) for entry in entries) for entries in rows)
        stated = f"({text})"
    else:
        stated = f"the {len(rows)} × {len(rows[0])} numbers given"
    subject = f"the {name} are" if row is None else f"row {row} of the {name} (counted from 0) is"
    near = f"within {reading.up(fields['bound'])}" if fields["bound"] else "exactly"
    return f"{subject} {stated}, {near}"


def in_digits(value: Any) -> str:
    """Write a number that is claimed within some error, or a fraction, with all of its digits."""
    return reading.exactly(value) if isinstance(value, float) else str(value)


def difference_in_words(worst: Any) -> str:
    """Say how large the largest difference is; of a ball that holds 0, its upper end."""
    ball = arb(worst)
    known = ball.is_exact() or ball.rel_accuracy_bits() > 20
    shown = balls.show(ball) if known else f"at most {balls.show(ball.upper())}"
    return f"The largest difference is {shown}."


def compared(
    found: Sequence[Sequence[Any]],
    stated: Sequence[Sequence[Any]],
    bound: Number,
    numbers: Arithmetic,
) -> Outcome:
    """Is every entry within the bound of the one stated?"""
    apart = [
        abs(mine - numbers.number(theirs))
        for row, others in zip(found, stated, strict=True)
        for mine, theirs in zip(row, others, strict=True)
    ]
    worst = numbers.largest(apart)
    return Outcome(balls.at_most(worst, numbers.number(bound)), difference_in_words(worst))


def computed(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether every entry is what the arrays give."""
    quantity, row = claim.stated.part("quantity"), claim.stated.part("row")
    if quantity not in QUANTITIES:
        raise Unusable(f"quantity must be one of {', '.join(QUANTITIES)}.")
    inputs = _Inputs(claim, certificate)
    stated = [
        [reading.exact(entry, "entries") for entry in entries]
        for entries in _rows(claim.stated.part("entries"), row)
    ]
    bound = claim.stated.positive_or_zero("bound")

    def test(numbers: Arithmetic) -> Outcome:
        found = inputs.quantity(quantity, numbers)
        if row is not None:
            found = [found[reading.index(row, "row", len(found))]]
        if [len(entries) for entries in found] != [len(entries) for entries in stated]:
            raise Unusable(f"the {quantity} have shape {len(found), len(found[0])}, not this one.")
        return compared(found, stated, bound, numbers)

    algebraic = quantity in QUANTITIES[:4] or (quantity == "scores" and inputs.rational_root())
    return balls.constructed(
        balls.settle_algebra(test) if algebraic else balls.settle(lambda: test(BALLS))
    )


def _rows(entries: Any, row: Any) -> list[list[Any]]:
    """Return the stated entries as rows, at least one and none empty."""
    listing = reading.listed(entries, "entries")
    rows = (
        [listing]
        if row is not None
        else [reading.listed(part, "a row of entries") for part in listing]
    )
    if not rows or not all(rows):
        raise Unusable("entries must not be empty.")
    return rows


class _Inputs:
    """The arrays of a worked example, and what follows from them."""

    def __init__(self, claim: Claim, certificate: Certificate) -> None:
        self.certificate = certificate
        self.scale = reading.number(certificate.scale, "scale")
        self.root = _positive_whole_number(claim.fields.get("root", 1), "root")
        over = claim.fields.get("over") or {}
        if not isinstance(over, Mapping) or not set(over) <= set(certificate.arrays):
            raise Unusable("over must name arrays of the certificate.")
        self.over = {name: _positive_whole_number(value, "over") for name, value in over.items()}

    def rational_root(self) -> bool:
        return math.isqrt(self.root) ** 2 == self.root

    def quantity(self, name: str, numbers: Arithmetic) -> list[list[Any]]:
        """Return a quantity as rows of numbers."""
        if name in MATRICES:
            return self._rows(self._projected(name, numbers))
        if name == "outputs":
            weights = self.quantity("weights", numbers)
            table = numbers.matrix(
                len(weights), len(weights[0]), [x for row in weights for x in row]
            )
            return self._rows(self._times(table, self._projected("values", numbers)))
        queries, keys = self._projected("queries", numbers), self._projected("keys", numbers)
        products = self._times(queries, keys.transpose())
        if name == "products":
            return self._rows(products)
        factor = numbers.number(self.scale) / self._root(numbers)
        scores = [[factor * entry for entry in row] for row in self._rows(products)]
        return scores if name == "scores" else self._weights(scores)

    def _array(self, name: str, numbers: Arithmetic) -> Any:
        floats = reading.given(self.certificate, name)
        divisor = numbers.number(self.over.get(name, 1))
        entries = [numbers.number(entry) / divisor for entry in floats.ravel().tolist()]
        if not entries:
            raise Unusable(f"{name} is empty.")
        rows, columns = floats.shape
        return numbers.matrix(rows, columns, entries)

    def _projected(self, name: str, numbers: Arithmetic) -> Any:
        if "tokens" not in self.certificate.arrays:
            return self._array(name, numbers)
        return self._times(self._array("tokens", numbers), self._array(MATRICES[name], numbers))

    def _root(self, numbers: Arithmetic) -> Any:
        if self.rational_root():
            return numbers.number(math.isqrt(self.root))
        return arb(self.root).sqrt()

    def _weights(self, scores: list[list[Any]]) -> list[list[Any]]:
        allowed = np.ones((len(scores), len(scores[0])))
        if "mask" in self.certificate.arrays:
            allowed = reading.given(self.certificate, "mask")
            if allowed.shape != (len(scores), len(scores[0])) or not np.isin(allowed, (0, 1)).all():
                raise Unusable("mask must hold 0 and 1, one for each score.")
        return [softmax(row, may.tolist()) for row, may in zip(scores, allowed, strict=True)]

    @staticmethod
    def _times(left: Any, right: Any) -> Any:
        if left.ncols() != right.nrows():
            raise Unusable("the shapes of the arrays do not fit each other.")
        return left * right

    @staticmethod
    def _rows(table: Any) -> list[list[Any]]:
        return [list(row) for row in table.tolist()]


def softmax(scores: Sequence[arb], allowed: Sequence[float] | None = None) -> list[arb]:
    """Return the softmax over the allowed scores, and 0 elsewhere."""
    places = [i for i in range(len(scores)) if allowed is None or allowed[i]]
    weights = [arb(0)] * len(scores)
    if places:
        terms, total = balls.exponentials([scores[i] for i in places])
        for i, term in zip(places, terms, strict=True):
            weights[i] = term / total
    return weights


def _positive_whole_number(value: Any, name: str) -> int:
    """Return a whole number above 0."""
    found = balls.rational(reading.exact(value, name))
    if found.q != 1 or found <= 0:
        raise Unusable(f"{name} must be a whole number above 0.")
    return int(found.p)


CLAIM_TYPES = {
    "computed": ClaimType(computed, _say_computed),
}
