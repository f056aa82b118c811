"""Claims about the rank of a formula, for all matrices.

    rank_at_most    rank(F) <= bound, for all matrices of all sizes
    rank_exceeds    rank(F) > bound for the matrices of the witness

Upper bounds follow from the way a formula is written: the rank of an m × n matrix is at most m and
at most n, of a product at most that of each factor, of a sum at most the sum, of A ⊙ B at most the
product, and a factor that is a number, or an inverse, or a transpose changes nothing. Each bound is
a polynomial in the sizes with whole coefficients from 0 on. The claim holds if one of them is at
most the bound stated, coefficient by coefficient.

A lower bound needs numbers: a minor whose determinant is not 0, exactly or in balls.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

from flint import ctx, fmpq_mat

from regard.certify.balls import BALLS, EXACT, Decision, Outcome, settle
from regard.certify.certificate import Certificate, Claim, Unusable, part
from regard.certify.claims.claim_type import ClaimType
from regard.certify.formulas import polynomials as p
from regard.certify.formulas.counterexamples import MOST_BITS
from regard.certify.formulas.evaluation import evaluate, no_function, read, scalar, table
from regard.certify.formulas.functions import in_balls, in_rationals
from regard.certify.formulas.number_tables import Table
from regard.certify.formulas.polynomials import Poly
from regard.certify.formulas.stated_identity import StatedIdentity, named
from regard.certify.formulas.symbolic import evaluate as in_symbols
from regard.certify.formulas.tensors import Tensor
from regard.errors import FormulaError
from regard.language import Formula, parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.shapes.inference import infer
from regard.language.formula.tree import Node, operands

Size = int | str
MOST_BOUNDS = 24  # that are kept of one part of a formula
MOST_SIDE = 40
MOST_TOLD = 12  # names in a sentence


def claim(formula: str, bound: str, fields: Mapping[str, Any]) -> Claim:
    """Return the claim that the rank of a formula is at most a bound, for all matrices.

    Args:
        formula: a matrix.
        bound: a formula in sizes and numbers.
        fields: `shapes`, `where`, `permutations` and `positive`, as claims about identities have.
    """
    return Claim("rank_at_most", {"formula": formula, "bound": bound, **_symbols(fields)})


def refutation(formula: str, bound: str, fields: Mapping[str, Any], witness: Any) -> Claim:
    """Return the claim that the rank is above the bound for the matrices of the witness."""
    stated = {"formula": formula, "bound": bound, **_symbols(fields)}
    return Claim("rank_exceeds", stated, {"values": witness})


def _symbols(fields: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("shapes", "where", "permutations", "positive")
    return {name: fields[name] for name in kept if fields.get(name) is not None}


def _stated(claim: Claim) -> StatedIdentity:
    """Read the symbols; both sides are the bound, which is a number."""
    bound = claim.stated.part("bound")
    rest: dict[str, Any] = {"indexed": {}, "at": [], "sum_over": None, "sizes": None}
    return StatedIdentity(
        Claim("identity", {**claim.fields, "left": bound, "right": bound, **rest})
    )


def _where(claim: Claim) -> str:
    stated = claim.fields.get("where", {})
    if len(stated) > MOST_TOLD:  # a matrix made of columns, one by one
        return f", where {len(stated)} names stand for what `where` says"
    where = ", ".join(f"{name} = {text}" for name, text in stated.items())
    return f", where {where}" if where else ""


def rank_at_most(claim: Claim, certificate: Certificate) -> Decision:
    """Bound the rank by the way the formula is written."""
    stated = _stated(claim)
    formula = read(claim.stated.part("formula"), "formula")
    known = _bounds(stated, formula)
    for bound in _least_of(stated.left):
        limit = _polynomial(stated, bound)
        if not any(all(c >= 0 for c in (limit - one).terms.values()) for one in known):
            return Decision("undecided", "The sizes of the factors settle nothing.")
    return Decision("holds", "It follows from the sizes of the factors.")


def _least_of(bound: Formula) -> list[Formula]:
    """Return what min(a, b) is the least of; of anything else, itself."""
    if bound.tree[-1].op == "call" and bound.tree[-1].value == "min" and bound.tree[-1].arity > 1:
        return [parse(to_text(tree)) for tree in operands(bound.tree)]
    return [bound]


def _polynomial(stated: StatedIdentity, formula: Formula) -> Poly:
    """Return a number in symbols, of which all must be sizes."""
    names = {
        name: Tensor((), lambda name=name: p.factor("n", name))
        for name in formula.names
        if name in stated.symbols
    }
    missing = formula.names - set(names)
    if missing:
        raise Unusable("the bound of a rank must be made of sizes and numbers.")
    return in_symbols(formula, names, {})()


def _bounds(stated: StatedIdentity, formula: Formula) -> list[Poly]:
    """Return upper bounds on the rank of a formula, as polynomials in the sizes."""
    try:
        shapes = infer(formula.tree, formula.text, stated.shapes)
    except FormulaError as problem:
        raise Unusable(f"the shapes do not fit: {problem.reason}") from None
    stack: list[_Part] = []
    for node, shape in zip(formula.tree, shapes, strict=True):
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        sides = [_count(size) for size in shape]
        own = sides if len(sides) == 2 else [p.number(1)]
        stack.append(_Part(bool(shape), _least(own + _from_parts(stated, node, parts))))
    return stack[-1].bounds


class _Part(NamedTuple):
    """A part of a formula: whether it is more than a number, and bounds on its rank."""

    wide: bool
    bounds: list[Poly]


def _from_parts(stated: StatedIdentity, node: Node, parts: list[_Part]) -> list[Poly]:
    op = node.op if node.op != "call" else node.value
    if op == "name" and node.value in stated.where:
        return _bounds(stated, stated.where[node.value])
    if op in ("neg", "'", "rows", "/"):
        return parts[0].bounds
    if op in ("*", "·"):  # a factor that is a number changes nothing
        return [one for some in parts if some.wide for one in some.bounds]
    if op == "outer":
        return [p.number(1)]
    if op in ("+", "-", "hadamard", "hstack", "vstack"):
        first, *others = (some.bounds for some in parts)
        for some in others:
            pairs = itertools.product(first, some)
            first = _least([a * b if op == "hadamard" else a + b for a, b in pairs])
        return first
    return []


def _least(found: list[Poly]) -> list[Poly]:
    return list(dict.fromkeys(found))[:MOST_BOUNDS]


def _count(size: Size) -> Poly:
    return p.number(size) if isinstance(size, int) else p.factor("n", size)


def rank_exceeds(claim: Claim, certificate: Certificate) -> Decision:
    """Compute the formula for the matrices of the witness, and a minor that is not 0."""
    stated = _stated(claim)
    given = named(claim.witnessed.part("values"))
    values = {name: table(part(given, name), name, EXACT) for name in stated.drawn}
    sizes = _sizes(stated, values)
    for name in stated.drawn:
        if values[name].shape != stated.shape_at(name, sizes):
            raise Unusable(f"{name} has another shape.")
    stated.check_restricted(values)
    formula = read(claim.stated.part("formula"), "formula")
    bound = scalar(evaluate(stated.left.tree, values, EXACT, in_rationals), "the bound of a rank")
    rank = rank_at_least(stated, formula, values)
    if rank is not None and rank > bound:
        there = f"the rank is {rank}, and the bound is {bound}"
        return Decision("holds", f"There {there}.", there=there)
    return Decision("undecided", "The rank is not above the bound there, as far as can be told.")


def _sizes(stated: StatedIdentity, values: Mapping[str, Table]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for name in stated.drawn:
        for size, count in zip(stated.shapes[name], values[name].shape or (), strict=False):
            if isinstance(size, str) and sizes.setdefault(size, count) != count:
                raise Unusable(f"{size} would be two numbers.")
    for name in stated.symbols & set(stated.drawn):
        if list(values[name].entries) != [sizes.get(name, -1)]:
            raise Unusable(f"{name} must be the size that it names.")
    return sizes


def rank_at_least(
    stated: StatedIdentity, formula: Formula, values: Mapping[str, Table]
) -> int | None:
    """Return the rank of a formula for these numbers: exactly, or as balls bound it from below."""
    try:
        found = _value(stated, formula, values, exactly=True)
        height, width = found.shape or (0, 0)
        return int(fmpq_mat(height, width, list(found.entries)).rank())
    except ZeroDivisionError:  # it is not defined there
        return None
    except Unusable:
        pass
    best: list[int] = [0]

    def test() -> Outcome:
        there = _value(stated, formula, values, exactly=False)
        best[0] = max(best[0], _pivots(there))
        full = best[0] == min(there.shape or (0,))
        return Outcome(True if full or ctx.prec >= MOST_BITS else None, "")

    try:
        settle(test)
    except (Unusable, ZeroDivisionError):
        return None
    return best[0]


def _value(
    stated: StatedIdentity, formula: Formula, values: Mapping[str, Table], *, exactly: bool
) -> Table:
    numbers, function = (EXACT, no_function) if exactly else (BALLS, in_balls)
    known = dict(values)
    if not exactly:
        known = {
            name: Table(one.shape, tuple(BALLS.number(x) for x in one.entries))
            for name, one in values.items()
        }
    for name, one in stated.where.items():
        known[name] = _table(evaluate(one.tree, known, numbers, function))
    found = _table(evaluate(formula.tree, known, numbers, function))
    if found.shape is None or len(found.shape) != 2 or max(found.shape) > MOST_SIDE:
        raise Unusable("the rank is asked of a matrix that is not too large.")
    return found


def _table(found: Any) -> Table:
    if not isinstance(found, Table):
        raise Unusable("the rank of a comparison is not known.")
    return found


def _pivots(found: Table) -> int:
    """Eliminate with the surest pivot left; each pivot that is not 0 is one more of the rank."""
    height, width = found.shape or (0, 0)
    rows = [list(found.entries[i * width : (i + 1) * width]) for i in range(height)]
    count = 0
    columns = list(range(width))
    while rows and columns:
        i, j = max(
            ((i, j) for i in range(len(rows)) for j in columns),
            key=lambda at: abs(rows[at[0]][at[1]]).lower(),
        )
        pivot = rows[i][j]
        if not abs(pivot) > 0:
            break
        chosen = rows.pop(i)
        columns.remove(j)
        count += 1
        for row in rows:
            factor = row[j] / pivot
            for k in columns:
                row[k] = row[k] - factor * chosen[k]
    return count


CLAIM_TYPES = {
    "rank_at_most": ClaimType(
        rank_at_most, "the rank of {formula} is at most {bound}{where}", words={"where": _where}
    ),
    "rank_exceeds": ClaimType(
        rank_exceeds, "the rank of {formula} can be above {bound}{where}", words={"where": _where}
    ),
}
