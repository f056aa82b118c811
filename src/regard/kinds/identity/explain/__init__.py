"""Tell why formulas hold for all inputs: by rules for rows and entries, or written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regard.kinds.identity.explain.example_tables import example_tables
from regard.kinds.identity.explain.lifting_steps import derived
from regard.kinds.identity.explain.positivity import Step, positive, sums_to_one
from regard.kinds.identity.explain.written_out import written_out
from regard.kinds.identity.instance import softmax_argument
from regard.kinds.identity.solve.equation import CHANCE
from regard.kinds.identity.solve.results import Fails, Formulas, Holds, Result, Undecided
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven, IdentityProblem
from regard.language import parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, operands
from regard.report.headline import marked
from regard.report.numbers import spelled
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import typeset

__all__ = ["explain"]


def explain(problem: IdentityProblem, found: Formulas) -> Explanation:
    """Return each formula, why it holds, and its numbers in the example."""
    given = problem.given
    return Explanation(
        _headline(found.told, given),
        _steps(found.told, given),
        example_tables(found, given),
        result=_result(found.told),
    )


def _result(told: Sequence[Result]) -> str:
    """Say for which sizes all formulas hold, where they do."""
    scopes = {_status(result) for result in told}
    one = len(told) == 1
    what = "One formula" if one else f"{spelled(len(told)).capitalize()} formulas"
    if scopes == {"all"}:
        return f"{what} {'holds' if one else 'hold'} for {marked('all sizes', 'target')}."
    return ""


def _status(result: Result) -> str:
    """Say how a claim came out: "all", "sizes", "tested", "false" or "open"."""
    if isinstance(result, Holds):
        return result.scope
    return "false" if isinstance(result, Fails) else "open"


def _statement(result: Result) -> str:
    """Write what is claimed: Q = X W_Q, or the formula and its part."""
    claim, formula = result.claim, result.formula.to_latex()
    if claim.part == "whole" and not claim.over:
        return f"{formula} {claim.relation} {parse(claim.equals).to_latex()}"
    if claim.formula is None:
        return f"{parse(claim.name).to_latex()} = {formula}"
    return _defined(claim, formula)


def _defined(claim: IdentityClaim, whole: str) -> str:
    equals = parse(claim.equals).to_latex()
    total = r"\sum_j " if claim.over else ""
    if claim.part == "entry i j":
        return rf"\left({whole}\right)_{{i,j}} = {equals}"
    if claim.part == "row i":
        inner = rf"\left({equals}\right)^\top" if len(equals) > 3 else rf"{equals}^\top"
        return rf"\text{{row }} i \text{{ of }} {whole} = {total}{inner}"
    return f"{whole} = {total}{equals}"


def _headline(results: Sequence[Result], given: IdentityGiven) -> str:
    said = {
        "sizes": "proved for some sizes",
        "tested": "tested",
        "open": "not settled",
        "false": "not true",
    }
    parts = []
    for result in results:
        claim, status = result.claim, _status(result)
        text = _statement(result)
        if status not in ("all", "false") and claim.formula is None:
            text = _defined(claim, parse(claim.name).to_latex())
        if status != "all":
            text = rf"\text{{{said[status]}: }} {text}"
        elif claim.shape:
            text += rf" \in \mathbb{{R}}^{{{_sizes_latex(tuple(claim.shape), {})}}}"
        parts.append(text)
    text = r",\quad ".join(parts)
    return text if typeset(text) else parts[0]


def _steps(results: Sequence[Result], given: IdentityGiven) -> Steps:
    """Return why each claim holds; claims of one form are explained once."""
    found: dict[Step, None] = {}
    explained: set[tuple[Any, ...]] = set()
    same: list[str] = []
    for result in results:
        claim = result.claim
        shape_of_it = tuple(node.op for node in parse(claim.equals).tree)
        form = (claim.part, claim.relation, claim.over, _status(result), shape_of_it)
        if form in explained and claim.part != "whole":
            same.append(_statement(result))
            continue
        explained.add(form)
        if claim.part != "whole" or claim.over:
            found[_begin(result)] = None
        found |= dict.fromkeys(_why(result, given))
        if _status(result) == "all" and claim.formula is None and claim.part != "whole":
            found[
                "**Matrix.** It is so in every row, and so for the whole matrix.",
                _statement(result),
            ] = None
    if same:
        found["**The others.** In the same way:", r",\quad ".join(same)] = None
    shapes = _sizes(results, given)
    if shapes:
        found["**Sizes.** The sizes: inner ones must agree, outer ones remain.", shapes] = None
    if any(softmax_argument(r.formula.tree) and r.claim.relation == ">" for r in results):
        found[
            "**Below 1.** Each weight is at most the sum of all; with two keys or more the "
            "others have some of "
            "it, so each is below 1.",
            r"0 < \alpha_i < 1",
        ] = None
    return tuple((words, latex if not latex or typeset(latex) else "") for words, latex in found)


def _begin(result: Result) -> Step:
    """Say what is known, or what is to be shown."""
    claim = result.claim
    every = {"row i": "for every $i$", "entry i j": "for every $i$ and $j$", "whole": "as a sum"}
    if claim.formula is None:
        known = _defined(claim, parse(claim.name).to_latex())
        return f"**Known.** This holds, {every[claim.part]}.", known
    shown = _defined(claim, result.formula.to_latex())
    return f"**To be shown.** This, {every[claim.part]}.", shown


def _why(result: Result, given: IdentityGiven) -> Steps:
    """Say why a claim holds, or what is known of it and what is missing."""
    if isinstance(result, Holds):
        by = _above(result, given) if result.claim.relation == ">" else _equal(result, given)
        return (*by, *_scope(result))
    if isinstance(result, Fails):
        if result.found is None:
            return (
                ("**Counterexample.** It is not so: the numbers below are a counterexample.", ""),
            )
        words = result.found.difference.words()
        return ((f"**Counterexample.** It is not so. For the numbers below it is {words}.", ""),)
    assert isinstance(result, Undecided)
    return (*derived(result.derivation), *((sentence, "") for sentence in _open(result, given)))


def _equal(result: Holds, given: IdentityGiven) -> Steps:
    """Say why an equation holds: by the rules for rows and entries, or written out."""
    weights = sums_to_one(result.formula.tree)
    if weights is not None and str(parse(result.claim.equals)) == "1":
        return tuple(weights)
    steps, lifted = derived(result.derivation), result.derivation.formula
    if not steps or lifted is None:
        return written_out(result.proof, given, result.scope)
    if lifted != result.formula:
        same = f"{result.formula.to_latex()} = {lifted.to_latex()}"
        return (
            *steps,
            ("**Formula.** This is the formula to be shown, written in another way.", same),
        )
    return steps


def _above(result: Holds, given: IdentityGiven) -> Steps:
    """Say why a formula is above another: by signs, of a sum above one of its terms by the rest."""
    formula, bound = result.formula, parse(result.claim.equals)
    shapes, zero = given.whole_shapes(), str(bound) == "0"
    steps = positive(formula.tree, shapes) if zero else None
    if not zero and formula.tree[-1].op == "+":
        one, other = operands(formula.tree)
        rest = other if one == bound.tree else one if other == bound.tree else None
        steps = None if rest is None else positive(rest, shapes)
    why = "**Signs.** Written out in entries, no term of it can be negative, and one is above 0."
    latex = formula.to_latex() if zero else f"{formula.to_latex()} - ({bound.to_latex()})"
    return tuple(steps or [(why, f"{latex} > 0")])


def _scope(result: Holds) -> Steps:
    """Say where a proof ends that is not one for all sizes."""
    if result.scope == "all":
        return ()
    sizes = "; ".join(
        ", ".join(f"{one} = {size}" for one, size in some.items())
        for some in result.proof.fields["sizes"] or []
    )
    there = f" for the sizes {sizes}" if sizes.strip("; ") else ""
    if result.scope == "sizes":
        return ((f"It is proved{there}. A proof for all sizes is missing.", ""),)
    sentence = (
        f"It was tested at drawn numbers{there}, which a wrong equation passes with a chance "
        f"below {CHANCE:g}. A proof is missing."
    )
    return ((sentence, ""),)


def _open(result: Undecided, given: IdentityGiven) -> tuple[str, ...]:
    """Say what is known of a claim that is neither proved nor refuted."""
    if result.why == "rules":
        return ()
    if result.why == "signs":
        return ("The signs of its terms do not settle it, and no drawn numbers refute it.",)
    if result.why == "sizes":
        shape = result.formula.shape(given.whole_shapes())
        sizes = " × ".join(map(str, shape)) or "a number"
        return (f"The sizes that are asked for are others than those that come out: {sizes}.",)
    if result.why == "unusable":
        return (result.reason[:1].upper() + result.reason[1:],)
    known = (
        f"Computed for numbers that were drawn, {result.tried} times, both sides are the same to "
        f"150 digits wherever both are defined, which is {result.agreed} times."
        if result.agreed
        else "For none of the numbers that were drawn are both sides defined."
    )
    return (result.reason, known, "So it is neither proved nor refuted.")


def _sizes(results: Sequence[Result], given: IdentityGiven) -> str:
    whole, sizes = given.whole_shapes(), given.known_sizes()
    parts = []
    for result in results:
        product = _status(result) == "all" and result.formula.tree[-1].op == "*"
        shape = result.formula.shape(whole) if product else ()
        if len(shape) == 2:
            name = parse(result.claim.name).to_latex()
            factors = _product_of_sizes(result.formula.tree, whole)
            parts.append(rf"{name}: {factors} \to {_sizes_latex(shape, sizes)}")
    return r",\quad ".join(parts)


def _product_of_sizes(tree: Tree, shapes: Mapping[str, Any]) -> str:
    r"""Write the sizes of a product: (N \times D)(D \times D_K)."""
    if tree[-1].op == "*":
        return "".join(_product_of_sizes(part, shapes) for part in operands(tree))
    shape = parse(to_text(tree)).shape(shapes)
    return f"({_named((*shape, *([1] * (2 - len(shape)))))})" if shape else ""


def _sizes_latex(shape: tuple[int | str, ...], sizes: Mapping[str, int]) -> str:
    r"""Write a shape in names and in numbers: N \times D_K = 3 \times 3."""
    named = _named(shape)
    numbers = r" \times ".join(str(sizes.get(str(size), size)) for size in shape)
    return named if named == numbers else f"{named} = {numbers}"


def _named(shape: tuple[int | str, ...]) -> str:
    return r" \times ".join(
        parse(size).to_latex() if isinstance(size, str) else str(size) for size in shape
    )
