"""Statements about formulas, settled by claims that are verified: true for all inputs, or false.

An equation is proved for all sizes where it can be, else for some sizes, else tested at drawn
numbers; it is refuted by numbers for which the sides differ, in balls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.certificate import Unusable
from regard.certify.claims.algebra import comparisons, identities, rank_bounds
from regard.certify.formulas.counterexamples import find_counterexample
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.problems.assertions import Assertion, in_the_way
from regard.problems.symbols import SymbolsGiven
from regard.report.numbers import shortened

Scope = Literal["all", "sizes", "tested", ""]
Numbers = dict[str, Any]  # an array for each symbol, as lists
CHANCE = 1e-30  # that a wrong equation passes a test
TRIES = 40  # draws that may refute a bound
FAR, FARTHEST = 6, 12  # and more, of numbers up to this size
MOST_SIZE = 5  # of an equation that is written out for sizes that are numbers


@dataclass(frozen=True, eq=False)
class Settled:
    """What became of a statement, or of one part of it.

    Attributes:
        truth: whether it is true; None where that is not settled.
        claims: what proves that.
        scope: of what is true: for all sizes, for some, or tested; "" of what is not.
        values: numbers for which it fails, by name; empty where there are none.
        found: what verification found for those numbers, such as "3 on the left and 4 on the
            right".
    """

    truth: bool | None
    claims: tuple[Claim, ...] = ()
    scope: Scope = ""
    values: Mapping[str, Any] | None = None
    found: str = ""


def settle(parts: list[Assertion], given: SymbolsGiven) -> Settled:
    """Settle a statement: true if all its parts are, false if one is."""
    settled = [_settle(part, given) for part in parts]
    stuck = in_the_way(settled)
    if stuck is not None:
        return stuck
    order: list[Scope] = ["tested", "sizes", "all", ""]
    scope = min((one.scope for one in settled), key=order.index)
    shown = next((one for one in settled if one.values), settled[0])
    claims = tuple(claim for one in settled for claim in one.claims)
    return Settled(True, claims, scope, shown.values, shown.found)


def _settle(part: Assertion, given: SymbolsGiven) -> Settled:
    if part.relation == "rank <=":
        return _rank(part, given)
    if part.relation in (">", ">="):
        return _compared(part, given)
    equal = _equation(part, given)
    if part.relation == "=":
        return equal
    if equal.truth is None:
        return equal
    # That the sides are not always the same is shown by the numbers for which they differ.
    scope: Scope = "" if equal.truth else "all"
    return Settled(not equal.truth, equal.claims, scope, equal.values, equal.found)


def _holds(claim: Claim) -> tuple[str, str]:
    """Return the status of a claim, and what its numbers give."""
    (found,) = verify(Certificate({}, (claim,))).claims
    return found.status, shortened(found.there)


def _equation(part: Assertion, given: SymbolsGiven) -> Settled:
    fields = part.fields(given)
    shapes = fields.pop("shapes")
    stated = identities.claim(part.left, part.right, shapes, **fields)
    status, _ = _holds(stated)
    if status == "holds":
        return Settled(True, (stated,), "all")
    try:
        known = find_counterexample(StatedIdentity(stated))
    except Unusable:
        known = None
    if known is not None:
        refuted = identities.counterexample_claim(stated, known)
        status, there = _holds(refuted)
        if status == "holds":
            return Settled(False, (refuted,), "", known.values, there)
    symbols = {size for shape in shapes.values() for size in shape if isinstance(size, str)}
    primes = {name: min(size, MOST_SIZE) for name, size in given.sizes().items() if name in symbols}
    some = [primes, dict.fromkeys(primes, 2)]
    attempts: list[tuple[Scope, float]] = [("sizes", 0.0)] if primes else []
    for scope, chance in [*attempts, ("tested", CHANCE)]:
        weaker = identities.claim(
            part.left, part.right, shapes, sizes=some, chance=chance, **fields
        )
        if _holds(weaker)[0] == "holds":
            return Settled(True, (weaker,), scope)
    return Settled(None)


def _rank(part: Assertion, given: SymbolsGiven) -> Settled:
    fields = part.fields(given)
    stated = rank_bounds.claim(part.left, part.right, fields)
    refute = partial(rank_bounds.refutation, part.left, part.right, fields)
    return _bound(stated, refute, _drawn(given, fields))


def _compared(part: Assertion, given: SymbolsGiven) -> Settled:
    fields = part.fields(given)
    stated = comparisons.claim(part.left, part.right, part.relation == ">", fields)
    return _bound(stated, partial(comparisons.refutation, stated), _drawn(given, fields))


def _bound(stated: Claim, refute: Callable[[Numbers], Claim], drawn: list[Numbers]) -> Settled:
    """Settle a bound: it holds for all, or a claim holds that it fails for drawn numbers."""
    if _holds(stated)[0] == "holds":
        return Settled(True, (stated,), "all")
    for values in drawn:
        refuted = refute(values)
        status, there = _holds(refuted)
        if status == "holds":
            return Settled(False, (refuted,), "", values, there)
    return Settled(None)


def _drawn(given: SymbolsGiven, fields: Mapping[str, Any]) -> list[Numbers]:
    """Return numbers to refute a bound with, of several sizes."""
    rng = np.random.default_rng(23)
    turns = len(given.size_names) + 2
    found = []
    kinds = [(1 + turn % 3, (1, 1, 4)[turn // 3 % 3]) for turn in range(TRIES)]
    kinds += [(FARTHEST, 1)] * FAR + [(0, 1)]  # and all 0, where weights are the same
    for turn, (largest, parts) in enumerate(kinds):
        values = given.draw(rng, given.sizes(turn % turns), largest, parts)
        found.append({n: np.asarray(values[n], float).tolist() for n in fields["shapes"]})
    return found
