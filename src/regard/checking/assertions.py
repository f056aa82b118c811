"""Is a statement about formulas true for all inputs? As judges decide it.

Both sides are computed in floats on drawn numbers. Where they differ, the numbers are looked at
again in balls, so that rounding refutes nothing; where they never do, both are written out in
symbols. A statement that is neither refuted nor proved is not decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.balls import EXACT
from regard.certify.certificate import Unusable
from regard.certify.claims.algebra import comparisons, identities, rank_bounds
from regard.certify.formulas.counterexamples import counterexample, find_counterexample
from regard.certify.formulas.evaluation import read, table
from regard.certify.formulas.expansion import expand
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.checking.sampling import generator
from regard.errors import FormulaError
from regard.language import parse
from regard.problems.assertions import Assertion, in_the_way
from regard.problems.symbols import SymbolsGiven, Values

DRAWS = 16
FAR, FARTHEST = 6, 12  # more draws, of numbers up to this size, where sides are compared
APART = 1e-6  # of two numbers in floats that count as different
SIZES = 5  # largest of a proof for some sizes


@dataclass(frozen=True, eq=False)
class Judged:
    """What is known of a statement.

    Attributes:
        truth: whether it is true; None where that is not decided.
        everywhere: of what is true: for all sizes, rather than for some.
        values: numbers that refute it (or, with !=, show it), by name.
        words: what they show.
    """

    truth: bool | None
    everywhere: bool = True
    values: Mapping[str, Any] | None = None
    words: str = ""


def decide(parts: list[Assertion], given: SymbolsGiven) -> Judged:
    """Decide a statement: true if all its parts are, false if one is."""
    judged = [_decide(part, given) for part in parts]
    stuck = in_the_way(judged)
    if stuck is not None:
        return stuck
    shown = next((one for one in judged if one.values), judged[0])
    return Judged(True, all(one.everywhere for one in judged), shown.values, shown.words)


def fails_there(parts: list[Assertion], given: SymbolsGiven, values: Values) -> str:
    """Say how a statement fails for these numbers; "" where it does not."""
    return next((found for part in parts if (found := _refuted(part, given, values))), "")


def _decide(part: Assertion, given: SymbolsGiven) -> Judged:
    refuted = None
    for values in _drawn(given, FAR * (part.relation in (">", ">="))):
        words = _refuted(part, given, values) if _differ(part, values) else ""
        if words:
            refuted = Judged(False, values=_plain(values, given), words=words)
            break
    if refuted is None:
        refuted = _proved(part, given)
    if part.relation != "!=" or refuted.truth is None:
        return refuted
    return Judged(not refuted.truth, values=refuted.values, words=refuted.words)


def _drawn(given: SymbolsGiven, far: int = 0) -> Iterator[Values]:
    turns = len(given.size_names) + 2
    for seed in range(DRAWS):
        parts = (1, 1, 4)[seed // 3 % 3]
        yield given.draw(generator(seed), given.sizes((seed + 1) % turns), 1 + seed % 3, parts)
    for seed in range(DRAWS, DRAWS + far):  # weights near 0 and 1
        yield given.draw(generator(seed), given.sizes((seed + 1) % turns), FARTHEST)


def _sides(part: Assertion, values: Values) -> tuple[Any, Any]:
    known = dict(values)
    for name, text in part.where.items():
        known[name] = parse(text).evaluate(known)
    return parse(part.left).evaluate(known), parse(part.right).evaluate(known)


def _differ(part: Assertion, values: Values) -> bool:
    """Whether floats say that a part fails; what is not finite says nothing."""
    with np.errstate(all="ignore"):
        left, right = (np.asarray(side, float) for side in _sides(part, values))
    if not (np.all(np.isfinite(left)) and np.all(np.isfinite(right))):
        return True  # balls may know
    room = APART * max(1.0, float(np.max(np.abs(left))), float(np.max(np.abs(right))))
    if part.relation == "rank <=":
        return bool(np.linalg.matrix_rank(np.atleast_2d(left)) > right)
    if part.relation in (">", ">="):
        return bool(np.any(left - right < (room if part.relation == ">" else -room)))
    return bool(np.any(np.abs(left - right) > room))


def _refuted(part: Assertion, given: SymbolsGiven, values: Values) -> str:
    """Say how a part fails for these numbers, in balls; "" where that is not sure."""
    try:
        return _refuted_there(part, given, values)
    except (Unusable, FormulaError, ZeroDivisionError):  # it is not defined there
        return ""


def _refuted_there(part: Assertion, given: SymbolsGiven, values: Values) -> str:
    fields = part.fields(given)
    tables = {
        name: table(np.asarray(values[name], float).tolist(), name, EXACT)
        for name in fields["shapes"]
    }
    if part.relation == "rank <=":
        stated = _identity(part.right, part.right, fields)
        stated.check_restricted(tables)
        rank = rank_bounds.rank_at_least(stated, read(part.left, "a formula"), tables)
        bound = float(np.asarray(_sides(part, values)[1]))
        return "" if rank is None or rank <= bound else f"the rank is {rank}, and {bound:g} is less"
    if part.relation in (">", ">="):
        stated = _identity(part.left, part.right, fields, compared=True)
        found = comparisons.fails_at(stated, tables, strict=part.relation == ">")
        return "" if found is None else f"{found[0]} on the left and {found[1]} on the right"
    stated = _identity(part.left, part.right, fields)
    stated.check_restricted(tables)
    sizes = {name: int(values[name]) for name in stated.symbols}
    wrong = counterexample(stated, sizes, values)
    return "" if wrong is None else wrong.difference.words()


def _identity(
    left: str, right: str, fields: Mapping[str, Any], compared: bool = False
) -> StatedIdentity:
    shapes = fields["shapes"]
    rest = {name: fields[name] for name in ("where", "permutations", "positive")}
    return StatedIdentity(identities.claim(left, right, shapes, **rest), compared)


def _proved(part: Assertion, given: SymbolsGiven) -> Judged:
    fields = part.fields(given)
    if part.relation == "rank <=":
        return _verified(rank_bounds.claim(part.left, part.right, fields))
    if part.relation in (">", ">="):
        claim = comparisons.claim(part.left, part.right, part.relation == ">", fields)
        return _verified(claim)
    try:
        stated = _identity(part.left, part.right, fields)
        if expand(stated, {}).proved:
            return Judged(True)
        wrong = find_counterexample(stated)
        if wrong is not None:
            return Judged(False, values=wrong.values, words=wrong.difference.words())
        some = {n: min(k, SIZES) for n, k in given.sizes().items() if n in stated.symbols}
        if some and all(expand(stated, sizes).proved for sizes in (some, dict.fromkeys(some, 2))):
            return Judged(True, everywhere=False)
    except (Unusable, FormulaError, ZeroDivisionError):
        pass
    return Judged(None)


def _verified(claim: Claim) -> Judged:
    return Judged(True if verify(Certificate({}, (claim,))).holds else None)


def _plain(values: Values, given: SymbolsGiven) -> dict[str, Any]:
    return {name: np.asarray(values[name], float).tolist() for name in given.shapes}
