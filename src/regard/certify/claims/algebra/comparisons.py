"""Claims that a formula is never below another, for all matrices, or that it is for some.

always_compared     left >= right (or >), entry by entry: written out in symbols for all sizes,
                    no term of the difference can be negative, and (for >) one is above 0
comparison_fails    left < right (or <=) in some entry, for the matrices of the witness, in balls
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import ctx

from regard.certify.balls import BALLS, EXACT, Decision, Outcome, settle, show
from regard.certify.certificate import Certificate, Claim, Unusable, listed, part
from regard.certify.claims.algebra import weight_bounds
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.counterexamples import MOST_BITS
from regard.certify.formulas.elementary import above_zero, never_negative
from regard.certify.formulas.evaluation import read, shape_of, table
from regard.certify.formulas.expansion import expand
from regard.certify.formulas.functions import in_balls
from regard.certify.formulas.number_tables import Table
from regard.certify.formulas.polynomials import Poly
from regard.certify.formulas.stated_identity import StatedIdentity, named
from regard.language import parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import operands

_REST: dict[str, Any] = {"indexed": {}, "at": [], "sum_over": None, "sizes": None}


def claim(left: str, right: str, strict: bool, fields: Mapping[str, Any]) -> Claim:
    """Return the claim that left >= right, or left > right, for all matrices.

    Args:
        left: a formula.
        right: a formula of the same shape, or a number.
        strict: whether they are never equal.
        fields: `shapes`, `where`, `permutations` and `positive`, as claims about identities have.
    """
    return Claim("always_compared", {"left": left, "right": right, "strict": strict, **fields})


def refutation(stated: Claim, values: Mapping[str, Any]) -> Claim:
    """Return the claim that a comparison fails for these matrices."""
    return Claim("comparison_fails", dict(stated.fields), {"values": dict(values)})


def _said(claim: Claim) -> str:
    fields = claim.fields
    where = ", ".join(f"{name} = {text}" for name, text in fields.get("where", {}).items())
    relation = "above" if fields["strict"] else "at least"
    end = f", where {where}" if where else ""
    return f"{fields['left']} is {relation} {fields['right']}{end}"


def _stated(claim: Claim) -> StatedIdentity:
    return StatedIdentity(Claim("identity", {**claim.fields, **_REST}), compared=True)


def always_compared(claim: Claim, certificate: Certificate) -> Decision:
    """Write the difference out, and look at the signs of its terms."""
    strict = bool(claim.stated.part("strict"))

    def test(poly: Poly) -> bool:
        return above_zero(poly) if strict else never_negative(poly)

    if _above_weights(claim.fields, strict):
        return Decision("holds", "Weights are not negative, and those of a row sum to 1.")
    if not strict and _within_the_values(claim.fields):
        return Decision("holds", "Averages lie between the smallest and the largest value.")
    reason = weight_bounds.why(claim.fields, strict)
    if reason:
        return Decision("holds", reason)
    if expand(_stated(claim), {}, test).proved:
        return Decision("holds", "Written out in symbols, no term is negative.")
    return Decision("undecided", "Written out in symbols, the signs of the terms settle nothing.")


def _above_weights(fields: Mapping[str, Any], strict: bool) -> bool:
    """Whether it says that no entry of a softmax is above 1: -softmax(S) >= -1."""
    left, right = (read(part(fields, side), side).tree for side in ("left", "right"))
    if [node.op for node in right] != ["number", "neg"] or left[-1].op != "neg":
        return False
    inner, where = left[:-1], named(fields.get("where", {}))
    for _ in range(len(where)):  # a name that is defined stands for its formula
        if len(inner) == 1 and inner[0].value in where:
            inner = read(where[inner[0].value], "where").tree
    if inner[-1].op == "call" and inner[-1].value in ("max", "rowmax") and inner[-1].arity == 1:
        inner = inner[:-1]  # the largest is one of them
        if len(inner) == 1 and inner[0].value in where:
            inner = read(where[inner[0].value], "where").tree
    least = right[0].value
    weights = inner[-1].op == "call" and inner[-1].value == "softmax"
    return bool(weights and (least > 1 or (least == 1 and not strict)))


def _within_the_values(fields: Mapping[str, Any]) -> bool:
    """Whether it says that no entry of softmax(S) V is above max(V), or none below min(V)."""
    left, right = (read(part(fields, side), side).tree for side in ("left", "right"))
    if left[-1].op == right[-1].op == "neg":
        left, right = right[:-1], left[:-1]
    where = named(fields.get("where", {}))
    shapes = {name: tuple(shape) for name, shape in named(part(fields, "shapes")).items()}
    shapes |= {size: () for shape in shapes.values() for size in shape if isinstance(size, str)}
    for name, text in where.items():
        shapes[name] = shape_of(read(text, name), shapes)
    for averages, bound, name in ((right, left, "max"), (left, right, "min")):
        factors = operands(averages) if averages[-1].op in ("*", "·") else []
        weights = factors[0] if factors else ()
        if len(weights) == 1 and weights[0].value in where:
            weights = read(where[weights[0].value], "where").tree
        if not weights or weights[-1].op != "call" or weights[-1].value != "softmax":
            continue
        if len(shape_of(parse(to_text(weights)), shapes)) != 2:  # rows of weights
            continue
        if bound[-1].op in ("*", "·"):  # ones(N) max(v), where there is one column
            first, bound = operands(bound)
            if first[-1].op != "call" or first[-1].value != "ones" or first[-1].arity != 1:
                continue
        if (bound[-1].op, bound[-1].value, bound[-1].arity) == ("call", name, 1):
            return to_text(operands(bound)[0]) == to_text(factors[1])
    return False


def comparison_fails(claim: Claim, certificate: Certificate) -> Decision:
    """Compute both sides for the matrices of the witness."""
    stated = _stated(claim)
    given = named(claim.witnessed.part("values"))
    values = {name: table(part(given, name), name, EXACT) for name in stated.drawn}
    found = fails_at(stated, values, strict=bool(claim.stated.part("strict")))
    if found is None:
        return Decision("undecided", "The comparison does not fail there, as far as can be told.")
    there = f"{found[0]} on the left and {found[1]} on the right"
    return Decision("holds", f"There it is {there}.", there=there)


def fails_at(
    stated: StatedIdentity, values: Mapping[str, Table], *, strict: bool
) -> tuple[str, str] | None:
    """Return both sides in an entry in which left >= right (or >) surely fails; None if in none."""
    sizes: dict[str, int] = {}
    for name in stated.drawn:
        shape = values[name].shape or ()
        for size, count in zip(stated.shapes[name], shape, strict=False):
            if isinstance(size, str) and sizes.setdefault(size, count) != count:
                raise Unusable(f"{size} would be two numbers.")
        if len(shape) != len(stated.shapes[name]):
            raise Unusable(f"{name} has another shape.")
    stated.check_restricted(values)
    balls = {
        name: Table(one.shape, tuple(BALLS.number(entry) for entry in one.entries))
        for name, one in values.items()
    }
    found: list[tuple[str, str]] = []

    def test() -> Outcome:
        for _, left, right in stated.sides(balls, sizes, BALLS, in_balls):
            spread = right * len(left) if stated.spread else right
            for one, other in zip(left, listed(spread, "right"), strict=True):
                equal = one.is_exact() and other.is_exact() and one == other
                if one < other or (strict and equal):
                    found.append((show(one), show(other)))
                    return Outcome(True, "")
        return Outcome(False if ctx.prec >= MOST_BITS else None, "")

    try:
        return found[0] if settle(test).truth else None
    except ZeroDivisionError:
        return None


CLAIM_TYPES = {
    "always_compared": ClaimType(
        always_compared, lambda claim: f"{_said(claim)}, for all matrices"
    ),
    "comparison_fails": ClaimType(
        comparison_fails, lambda claim: f"it is not so that {_said(claim)} for all matrices"
    ),
}
