"""The claim that two formulas agree for all matrices.

    identity   left = right: whole, in row i for all i, or at entry (i, j) for all i and j; the
               right side may be summed over an index

An identity of polynomials (or of quotients of them) is tested where the matrices hold whole numbers
from 0 to 2¹²⁷ - 1, in rationals. The numbers are drawn from a hash of the claim, so nobody chose
them. A polynomial of degree D that is not 0 is 0 at such a point with a chance of at most D / 2¹²⁷
(Schwartz and Zippel). What is no algebra (exp, softmax, sqrt …) counts as an unknown function:
equal arguments give equal values, and nothing else is known of it.

For all sizes. Let left - right have degree D, and use only sums, products, transposes, dot, outer,
sum, tr and numbers. Then matrices with rows and columns of zeros around them give the same result,
with zeros around it. A product of D entries has at most 2D indices, and an entry of the result
two: if the identity is wrong at some sizes, one such product is left over, and it is left over too
if all but its own 2D + 2 indices are taken away. So sizes of 2D + 2 are enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpq

from regard.certify.balls import (
    Decision,
    show,
)
from regard.certify.certificate import (
    Certificate,
    Claim,
    Unusable,
    index,
    listed,
    part,
    positive_or_zero,
    up,
)
from regard.certify.degrees import any_size
from regard.certify.stated_identity import BITS, LARGEST_SIZE, StatedIdentity, named

LARGEST_DEGREE = 400
MOST_PLACES = 20_000  # where the right side is computed
ATTEMPTS = 4  # a draw may divide by 0


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
    chance: float = 1e-30,
) -> Claim:
    """Return the claim that two formulas agree for all matrices of these shapes."""
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
    return Claim("identity", fields)


def say_identity(claim: Claim) -> str:
    """Word the claim."""
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
    if fields["sizes"] is None:
        reach = "for matrices of all sizes"
    else:
        reach = "for all matrices of the sizes " + "; ".join(
            ", ".join(f"{name} = {size}" for name, size in some.items()) for some in fields["sizes"]
        )
    return (
        f"{left} equals {right}{every_one}{f', where {where},' if where else ''} {reach} "
        f"(a wrong identity would pass with a chance below {up(fields['chance'])})"
    )


def identity(claim: Claim, certificate: Certificate) -> Decision:
    """Test an identity where the claim's own hash says."""
    stated = StatedIdentity(claim)
    chance = positive_or_zero(part(claim.fields, "chance"), "chance")
    symbols = {size for shape in stated.shapes.values() for size in shape if isinstance(size, str)}
    given_sizes = part(claim.fields, "sizes")
    if given_sizes is None:
        if not all(any_size(tree) for tree in stated.trees()):
            raise Unusable("the formulas know the sizes of their matrices: name the sizes.")
        # Arguments of unknown functions must be equal at all sizes too.
        instances = [{name: 2 * max(stated.degrees(1)) + 2 for name in symbols}]
    else:
        instances = [_sizes(some, symbols) for some in listed(given_sizes, "sizes")]
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
    return Decision("holds", f"A wrong identity would pass with a chance of {show(worst)}.")


def _texts(claim: Claim) -> Any:
    return json.loads(json.dumps({**claim.fields}, default=str))


def _sizes(value: Any, symbols: set[str]) -> dict[str, int]:
    sizes = {name: index(size, "a size", LARGEST_SIZE + 1) for name, size in named(value).items()}
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
