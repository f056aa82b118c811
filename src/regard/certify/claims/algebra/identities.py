"""Claims that two formulas agree for all matrices, or that they do not.

    identity         left = right: whole, in row i for all i, or at entry (i, j) for all i and j;
                     the right side may be summed over an index
    identity_fails   the sides differ for the matrices of the witness, in balls

With chance 0 an identity is proved: both sides are written out in symbols (:mod:`.expansion`), for
sizes that are numbers or, if none are given, for all sizes at once, and nothing is left of their
difference. It holds wherever both sides are defined.

With a chance above 0 it is tested where the matrices hold whole numbers from 0 to 2¹²⁷ - 1, in
rationals. The numbers are drawn from a hash of the claim, so nobody chose them. A polynomial of
degree D that is not 0 is 0 at such a point with a chance of at most D / 2¹²⁷ (Schwartz and
Zippel). What is no algebra (exp, softmax, sqrt …) counts as an unknown function: equal arguments
give equal values, and nothing else is known of it.

A test for all sizes. Let left - right have degree D, and use only sums, products, transposes, dot,
outer, sum, tr and numbers. Then matrices with rows and columns of zeros around them give the same
result, with zeros around it. A product of D entries has at most 2D indices, and an entry of the
result two: if the identity is wrong at some sizes, one such product is left over, and it is left
over too if all but its own 2D + 2 indices are taken away. So sizes of 2D + 2 are enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpq

from regard.certify import balls, reading
from regard.certify.balls import EXACT, Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas.counterexamples import Counterexample, difference, find_counterexample
from regard.certify.formulas.degrees import any_size
from regard.certify.formulas.evaluation import read, table
from regard.certify.formulas.expansion import expand
from regard.certify.formulas.stated_identity import BITS, LARGEST_SIZE, StatedIdentity, named
from regard.language.formula.tree import Tree, operands

LARGEST_DEGREE = 400
MOST_PLACES = 20_000  # where the right side is computed
ATTEMPTS = 4  # a draw may divide by 0
LARGEST_WRITTEN = 12  # of a size that is a number, in a proof


def claim(
    left: str,
    right: str,
    shapes: Mapping[str, Sequence[int | str]],
    *,
    where: Mapping[str, str] | None = None,
    indexed: Mapping[str, Sequence[str]] | None = None,
    at: Sequence[str] = (),
    sum_over: str | None = None,
    sizes: Sequence[Mapping[str, int]] | None = None,
    chance: float = 0.0,
    permutations: Sequence[str] = (),
    positive: Sequence[str] = (),
) -> Claim:
    """Return the claim that two formulas agree for all matrices of these shapes.

    Args:
        left: a formula.
        right: a formula.
        shapes: of the names: [], [n] or [m, n] with numbers and names for sizes. A number with the
            name of a size is that size.
        where: further names, each a formula in those above it.
        indexed: x_i = ["X", "i"] is row i of X, as a column; a_i_j = ["A", "i", "j"] an entry.
        at: the right side is row i (["i"]) or entry i, j (["i", "j"]) of the left.
        sum_over: an index that the right side is summed over.
        sizes: numbers for the named sizes; None: all sizes.
        chance: 0 asks for a proof, and what is above it for a test that a wrong identity passes
            with at most this chance.
        permutations: names that are permutation matrices, all of them.
        positive: names that are numbers above 0.
    """
    fields = {
        "left": left,
        "right": right,
        "shapes": {name: list(shape) for name, shape in shapes.items()},
        "where": dict(where or {}),
        "indexed": {name: list(place) for name, place in (indexed or {}).items()},
        "at": list(at),
        "sum_over": sum_over,
        "sizes": None if sizes is None else [dict(some) for some in sizes],
        "chance": chance,
    }
    kept = {"permutations": list(permutations), "positive": list(positive)}
    return Claim("identity", {**fields, **{name: one for name, one in kept.items() if one}})


def _say_identity(claim: Claim) -> str:
    fields = claim.fields
    at, over = fields["at"], fields["sum_over"]
    left = fields["left"]
    if len(at) == 1:
        left = f"row {at[0]} of {left}"
    elif at:
        left = f"entry ({at[0]}, {at[1]}) of {left}"
    right = f"the sum of {fields['right']} over {over}" if over else fields["right"]
    where = ", ".join(f"{name} = {text}" for name, text in fields["where"].items())
    every_one = f" for all {' and '.join(at)}" if at else ""
    for kind, words in (("permutations", "permutation matrices"), ("positive", "numbers above 0")):
        if fields.get(kind):
            every_one += f" for all {words} {' and '.join(fields[kind])}"
    if fields["sizes"] is None:
        reach = "for matrices of all sizes"
    else:
        reach = "for all matrices of the sizes " + "; ".join(
            ", ".join(f"{name} = {size}" for name, size in some.items()) for some in fields["sizes"]
        )
    chance = fields["chance"]
    tested = ""
    if chance:
        tested = (
            " (tested at drawn numbers: a wrong identity would pass with a chance below "
            f"{reading.up(chance)})"
        )
    elif not _everywhere(fields):
        reach += ", wherever both are defined"
    return f"{left} equals {right}{every_one}{f', where {where},' if where else ''} {reach}{tested}"


def _everywhere(fields: Mapping[str, Any]) -> bool:
    """Say whether formulas divide by nothing and take no roots, logarithms or inverses."""
    texts = [fields["left"], fields["right"], *fields["where"].values()]
    return not any(
        node.op == "/"
        or (node.op == "call" and node.value in ("sqrt", "log"))
        or (node.op == "^" and not _whole_power(operands(read(text, "it").tree, at)[1]))
        for text in texts
        for at, node in enumerate(read(text, "it").tree)
    )


def _whole_power(exponent: Tree) -> bool:
    return len(exponent) == 1 and exponent[0].op == "number" and exponent[0].value % 1 == 0


def identity(claim: Claim, certificate: Certificate) -> Decision:
    """Write an identity out; with a chance above 0 test it where the claim's own hash says."""
    stated = StatedIdentity(claim)
    chance = claim.stated.positive_or_zero("chance")
    symbols = stated.symbols
    given_sizes = claim.stated.part("sizes")
    if chance == 0:
        listed_sizes = [] if given_sizes is None else reading.listed(given_sizes, "sizes")
        if not listed_sizes and given_sizes is not None:
            raise Unusable("sizes must not be empty.")
        return _proved(stated, [_sizes(some, symbols) for some in listed_sizes] or [{}])
    if given_sizes is None:
        if not all(any_size(tree) for tree in stated.trees()):
            raise Unusable("the formulas know the sizes of their matrices: name the sizes.")
        # Arguments of unknown functions must be equal at all sizes too.
        instances = [{name: 2 * max(stated.degrees(1)) + 2 for name in symbols}]
    else:
        instances = [_sizes(some, symbols) for some in reading.listed(given_sizes, "sizes")]
        if not instances:
            raise Unusable("sizes must not be empty.")
    source = json.dumps(_texts(claim), sort_keys=True)
    worst = fmpq(0)
    for sizes in instances:
        fixed = (size for shape in stated.shapes.values() for size in shape)
        largest = max([1, *sizes.values(), *(size for size in fixed if isinstance(size, int))])
        total, inner = stated.degrees(largest)
        if (
            largest > LARGEST_SIZE
            or max(total, inner) > LARGEST_DEGREE
            or stated.places(sizes) > MOST_PLACES
        ):
            raise Unusable("the identity is too large to test.")
        agrees, met = _tested(stated, sizes, f"{source}{sorted(sizes.items())}")
        if not agrees:
            where = ", ".join(f"{name} = {size}" for name, size in sorted(sizes.items()))
            reason = f"They differ for drawn matrices{f' with {where}' if where else ''}."
            if met:  # of the unknown functions more may be known
                return Decision("undecided", f"{reason} Only algebra is looked at.")
            return Decision("fails", reason)
        worst = max(worst, 2 * (fmpq(total) + fmpq(met) ** 2 * inner) / fmpq(2) ** BITS)
    if worst > fmpq(*float(chance).as_integer_ratio()):
        raise Unusable("so small a chance cannot be shown.")
    reason = f"A wrong identity would pass with a chance of {balls.show(worst)}."
    return Decision("holds", reason, len(instances))


