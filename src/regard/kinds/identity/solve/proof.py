"""What becomes of one claim of an identity: its formula, why it holds, and what proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.balls import EXACT
from regard.certify.certificate import Unusable
from regard.certify.claims import conditions, identities
from regard.certify.formulas.counterexamples import agree, counterexample, draws
from regard.certify.formulas.evaluation import Table, table
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.kinds.identity.solve.equation import (
    CHANCE,
    Proof,
    equation,
    prove,
    used_definitions,
    used_shapes,
)
from regard.kinds.identity.solve.instance import Values, draw, sizes_of
from regard.kinds.identity.solve.reasons import written_out
from regard.kinds.identity.solve.rules import Lifting, NoRule
from regard.kinds.identity.solve.sign import Step, positive, sums_to_one
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven
from regard.language import Formula, parse
from regard.language.formula.printing import to_text
from regard.language.formula.tree import operands

DRAWS = 30  # that an inequality which is not proved is tried on
Settled = Literal["holds", "sizes", "tested", "false", "open"]


@dataclass(frozen=True, eq=False)
class Result:
    """One claim, settled or not.

    Attributes:
        claim: what was asked.
        formula: the formula found, or the one to be shown.
        steps: why it holds, or what is known and what is missing.
        proofs: claims for a certificate. The first is what was asked.
        status: "holds": proved for all inputs and all sizes; "sizes": proved for some sizes;
            "tested" at drawn numbers; "false", with a counterexample; or "open".
        values: the numbers of a counterexample.
    """

    claim: IdentityClaim
    formula: Formula
    steps: tuple[Step, ...]
    proofs: tuple[Claim, ...] = ()
    status: Settled = "holds"
    values: Values | None = None


def settle(claim: IdentityClaim, given: IdentityGiven, instances: Sequence[Values]) -> Result:
    """Find the formula, or take the one given, and prove or refute it."""
    if claim.relation == ">":
        return _above(claim, given, instances)
    steps, lifted = _lift(claim, given)
    if claim.formula is not None:
        formula = parse(claim.formula)
    elif lifted is not None:
        formula = lifted
    else:
        return Result(claim, parse(claim.equals), steps, status="open")
    shape = list(formula.shape(given.whole_shapes()))
    if claim.shape is not None and shape != claim.shape:
        sizes = " × ".join(map(str, shape)) or "a number"
        why = f"The sizes that are asked for are others than those that come out: {sizes}."
        return Result(claim, formula, (*steps, (why, "")), status="open")
    proof = prove(formula.tree, claim, given)
    if proof is None:
        return _unproved(claim, formula, given, instances, steps)
    why_ = _why(claim, formula, given, proof, steps, lifted)
    status: Settled = "holds" if proof.reach == "all" else proof.reach
    return Result(claim, formula, (*why_, *_reach(proof)), (proof.claim,), status)


def _why(
    claim: IdentityClaim,
    formula: Formula,
    given: IdentityGiven,
    proof: Proof,
    steps: tuple[Step, ...],
    lifted: Formula | None,
) -> tuple[Step, ...]:
    """Say why an equation holds: by the rules for rows and entries, or written out."""
    weights = sums_to_one(formula.tree)
    if weights is not None and str(parse(claim.equals)) == "1":
        return tuple(weights)
    if not steps or lifted is None:
        return written_out(proof.claim, given, proof.reach)
    if lifted != formula:
        same = f"{formula.to_latex()} = {lifted.to_latex()}"
        return (*steps, ("This is the formula to be shown, written in another way.", same))
    return steps


def _reach(proof: Proof) -> tuple[Step, ...]:
    """Say where a proof ends that is not one for all sizes."""
    if proof.reach == "all":
        return ()
    sizes = "; ".join(
        ", ".join(f"{one} = {size}" for one, size in some.items())
        for some in proof.claim.fields["sizes"] or []
    )
    there = f" for the sizes {sizes}" if sizes.strip("; ") else ""
    if proof.reach == "tested":
        sentence = (
            f"It was tested at drawn numbers{there}, which a wrong equation passes with a chance "
            f"below {CHANCE:g}. A proof is missing."
        )
    else:
        sentence = f"It is proved{there}. A proof for all sizes is missing."
    return ((sentence, ""),)


def _lift(claim: IdentityClaim, given: IdentityGiven) -> tuple[tuple[Step, ...], Formula | None]:
    lifting = Lifting(given.all_shapes(), given.indexed())
    tree = parse(claim.equals).tree
    try:
        if claim.part == "row i":
            found = lifting.summed_row(tree) if claim.over else lifting.row(tree)
        elif claim.part == "entry i j":
            found = lifting.entry(tree)
        elif claim.over:
            found = lifting.summed(tree)
        else:
            return (), parse(claim.equals)
    except NoRule as reason:
        sentence = f"The rules for rows and entries lead no further: {reason}."
        return (*lifting.steps, (sentence, "")), None
    return tuple(lifting.steps), parse(to_text(found))


def _unproved(
    claim: IdentityClaim,
    formula: Formula,
    given: IdentityGiven,
    instances: Sequence[Values],
    steps: tuple[Step, ...],
) -> Result:
    """Look for numbers that an equation does not hold for; else say what is known of it."""
    stated = equation(formula.tree, claim, given)
    try:
        identity = StatedIdentity(stated)
        symbols = identity.symbols
        sizes = {one: size for one, size in sizes_of(given).items() if one in symbols}
        tried = [(sizes, values) for values in instances]
        tried += [(dict(some), values) for some, values in draws(identity)]
    except Unusable as problem:
        return Result(claim, formula, (*steps, (_sentence(str(problem)), "")), status="open")
    for some, values in tried:
        found = counterexample(identity, some, values)
        if found is None:
            continue
        proof = identities.counterexample_claim(stated, found)
        if not verify(Certificate({}, (proof,))).holds:
            continue
        there = {one: np.asarray(value, float) for one, value in found.values.items()}
        shown = _complete(given, {**instances[0], **some, **there})
        why = f"It is not so. For the numbers below it is {found.difference.words()}."
        return Result(claim, formula, ((why, ""),), (proof,), "false", shown)
    (tried_first,) = verify(Certificate({}, (stated,))).claims
    defined = sum(agree(identity, some, _tables(identity, values)) for some, values in tried)
    known = (
        f"Computed for numbers that were drawn, {len(tried)} times, both sides are the same to 150 "
        f"digits wherever both are defined, which is {defined} times."
        if defined
        else "For none of the numbers that were drawn are both sides defined."
    )
    end = ("So it is neither proved nor refuted.", "")
    return Result(
        claim, formula, (*steps, (tried_first.reason, ""), (known, ""), end), status="open"
    )


def _tables(identity: StatedIdentity, values: Values) -> dict[str, Table]:
    return {
        name: table(np.asarray(values[name], float).tolist(), name, EXACT)
        for name in identity.drawn
    }


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _complete(given: IdentityGiven, values: Values) -> Values:
    """Return values with what is defined by formulas."""
    found = dict(values)
    for name, text in given.define.items():
        found[name] = parse(text).evaluate(found)
    return found


def _above(claim: IdentityClaim, given: IdentityGiven, instances: Sequence[Values]) -> Result:
    """Show that a formula is above another, entry by entry."""
    assert claim.formula is not None
    formula, bound = parse(claim.formula), parse(claim.equals)
    trees = [formula.tree, bound.tree]
    shapes, where = used_shapes(trees, given), used_definitions(trees, given)
    proof = identities.above_claim(claim.formula, claim.equals, shapes, where)
    if verify(Certificate({}, (proof,))).holds:
        whole = given.whole_shapes()
        zero = str(bound) == "0"
        steps = positive(formula.tree, whole) if zero else _difference(formula, bound, given)
        why = "Written out in entries, no term of it can be negative, and one is above 0."
        latex = formula.to_latex() if zero else f"{formula.to_latex()} - ({bound.to_latex()})"
        return Result(claim, formula, tuple(steps or [(why, f"{latex} > 0")]), (proof,))
    effect = _exceeds(formula, bound, given)
    rng = np.random.default_rng(8)
    for values in [*instances, *(draw(given, rng) for _ in range(DRAWS))]:
        refuted = _not_so(effect, given, values)
        if verify(Certificate({}, (refuted,))).holds:
            reason = ("It is not so: the numbers below are a counterexample.", "")
            return Result(claim, formula, (reason,), (refuted,), "false", values)
    reason = (
        "The signs of its terms do not settle it, and no drawn numbers refute it.",
        "",
    )
    return Result(claim, formula, (reason,), status="open")


def _difference(formula: Formula, bound: Formula, given: IdentityGiven) -> list[Step] | None:
    """Show that a sum is above one of its terms: the rest is positive."""
    if formula.tree[-1].op != "+":
        return None
    for term, rest in (operands(formula.tree), operands(formula.tree)[::-1]):
        if term == bound.tree:
            return positive(rest, given.whole_shapes())
    return None


def _exceeds(formula: Formula, bound: Formula, given: IdentityGiven) -> str:
    """Write that every entry is above its bound, in free names."""
    shapes = given.whole_shapes()
    above, below = (side.substitute(_definitions(given)) for side in (formula, bound))
    if bound.shape(shapes):
        return f"min({above} - ({below})) > 0"
    return f"min({above}) > {below}" if formula.shape(shapes) else f"{above} > {below}"


def _definitions(given: IdentityGiven) -> dict[str, Formula]:
    """Return every name defined as a formula in the free ones."""
    found: dict[str, Formula] = {}
    for name, text in given.define.items():
        found[name] = parse(text).substitute(found)
    return found


def _not_so(effect: str, given: IdentityGiven, values: Values) -> Claim:
    """Claim that drawn numbers do not have an effect."""
    sizes = sizes_of(given)
    table = {name: np.asarray(values[name]).tolist() for name in (*given.shapes, *sizes)}
    condition = f"{next(iter(sizes))} >= 1" if sizes else "1 >= 1"
    return conditions.condition_claim("not sufficient", condition, effect, [table])
