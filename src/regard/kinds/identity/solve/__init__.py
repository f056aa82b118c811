"""Find formulas, or take those to be shown, and prove or refute them for all inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.certify.balls import EXACT
from regard.certify.certificate import Unusable
from regard.certify.claims.algebra import always_above, conditions, identities
from regard.certify.formulas.counterexamples import agree, counterexample, draws
from regard.certify.formulas.evaluation import table
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.kinds.identity.instance import Values, defined, draw, sizes_of
from regard.kinds.identity.solve.equation import equation, prove, used_definitions, used_shapes
from regard.kinds.identity.solve.lifting import Lifting, NoRule
from regard.kinds.identity.solve.results import (
    Derivation,
    Fails,
    Formulas,
    Holds,
    Result,
    Undecided,
    failing,
)
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven, IdentityProblem
from regard.language import Formula, parse
from regard.language.formula.printing.text import to_text
from regard.solving.finding import Status

__all__ = ["solve"]

INSTANCES = 3  # that are drawn, of which the first is the example
DRAWS = 30  # that an inequality which is not proved is tried on


def solve(problem: IdentityProblem) -> Formulas:
    """Find or show each formula, with a proof."""
    given, rng = problem.given, np.random.default_rng(7)
    sizes = sizes_of(given)
    instances = [draw(given, rng, sizes, example=not number) for number in range(INSTANCES)]
    results = tuple(_settle(claim, given, instances) for claim in problem.goal.claims)
    wrong = failing(results)
    # Each once: one for each formula that was settled.
    proofs = [one.proof for one in wrong or results if isinstance(one, Holds | Fails)]
    claims = tuple({f"{proof.kind}{proof.fields}": proof for proof in proofs}.values())
    return Formulas(
        Status.IMPOSSIBLE if wrong else _status(results),
        {} if wrong else _answer(results, given),
        Certificate({}, claims),
        reaches=tuple(range(len(claims))),  # those of each formula that is asked for
        results=results,
        values=wrong[0].values if wrong else instances[0],
    )


def _status(results: Sequence[Result]) -> Status:
    scopes = {result.scope if isinstance(result, Holds) else "" for result in results}
    if "" in scopes:
        return Status.UNDECIDED
    return Status.PROVED if scopes == {"all"} else Status.ARGUED  # the steps say for which sizes


def _answer(results: Sequence[Result], given: IdentityGiven) -> dict[str, Any]:
    found = [result for result in results if isinstance(result, Holds)]
    answer: dict[str, Any] = {result.claim.name: str(result.formula) for result in found}
    shapes = {
        result.claim.name: [str(size) for size in result.formula.shape(given.whole_shapes())]
        for result in found
        if result.claim.shape is not None
    }
    return answer | ({"shapes": shapes} if shapes else {})


def _settle(claim: IdentityClaim, given: IdentityGiven, instances: Sequence[Values]) -> Result:
    """Find the formula, or take the one given, and prove or refute it."""
    if claim.relation == ">":
        return _above(claim, given, instances)
    derivation = _derive(claim, given)
    formula = derivation.formula if claim.formula is None else parse(claim.formula)
    if formula is None:
        return Undecided(claim, parse(claim.equals), derivation, "rules")
    if claim.shape is not None and list(formula.shape(given.whole_shapes())) != claim.shape:
        return Undecided(claim, formula, derivation, "sizes")
    proof = prove(formula.tree, claim, given)
    if proof is not None:
        return Holds(claim, formula, derivation, *proof)
    return _unproved(Result(claim, formula, derivation), given, instances)


def _derive(claim: IdentityClaim, given: IdentityGiven) -> Derivation:
    """Lift a formula from a part to the whole."""
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
            return Derivation(formula=parse(claim.equals))
    except NoRule as end:
        return Derivation(tuple(lifting.used), end=end)
    return Derivation(tuple(lifting.used), parse(to_text(found)))


def _unproved(asked: Result, given: IdentityGiven, instances: Sequence[Values]) -> Result:
    """Look for numbers that an equation does not hold for; else say what is known of it."""
    claim, formula, derivation = asked.claim, asked.formula, asked.derivation
    stated = equation(formula.tree, claim, given)
    try:
        identity = StatedIdentity(stated)
        sizes = {one: size for one, size in sizes_of(given).items() if one in identity.symbols}
        tried = [(sizes, values) for values in instances]
        tried += [(dict(some), values) for some, values in draws(identity)]
    except Unusable as problem:
        return Undecided(claim, formula, derivation, "unusable", str(problem))
    for some, values in tried:
        found = counterexample(identity, some, values)
        proof = None if found is None else identities.counterexample_claim(stated, found)
        if found is None or proof is None or not verify(Certificate({}, (proof,))).holds:
            continue
        there = {one: np.asarray(value, float) for one, value in found.values.items()}
        shown = defined(given, {**instances[0], **some, **there})
        return Fails(claim, formula, derivation, proof, shown, found)
    (first,) = verify(Certificate({}, (stated,))).claims
    agreed = 0
    for some, values in tried:
        tables = {one: table(_plain(values[one]), one, EXACT) for one in identity.drawn}
        agreed += agree(identity, some, tables)
    return Undecided(claim, formula, derivation, "symbols", first.reason, len(tried), agreed)


def _above(claim: IdentityClaim, given: IdentityGiven, instances: Sequence[Values]) -> Result:
    """Show that a formula is above another, entry by entry."""
    assert claim.formula is not None
    formula, bound = parse(claim.formula), parse(claim.equals)
    trees = [formula.tree, bound.tree]
    shapes, where = used_shapes(trees, given), used_definitions(trees, given)
    proof = always_above.claim(claim.formula, claim.equals, shapes, where)
    if verify(Certificate({}, (proof,))).holds:
        return Holds(claim, formula, Derivation(), proof)
    effect = _exceeds(formula, bound, given)
    rng, sizes = np.random.default_rng(8), sizes_of(given)
    for values in [*instances, *(draw(given, rng, sizes) for _ in range(DRAWS))]:
        refuted = _not_so(effect, given, values)
        if verify(Certificate({}, (refuted,))).holds:
            return Fails(claim, formula, Derivation(), refuted, values)
    return Undecided(claim, formula, Derivation(), "signs")


def _exceeds(formula: Formula, bound: Formula, given: IdentityGiven) -> str:
    """Write that every entry is above its bound, in free names."""
    definitions: dict[str, Formula] = {}
    for name, text in given.define.items():
        definitions[name] = parse(text).substitute(definitions)
    above, below = (side.substitute(definitions) for side in (formula, bound))
    shapes = given.whole_shapes()
    if bound.shape(shapes):
        return f"min({above} - ({below})) > 0"
    return f"min({above}) > {below}" if formula.shape(shapes) else f"{above} > {below}"


def _not_so(effect: str, given: IdentityGiven, values: Values) -> Claim:
    """Claim that drawn numbers do not have an effect."""
    sizes = sizes_of(given)
    numbers = {name: np.asarray(values[name]).tolist() for name in (*given.shapes, *sizes)}
    condition = f"{next(iter(sizes))} >= 1" if sizes else "1 >= 1"
    return conditions.condition_claim("not sufficient", condition, effect, [numbers])


def _plain(value: Any) -> Any:
    return np.asarray(value, float).tolist()