def _proved(stated: StatedIdentity, instances: Sequence[Mapping[str, int]]) -> Decision:
    """Write both sides out, for some sizes or (without any) for all."""
    terms = 0
    for sizes in instances:
        if max(sizes.values(), default=0) > LARGEST_WRITTEN:
            raise Unusable("the identity is too large to be written out.")
        found = expand(stated, sizes)
        terms = max(terms, found.terms)
        if not found.proved:
            known = find_counterexample(stated, sizes)
            if known is None:
                reason = "Written out in symbols, not all terms cancel, and that settles nothing."
                return Decision("undecided", reason)
            return Decision("fails", f"They differ: {known.difference.words()}.")
    count = "one term" if terms == 1 else f"at most {terms} terms"
    return Decision("holds", f"Written out in symbols, both sides are the same sum of {count}.")


def counterexample_claim(stated: Claim, found: Counterexample) -> Claim:
    """Return the claim that the sides of an identity differ for some matrices."""
    fields = {name: value for name, value in stated.fields.items() if name != "chance"}
    return Claim(
        "identity_fails", {**fields, "sizes": [dict(found.sizes)]}, {"values": found.values}
    )


def _say_identity_fails(claim: Claim) -> str:
    said = _say_identity(Claim("identity", {**claim.fields, "chance": 1}))
    return f"it is not so that {said[: said.index(' for all matrices of the sizes')]}"


def identity_fails(claim: Claim, certificate: Certificate) -> Decision:
    """Compute both sides of an identity for the matrices of the witness."""
    stated = StatedIdentity(claim)
    (some,) = claim.stated.listed("sizes", 1)
    sizes = _sizes(some, stated.symbols)
    given = named(claim.witnessed.part("values"))
    values = {name: table(reading.part(given, name), name, EXACT) for name in stated.drawn}
    for name, value in values.items():
        if value.shape != stated.shape_at(name, sizes):
            raise Unusable(f"{name} has another shape.")
    stated.check_restricted(values)
    found = difference(stated, sizes, values)
    if found is None:
        return Decision("undecided", "The sides do not differ there, as far as can be told.")
    return Decision("holds", f"There it is {found.words()}.", there=found.words())


def _texts(claim: Claim) -> Any:
    return json.loads(json.dumps({**claim.fields}, default=str))


def _sizes(value: Any, symbols: set[str]) -> dict[str, int]:
    sizes = {
        name: reading.index(size, "a size", LARGEST_SIZE + 1) for name, size in named(value).items()
    }
    if set(sizes) != symbols or 0 in sizes.values():
        raise Unusable("sizes must give each symbolic size, from 1 on.")
    return sizes


def _tested(stated: StatedIdentity, sizes: Mapping[str, int], seed: str) -> tuple[bool, int]:
    for attempt in range(ATTEMPTS):
        try:
            return stated.agree(sizes, f"{seed}{attempt}")
        except ZeroDivisionError:
            continue
    raise Unusable("the formulas divide by 0.")


CLAIM_TYPES = {
    "identity": ClaimType(identity, _say_identity),
    "identity_fails": ClaimType(identity_fails, _say_identity_fails),
}
