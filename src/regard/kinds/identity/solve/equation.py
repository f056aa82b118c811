"""Claims that an equation holds for all matrices, in a form that can be verified.

The strongest that holds is taken: for all sizes, written out in symbols; for sizes that are
numbers, written out too; or tested at drawn numbers, with the chance that a wrong one passes.
"""

from __future__ import annotations

from regard.certify import Certificate, Claim, verify
from regard.certify.claims.algebra import identities
from regard.kinds.identity.instance import sizes_of
from regard.kinds.identity.solve.results import Scope
from regard.kinds.identity.spec import INDICES, IdentityClaim, IdentityGiven
from regard.language import Shape, parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, names

MOST_SIZE = 5  # of an equation that is written out for sizes that are numbers
CHANCE = 1e-30  # that a wrong equation passes a test


def used_definitions(trees: list[Tree], given: IdentityGiven) -> dict[str, str]:
    """Return what is defined, as far as formulas use it."""
    used = _used(trees, given)
    return {one: text for one, text in given.define.items() if one in used}


def used_shapes(trees: list[Tree], given: IdentityGiven) -> dict[str, Shape]:
    """Return the shapes of the names that formulas use, also through what is defined."""
    used, whole = _used(trees, given), given.whole_shapes()
    return {one: shape for one, shape in whole.items() if one in used and one not in given.define}


def _used(trees: list[Tree], given: IdentityGiven) -> set[str]:
    """Return the names that formulas use, of rows the matrix, and those in what is defined."""
    used = {one for tree in trees for one in names(tree)}
    used |= {given.indexed()[one][0] for one in used & given.indexed().keys()}
    for one, text in reversed(given.define.items()):
        used |= parse(text).names if one in used else set()
    return used


def equation(
    formula: Tree,
    claim: IdentityClaim,
    given: IdentityGiven,
    *,
    sizes: list[dict[str, int]] | None = None,
    chance: float = 0.0,
) -> Claim:
    """Return the claim that a part of a formula is what it must be."""
    right = parse(claim.equals).tree
    used = names(right)
    shapes = used_shapes([formula, right], given)
    symbols = {size for shape in shapes.values() for size in shape if isinstance(size, str)}
    return identities.claim(
        to_text(formula),
        claim.equals,
        shapes,
        where=used_definitions([formula, right], given),
        indexed={one: place for one, place in given.indexed().items() if one in used},
        at=INDICES[claim.part],
        sum_over=claim.over,
        sizes=None
        if sizes is None
        else [{one: size for one, size in some.items() if one in symbols} for some in sizes],
        chance=chance,
        permutations=[one for one in given.permutations if one in shapes],
        positive=[one for one in given.positive if one in shapes],
    )


def prove(formula: Tree, claim: IdentityClaim, given: IdentityGiven) -> tuple[Claim, Scope] | None:
    """Return the strongest claim about an equation that holds, and for which sizes it does.

    None: none does.
    """
    primes = {one: min(size, MOST_SIZE) for one, size in sizes_of(given).items()}
    some = [primes, dict.fromkeys(primes, 2)]
    attempts: list[tuple[Scope, list[dict[str, int]] | None, float]] = [("all", None, 0.0)]
    if primes:
        attempts.append(("sizes", some, 0.0))
    attempts.append(("tested", some, CHANCE))
    for scope, sizes, chance in attempts:
        stated = equation(formula, claim, given, sizes=sizes, chance=chance)
        (found,) = verify(Certificate({}, (stated,))).claims
        if found.status == "holds":
            return stated, scope
        if found.status == "fails":
            break
    return None
