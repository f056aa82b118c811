"""Claims about how many numbers, products and additions there are.

    count   a formula is the total of arrays, of products of matrices and of additions, for all
            sizes; and at some numbers it is this number
    shape   an array that is made step by step has these axes

Each part of a count is counted from its sizes: an array (a, b, …) has a·b·… entries, a product of
an (m × k) and a (k × n) matrix takes m·k·n multiplications and m·n·(k − 1) additions. The total is
a formula in the parts. Both sides are written as quotients of polynomials in the sizes, in
rationals: they agree for all sizes, or they do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable, listed, part
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.evaluation import read
from regard.certify.formulas.rational_functions import Field, Ratio
from regard.certify.formulas.written_ratio import at_known
from regard.language import Formula

PARTS = ("array", "multiplications", "additions")
STEPS = ("given", "times", "times transposed", "split", "merge")
MOST_PARTS = 60


def claim(
    quantity: str,
    formula: str,
    parts: Mapping[str, Mapping[str, Any]],
    total: str,
    values: Mapping[str, int | str] | None = None,
    number: str | None = None,
) -> Claim:
    """Return the claim that a formula is the total of these parts.

    Args:
        quantity: what is counted, for the sentence.
        formula: in the symbols.
        parts: by name, `{"kind": "array", "sizes": ["d", "d"], "times": "4"}`.
        total: a formula in the names of the parts and in the symbols.
        values: numbers for the symbols.
        number: what it is there, as a whole number or a fraction.
    """
    fields = {
        "quantity": quantity,
        "formula": formula,
        "parts": {name: dict(one) for name, one in parts.items()},
        "total": total,
        "values": dict(values or {}),
        "number": number,
    }
    return Claim("count", fields)


def _say_count(claim: Claim) -> str:
    fields = claim.fields
    said = []
    for name, one in fields["parts"].items():
        sizes = " × ".join(f"({size})" if " " in str(size) else str(size) for size in one["sizes"])
        times = "" if str(one["times"]) == "1" else f", {one['times']} times"
        noun = {"array": "array", "multiplications": "multiplications of the product"}
        said.append(f"{name}: {noun.get(one['kind'], 'additions of the product')} {sizes}{times}")
    number = ""
    if fields["number"] is not None:
        at = ", ".join(f"{name} = {value}" for name, value in fields["values"].items())
        number = f", which is {fields['number']}{f' for {at}' if at else ''}"
    made = f" ({'; '.join(said)})" if said else ""
    return (
        f"{fields['quantity']}, {fields['total']}{made}, is {fields['formula']} for all sizes"
        f"{number}"
    )


def count(claim: Claim, certificate: Certificate) -> Decision:
    """Add the parts up as polynomials, and compare with the formula; then put the numbers in."""
    fields = claim.fields
    formula = _formula(part(fields, "formula"), "formula")
    total = _formula(part(fields, "total"), "total")
    parts = part(fields, "parts")
    if not isinstance(parts, Mapping) or len(parts) > MOST_PARTS:
        raise Unusable(f"parts must be given by name, at most {MOST_PARTS}.")
    texts = {str(name): _part_formulas(one) for name, one in parts.items()}
    every = [formula, *(one for _, sizes, times in texts.values() for one in (*sizes, times))]
    values = _values(part(fields, "values"))
    free = (formula.names | frozenset(values)).union(*(one.names for one in every))
    free |= total.names - set(texts)
    if free & set(texts):
        raise Unusable("a part has the name of a symbol.")
    names = sorted(free)
    field = Field([], names)
    known: dict[str, Ratio] = {name: field.symbol(name) for name in names}
    for name, (kind, sizes, times) in texts.items():
        lengths = [_value(field, size, known) for size in sizes]
        known[name] = _counted(kind, lengths) * _value(field, times, known)
    stated = _value(field, formula, known)
    if _value(field, total, known) != stated:
        return Decision("fails", "Multiplied out, the total of the parts is another formula.")
    number = part(fields, "number")
    if number is None:
        return Decision("holds", "Multiplied out, both are the same polynomial in the sizes.")
    found = at_known(stated, names, values)
    if found is None:
        raise Unusable("the values leave the number open.")
    if found != _fraction(number):
        return Decision("fails", f"There it is {found}.")
    return Decision(
        "holds", f"Multiplied out, both are the same in the sizes; there it is {found}."
    )


def _counted(kind: str, lengths: Sequence[Ratio]) -> Ratio:
    if kind == "array":
        product = lengths[0]
        for length in lengths[1:]:
            product = product * length
        return product
    if len(lengths) != 3:
        raise Unusable("a product has three sizes.")
    rows, inner, columns = lengths
    return rows * columns * (inner if kind == "multiplications" else inner - 1)


def _part_formulas(one: Any) -> tuple[str, list[Formula], Formula]:
    kind = part(one, "kind")
    if kind not in PARTS:
        raise Unusable(f"a part is one of {', '.join(PARTS)}.")
    sizes = [_formula(size, "a size") for size in listed(part(one, "sizes"), "sizes")]
    if not sizes:
        raise Unusable("sizes must not be empty.")
    return kind, sizes, _formula(part(one, "times"), "times")


def _formula(text: Any, name: str) -> Formula:
    return read(str(text) if isinstance(text, int) else text, name)


def _value(field: Field, formula: Formula, known: Mapping[str, Ratio]) -> Ratio:
    return field.value(formula.tree, known or {"": field.number(0)})


def _values(given: Any) -> dict[str, Fraction]:
    if not isinstance(given, Mapping):
        raise Unusable("values must be given by name.")
    return {str(name): _fraction(value) for name, value in given.items()}


def _fraction(value: Any) -> Fraction:
    try:
        if isinstance(value, bool):
            raise ValueError
        return Fraction(value)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise Unusable("a number must be whole, or a fraction p/q.") from None


def shape_claim(array: str, axes: Sequence[str], steps: Sequence[Sequence[Any]]) -> Claim:
    """Return the claim that an array has these axes.

    Args:
        array: the name of the last step.
        axes: formulas in the sizes.
        steps: [name, "given", axes]; [name, "times", one, other] for matrices over the last two
            axes, or "times transposed"; [name, "split", one, heads], which parts the last axis
            and puts heads before the length; [name, "merge", one], which undoes it.
    """
    return Claim("shape", {"array": array, "axes": list(axes), "steps": [list(s) for s in steps]})


def _say_shape(claim: Claim) -> str:
    axes = ", ".join(map(str, claim.fields["axes"]))
    steps = steps_in_words(claim.fields["steps"])
    return f"{claim.fields['array']} has the axes ({axes}), where {steps}"


def steps_in_words(steps: Iterable[Sequence[Any]]) -> str:
    """Say how each array is made, of what was made before it."""
    made = []
    for name, how, *rest in steps:
        if how == "given":
            made.append(f"{name} is given as ({', '.join(map(str, rest[0]))})")
        elif how == "split":
            made.append(f"{name} is {rest[0]} split into {rest[1]} heads")
        elif how == "merge":
            made.append(f"{name} is {rest[0]} with its heads side by side")
        else:
            made.append(f"{name} is {rest[0]} {rest[1]}{'ᵀ' * (how != 'times')}")
    return "; ".join(made)


def shape(claim: Claim, certificate: Certificate) -> Decision:
    """Follow the steps, and compare the axes of the last."""
    axes = [_formula(one, "an axis") for one in claim.stated.listed("axes")]
    steps = [listed(one, "a step") for one in claim.stated.listed("steps")]
    if not steps or any(len(one) < 3 or one[1] not in STEPS for one in steps):
        raise Unusable(f"a step is one of {', '.join(STEPS)}.")
    sizes = [size for step in steps if step[1] == "given" for size in listed(step[2], "axes")]
    sizes += [step[3] for step in steps if step[1] == "split" and len(step) == 4]
    formulas = [_formula(size, "a size") for size in sizes] + axes
    names = sorted(frozenset[str]().union(*(one.names for one in formulas)))
    field = Field([], names)
    known = {name: field.symbol(name) for name in names}
    found: dict[str, list[Ratio]] = {}
    for name, how, *rest in steps:
        if how == "given":
            made = [_value(field, _formula(size, "a size"), known) for size in rest[0]]
        else:
            made = _made(how, rest, found, field, known)
        found[str(name)] = made
    last = found.get(str(claim.stated.part("array")))
    if last is None:
        raise Unusable("the array is no step.")
    wanted = [_value(field, axis, known) for axis in axes]
    if len(last) != len(wanted) or not all(a == b for a, b in zip(last, wanted, strict=True)):
        return Decision("fails", "Followed step by step, it has other axes.")
    return Decision("holds", "Followed step by step, it has these axes.")


def _made(
    how: str,
    rest: Sequence[Any],
    found: Mapping[str, list[Ratio]],
    field: Field,
    known: Mapping[str, Ratio],
) -> list[Ratio]:
    one = found.get(str(rest[0]))
    if one is None or len(one) < 2:
        raise Unusable("a step uses what no step above it makes.")
    if how == "split" and len(rest) == 2:
        heads = _value(field, _formula(rest[1], "a size"), known)
        return [*one[:-2], heads, one[-2], one[-1] / heads]
    if how == "merge" and len(one) >= 3:
        return [*one[:-3], one[-2], one[-3] * one[-1]]
    other = found.get(str(rest[1])) if len(rest) == 2 else None
    if other is None or len(other) < 2:
        raise Unusable("a product needs two arrays of two axes or more.")
    inner, outer = (other[-1], other[-2]) if how == "times transposed" else (other[-2], other[-1])
    if not one[-1] == inner:
        raise Unusable("the inner sizes of a product differ.")
    return [*one[:-1], outer]


CLAIM_TYPES = {"count": ClaimType(count, _say_count), "shape": ClaimType(shape, _say_shape)}
