"""What becomes of one claim of an identity: its formula, why it holds, and what proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate, Claim, conditions, distribution, verify
from regard.errors import FormulaError
from regard.language import Formula, parse
from regard.language.printing import to_text
from regard.language.tree import Tree, operands
from regard.problems.kinds.identity import INDICES, IdentityClaim, IdentityGiven
from regard.solving.identity.equation import prove
from regard.solving.identity.instance import Values, from_parts, sizes_of
from regard.solving.identity.rules import Lifting, NoRule
from regard.solving.identity.sign import Step, positive, softmax_argument, sums_to_one

Float64 = NDArray[np.float64]

APART = 1e-6  # what is further apart in whole numbers of this size is not rounding


@dataclass(frozen=True, eq=False)
class Result:
    """One claim, settled or not.

    Attributes:
        claim: what was asked.
        formula: the formula found, or the one to be shown.
        steps: why it holds, or where it ends.
        proofs: claims for a certificate.
        scores: rows whose softmax the proofs are about.
        status: "holds", "false" (with a counterexample) or "open".
    """

    claim: IdentityClaim
    formula: Formula
    steps: tuple[Step, ...]
    proofs: tuple[Claim, ...] = ()
    scores: tuple[Float64, ...] = field(default=())
    status: str = "holds"


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
    weights = _sum_of_weights(formula.tree, given)
    if weights is not None and str(parse(claim.equals)) == "1":
        reasons = tuple(sums_to_one(formula.tree) or ())
        scores = tuple(_rows(weights, values) for values in instances)
        return Result(claim, formula, reasons, (distribution.claim(),), scores)
    proofs = prove(formula.tree, claim, given)
    if not proofs:
        refuted = _refuted(claim, formula, given, instances)
        return refuted or Result(claim, formula, steps, status="open")
    if lifted is not None and lifted != formula:
        same = f"{formula.to_latex()} = {lifted.to_latex()}"
        steps = (*steps, ("This is the formula to be shown, written in another way.", same))
    if not steps or lifted is None:
        equation = f"{formula.to_latex()} = {parse(claim.equals).to_latex()}"
        steps = (("Written out in entries, both sides have the same terms.", equation),)
    return Result(claim, formula, steps, proofs)


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


def _sum_of_weights(tree: Tree, given: IdentityGiven) -> Tree | None:
    """Return x where the formula is sum(softmax(x)) of a vector x."""
    if tree[-1].op != "call" or tree[-1].value != "sum":
        return None
    return _scores(operands(tree)[0], given, axes=(1,))


def _scores(tree: Tree, given: IdentityGiven, axes: tuple[int, ...]) -> Tree | None:
    """Return x where the formula is softmax(x), for vectors, or for matrices row by row."""
    found = softmax_argument(tree)
    if found is None:
        return None
    count = len(parse(to_text(found)).shape(given.whole_shapes()))
    # Powers divided by the sum of all are the softmax of a vector, not that of rows.
    return found if count in axes and (count == 1 or tree[-1].op == "call") else None


def _rows(argument: Tree, values: Values) -> Float64:
    return np.atleast_2d(np.asarray(parse(to_text(argument)).evaluate(values), float))


def _above(claim: IdentityClaim, given: IdentityGiven, instances: Sequence[Values]) -> Result:
    """Show that a formula is above another, entry by entry."""
    assert claim.formula is not None
    formula, bound = parse(claim.formula), parse(claim.equals)
    shapes = given.whole_shapes()
    if str(bound) == "0":
        steps = positive(formula.tree, shapes)
        weights = _scores(formula.tree, given, axes=(1, 2))
        if steps is not None and weights is not None:
            scores = tuple(_rows(weights, values) for values in instances)
            proofs = (distribution.claim(),)
            return Result(claim, formula, tuple(steps), proofs, scores)
    else:
        steps = _difference(formula, bound, given)
    effect = _exceeds(formula, bound, given)
    proof = _on_instances("sufficient", effect, given, instances)
    if steps is not None and verify(Certificate({}, (proof,))).holds:
        return Result(claim, formula, tuple(steps), (proof,))
    refuted = _on_instances("not sufficient", effect, given, instances)
    if verify(Certificate({}, (refuted,))).holds:
        why = ("Drawn numbers do not satisfy it: the example below is a counterexample.", "")
        return Result(claim, formula, (why,), (refuted,), status="false")
    why = ("The rules for signs lead no further.", "")
    return Result(claim, formula, (why,), status="open")


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


def _on_instances(
    says: str,
    effect: str,
    given: IdentityGiven,
    instances: Sequence[Values],
    more: Values | None = None,
) -> Claim:
    """Claim that drawn numbers have an effect, or that some have not."""
    sizes = sizes_of(given)
    tables = [
        {name: np.asarray(values[name]).tolist() for name in (*given.shapes, *sizes)} | (more or {})
        for values in instances
    ]
    return conditions.condition_claim(says, f"{next(iter(sizes))} >= 1", effect, tables)


def _refuted(
    claim: IdentityClaim, formula: Formula, given: IdentityGiven, instances: Sequence[Values]
) -> Result | None:
    """Look for drawn numbers that an equation does not hold for, and claim what is seen."""
    for values in instances:
        left = np.asarray(formula.evaluate(values), float)
        right = np.asarray(from_parts(claim, given, values), float)
        if not np.abs(left - right).max() > APART:
            continue
        place = np.unravel_index(int(np.abs(left - right).argmax()), left.shape)
        proof = _inequality(claim, formula, given, values, [int(axis) for axis in place])
        if proof is None or not verify(Certificate({}, (proof,))).holds:
            return None
        where = ", ".join(str(int(axis) + 1) for axis in place)
        why = (
            f"It is not so. For the matrices of the example the formula gives {left[place]:g}"
            f"{f' at {where}' if where else ''} where {right[place]:g} should be."
        )
        return Result(claim, formula, ((why, ""),), (proof,), status="false")
    return None


def _inequality(
    claim: IdentityClaim, formula: Formula, given: IdentityGiven, values: Values, place: list[int]
) -> Claim | None:
    """Claim that an equation fails, with unit vectors that pick rows and entries."""
    indexed = {
        name: where for name, where in given.indexed().items() if name in parse(claim.equals).names
    }
    count = {
        index: len(values[matrix]) if axis == 0 else values[matrix].shape[1]
        for matrix, *indices in indexed.values()
        for axis, index in enumerate(indices)
    }
    spots = {index: place[axis] for axis, index in enumerate(INDICES[claim.part])}
    terms = range(count["j"]) if claim.over else [spots.get("j", 0)]
    units: Values = {}

    def unit(index: str, at: int) -> str:
        name = f"unit_{index}{at + 1}"
        units[name] = [float(at == other) for other in range(count[index])]
        return name

    def term(j: int) -> str:
        at = {"i": spots.get("i", 0), "j": j}
        picked = {}
        for name, (matrix, *indices) in indexed.items():
            vectors = [unit(index, at[index]) for index in indices]
            text = f"{matrix}' {vectors[0]}"
            if len(vectors) == 2:
                text = f"{vectors[0]}' {matrix} {vectors[1]}"
            picked[name] = parse(f"({text})")
        return str(parse(claim.equals).substitute(picked))

    try:
        right = " + ".join(f"({term(j)})" for j in terms)
        left = str(formula)
        if claim.part == "row i":
            left = f"({left})' {unit('i', spots['i'])}"
        elif claim.part == "entry i j":
            left = f"{unit('i', spots['i'])}' ({left}) {unit('j', spots['j'])}"
        effect = parse(f"{left} = {right}").substitute(_definitions(given))
    except (FormulaError, KeyError):  # too long to be written out
        return None
    return _on_instances("not sufficient", str(effect), given, [values], units)
