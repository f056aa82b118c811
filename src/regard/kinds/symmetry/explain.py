"""Tell what a change does to the output, and why."""

from __future__ import annotations

from dataclasses import replace

from regard.kinds.symmetry.solve import Symmetry
from regard.kinds.symmetry.spec import OLD, SymmetryProblem
from regard.language import abbreviations, latex_with_calls, parse
from regard.problems.assertions import assertions
from regard.report import Table
from regard.report.arrays import shown
from regard.report.headline import marked
from regard.solving.assertions import Settled
from regard.solving.finding import Explanation

_SCOPES = {
    "all": "Written out in symbols, both sides are the same for all arrays and all named sizes.",
    "sizes": "Written out in symbols for some sizes, both sides are the same.",
    "tested": "Both sides agree at drawn numbers; a proof is missing.",
    "": "",
}


SOFTMAXES = (
    "Two softmaxes are the same exactly where their scores differ by one number in each row: what "
    "is left of the difference without the mean of its row has to be 0."
)


def explain(problem: SymmetryProblem, found: Symmetry) -> Explanation:
    """Return what was found, with a step for each part."""
    steps: list[tuple[str, str]] = []
    known = abbreviations(problem.given.functions)
    goal = problem.goal
    if goal.output is not None:
        steps.append(
            (
                f"**Output.** The output is called {OLD}.",
                f"{OLD} = {latex_with_calls(goal.output, known)}",
            )
        )
        for name, text in goal.change.items():
            change = rf"{parse(name).to_latex()} \to {parse(text).to_latex()}"
            steps.append((f"**{name}.** It is changed.", change))
        steps += _inside(found)
    else:
        steps.append(
            (
                "**Condition.** This has to hold for all inputs.",
                latex_with_calls(goal.such_that or "", known),
            )
        )
        if problem.condition() != assertions(problem.with_unknown(), goal.such_that or ""):
            steps.append((SOFTMAXES, ""))
    steps += _invariant(found.invariant)
    steps += _formula(problem, found)
    told = Explanation(_headline(problem, found), tuple(steps), _tables(problem, found))
    return replace(told, result=_result(problem, found))


def _inside(found: Symmetry) -> list[tuple[str, str]]:
    """The way of the change through the parts of the output."""
    lines = [
        rf"{parse(one.part).to_latex()} &\to {parse(one.becomes).to_latex()}" for one in found.parts
    ]
    if not lines:
        return []
    said = (
        "**Inside.** So the parts of the output become these, from the inside out; each line is "
        "proved for all inputs."
    )
    return [(said, r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}")]


def _result(problem: SymmetryProblem, found: Symmetry) -> str:
    formula = "" if found.formula is None else parse(found.text).to_latex()
    if found.invariant is not None and found.invariant.truth is True:
        return f"The output does {marked('not change', 'target')}."
    if problem.unknown and formula:
        unknown = parse(problem.unknown).to_latex()
        return f"The equation holds with ${unknown}$ = {marked(f'${formula}$', 'target')}."
    changed = f" it becomes {marked(f'${formula}$', 'target')}." if formula else ""
    if found.invariant is not None and found.invariant.truth is False:
        return f"The output {marked('changes', 'bad')}{':' if changed else '.'}{changed}"
    return ""


def _headline(problem: SymmetryProblem, found: Symmetry) -> str:
    parts = []
    if found.invariant is not None:
        word = {True: "invariant", False: "not invariant", None: "not settled"}
        parts.append(rf"\text{{{word[found.invariant.truth]}}}")
    if found.formula is not None:
        name = parse(problem.unknown).to_latex() + " =" if problem.unknown else rf"{OLD} \to"
        parts.append(f"{name} {parse(found.text).to_latex()}")
    return r",\quad ".join(parts) or r"\text{not settled}"


def _invariant(settled: Settled | None) -> list[tuple[str, str]]:
    if settled is None:
        return []
    if settled.truth is None:
        return [("**Output.** Whether the output stays the same is not settled.", "")]
    if settled.truth:
        return [(f"**Same.** The output stays the same. {_SCOPES[settled.scope]}", "")]
    found = settled.found
    return [
        (
            "**Not the same.** The output does not stay the same: with the numbers below it is, "
            f"after the change (left) and before it (right), {found}.",
            "",
        )
    ]


def _formula(problem: SymmetryProblem, found: Symmetry) -> list[tuple[str, str]]:
    if found.formula is None:
        wanted = problem.unknown or ("becomes" in problem.goal.find)
        return [("**Formula.** No short formula was found that is proved.", "")] if wanted else []
    latex = parse(found.text).to_latex()
    if problem.unknown:
        name = parse(problem.unknown).to_latex()
        return [
            (
                "**Formula.** Formulas of its shape are tried, and this one is put in.",
                f"{name} = {latex}",
            ),
            (f"**Proof.** {_SCOPES[found.formula.scope]}", ""),
            *_no_other(problem, found),
        ]
    return [
        (f"**Formula.** This is what the output becomes. {_SCOPES[found.formula.scope]}", latex)
    ]


def _no_other(problem: SymmetryProblem, found: Symmetry) -> list[tuple[str, str]]:
    if found.others is None:
        return []
    pairs = list(zip(found.others.sizes, found.others.directions, strict=True))
    some = "; ".join(
        f"{', '.join(f'{name} = {count}' for name, count in sizes.items())}: {directions}"
        for sizes, directions in pairs
        if sizes
    )
    free = some or str(pairs[0][1])
    return [
        (
            "There is no other. The equation is linear in the unknown, so that solutions differ by "
            "a null space. At the numbers in the certificate it has no more directions than this "
            f"family has ({free}).",
            "",
        ),
    ]


def _tables(problem: SymmetryProblem, found: Symmetry) -> tuple[Table, ...]:
    values = found.invariant.values if found.invariant is not None else None
    if not values:
        return ()
    rows = tuple((n, shown(values[n])) for n in problem.given.shapes if n in values)
    return (Table(("symbol", "numbers for which the output changes"), rows),)
