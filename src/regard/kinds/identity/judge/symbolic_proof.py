"""Is an answer the same formula for all inputs? By a proof, or by numbers for which it is not.

Trials in floats cannot tell a formula from one that differs in the tenth digit, or far from the
numbers that were drawn. So a formula that passes them is written out in symbols, for all sizes.
Where nothing is left of its difference from the definition, it is right. Otherwise numbers are
looked for where the two differ, in balls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify.balls import EXACT
from regard.certify.certificate import Unusable
from regard.certify.claims.algebra import identities
from regard.certify.formulas.counterexamples import Counterexample, agree, find_counterexample
from regard.certify.formulas.evaluation import table
from regard.certify.formulas.expansion import expand
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.errors import FormulaError
from regard.kinds.identity.instance import Values
from regard.kinds.identity.reading import Asked
from regard.kinds.identity.spec import INDICES, IdentityClaim, IdentityGiven
from regard.language import Formula, parse


@dataclass(frozen=True)
class Decided:
    """What is known of a formula.

    Attributes:
        stated: the answer beside the definition; None where it cannot be put so.
        proved: whether they are the same for all inputs and sizes.
        wrong: numbers for which they differ, or None.
    """

    stated: StatedIdentity | None = None
    proved: bool = False
    wrong: Counterexample | None = None


def decide(asked: Asked, claim: IdentityClaim) -> Decided:
    """Prove an answer, or find numbers for which it is wrong; neither may be possible."""
    try:
        stated = _stated(asked, claim)
        if stated is None:
            return Decided()
        if expand(stated, {}).proved:
            return Decided(stated, True)
        return Decided(stated, wrong=find_counterexample(stated))
    except (Unusable, FormulaError, ZeroDivisionError, OverflowError):
        return Decided()


def _stated(asked: Asked, claim: IdentityClaim) -> StatedIdentity | None:
    """Put an answer beside the definition of what it must be."""
    given = asked.given
    shapes = given.whole_shapes()
    fields = asked.answer.fields
    above = list(fields)[: list(fields).index(claim.name)]
    own = {name: _text(fields[name]) for name in above if name not in shapes}
    where = {**given.define, **{name: text for name, text in own.items() if text}}
    left = _text(asked.answer.need(claim.name))
    if not left:
        return None
    shown = claim.part == "whole" and not claim.over and claim.formula is not None
    right = (claim.formula if shown else claim.equals) or ""
    if claim.part == "whole":
        left = _as_column(left, right, where, given)
    used = parse(right).names
    return StatedIdentity(
        identities.claim(
            left,
            right,
            {name: shape for name, shape in shapes.items() if name not in given.define},
            where=where,
            indexed={name: place for name, place in given.indexed().items() if name in used},
            at=INDICES[claim.part],
            sum_over=claim.over,
            permutations=given.permutations,
            positive=given.positive,
        )
    )


def _text(field: Any) -> str:
    """Write a formula or a number out; "" for anything else."""
    return str(field) if isinstance(field, Formula) else repr(field) * isinstance(field, float)


def _as_column(left: str, right: str, where: Mapping[str, str], given: IdentityGiven) -> str:
    """Transpose a row that stands where a column is asked for: both are the same numbers."""
    known = given.whole_shapes()
    for name, text in where.items():
        known[name] = parse(text).shape(known)
    wanted = parse(right).shape(given.all_shapes())
    row = len(wanted) == 1 and parse(left).shape(known) == (1, *wanted)
    return f"({left})'" if row else left


def right_in_balls(decided: Decided, asked: Asked, values: Values) -> bool:
    """Say whether a proved formula is defined at these numbers, whatever floats make of it."""
    stated = decided.stated
    if not decided.proved or stated is None:
        return False
    sizes = {name: int(values[name]) for name in asked.given.size_names}
    tables = {
        name: table(np.asarray(values[name], float).tolist(), name, EXACT) for name in stated.drawn
    }
    return agree(stated, {one: sizes[one] for one in stated.symbols}, tables)
