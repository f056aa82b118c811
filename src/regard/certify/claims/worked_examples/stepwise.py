"""The claim that a computation, written down step by step, comes to these numbers.

    stepwise   a result of the steps, or some rows of it, has these entries: exactly, or within a
               bound

`steps` is a list of {"name", "op", "of", "options"}: a name for the result, what is done, to which
earlier results, and with which numbers. What each operation means is written in
:mod:`regard.certify.steps`. Arrays of the certificate come in by the operation `written` with
{"array": name, "over": whole number that its entries are divided by}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regard.certify import balls, reading
from regard.certify.balls import BALLS, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.worked_examples.computed import compared, in_digits
from regard.certify.steps import RATIONAL, result

FEW = 12  # entries that a sentence can hold


def claim(
    name: str, entries: Any, steps: list[Mapping[str, Any]], *, rows: list[int], bound: float = 0
) -> Claim:
    """Return the claim that these rows (counted from 0) of a result have these entries."""
    fields = {"quantity": name, "rows": rows, "entries": entries, "bound": bound, "steps": steps}
    return Claim("stepwise", fields)


def _say_stepwise(claim: Claim) -> str:
    fields = claim.fields
    rows = [list(row) for row in fields["entries"]]
    count = len(fields["steps"])
    if sum(map(len, rows)) <= FEW:
        text = "; ".join(", ".join(in_digits(entry) for entry in row) for row in rows)
        stated = f"({text})"
    else:
        stated = f"the {len(rows)} × {len(rows[0])} numbers given"
    places = ", ".join(map(str, fields["rows"]))
    which = f"row{'s' if len(rows) > 1 else ''} {places} (counted from 0) of {fields['quantity']}"
    near = f"within {reading.up(fields['bound'])}" if fields["bound"] else "exactly"
    number = "1 step" if count == 1 else f"{count} steps"
    return f"{which}, after {number}, {'are' if len(rows) > 1 else 'is'} {stated}, {near}"


def stepwise(claim: Claim, certificate: Certificate) -> Decision:
    """Decide whether every entry is what the steps come to."""
    fields = claim.fields
    name, steps = claim.stated.part("quantity"), claim.stated.listed("steps")
    stated = [
        [reading.exact(entry, "entries") for entry in reading.listed(row, "a row of entries")]
        for row in reading.listed(reading.part(fields, "entries"), "entries")
    ]
    if not stated or not all(stated):
        raise Unusable("entries must not be empty.")
    bound = reading.positive_or_zero(reading.part(fields, "bound"), "bound")
    if not all(isinstance(step, Mapping) for step in steps):
        raise Unusable("each step must be a table.")

    def test(numbers: Arithmetic) -> Outcome:
        whole = result(name, steps, certificate.arrays, numbers)
        places = reading.indices(reading.part(fields, "rows"), "rows", len(whole))
        found = [whole[place] for place in places]
        if [len(row) for row in found] != [len(row) for row in stated]:
            raise Unusable(f"{name} has shape {len(whole), len(whole[0])}, not this one.")
        return compared(found, stated, bound, numbers)

    algebraic = all(step.get("op") in RATIONAL for step in steps)
    return balls.constructed(
        balls.settle_algebra(test) if algebraic else balls.settle(lambda: test(BALLS))
    )


CLAIM_TYPES = {
    "stepwise": ClaimType(stepwise, _say_stepwise),
}
