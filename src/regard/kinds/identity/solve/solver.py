"""Formulas that are to be found or shown: by rules, step by step, and verified for all inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate
from regard.errors import FormulaError
from regard.kinds.identity.solve.instance import (
    SHOWN,
    Values,
    draw,
    from_parts,
    mistakes,
    product_of_sizes,
    sizes_latex,
)
from regard.kinds.identity.solve.proof import Result, settle
from regard.kinds.identity.solve.sign import Step, softmax_argument
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven, IdentityProblem
from regard.language import notation, parse
from regard.report import Block, Plot, Series, Table, number
from regard.solving.finding import Status
from regard.solving.solution import Solution, solved

MOST_MISTAKES = 4
INSTANCES = 3  # that are drawn, of which the first is the example


def solve(problem: IdentityProblem) -> Solution:
    """Find or show each formula, and say why it holds."""
    given = problem.given
    rng = np.random.default_rng(7)
    instances = [draw(given, rng, example=not number) for number in range(INSTANCES)]
    results = [settle(claim, given, instances) for claim in problem.goal.claims]
    wrong = [result for result in results if result.status == "false"]
    kept = wrong or results
    status = Status.PROVED
    if wrong:
        status = Status.IMPOSSIBLE
    elif any(result.status == "open" for result in results):
        status = Status.UNDECIDED
    elif any(result.status != "holds" for result in results):
        status = Status.ARGUED  # proved for some sizes only, or tested: the steps say which
    shown = next((result.values for result in wrong if result.values), instances[0])
    certificate = _certificate(kept)
    return solved(
        problem=problem,
        status=status,
        headline=_headline(kept, given),
        answer={} if wrong else _answer(results, given),
        certificate=certificate,
        reaches=tuple(range(len(certificate.claims))),  # those of each formula that is asked for
        steps=_steps(kept, given),
        details=_details(results, given, shown),
        mistakes=_mistakes(results, given, shown),
    )


def _answer(results: Sequence[Result], given: IdentityGiven) -> dict[str, Any]:
    found = [result for result in results if result.status != "open"]
    answer: dict[str, Any] = {result.claim.name: str(result.formula) for result in found}
    shapes = {
        result.claim.name: [str(size) for size in result.formula.shape(given.whole_shapes())]
        for result in found
        if result.claim.shape is not None
    }
    return answer | ({"shapes": shapes} if shapes else {})


def _certificate(results: Sequence[Result]) -> Certificate:
    """Collect the claims, each once: one for each formula that was settled."""
    proofs = {f"{proof.kind}{proof.fields}": proof for result in results for proof in result.proofs}
    return Certificate({}, tuple(proofs.values()))


def _statement(result: Result) -> str:
    """Write what is claimed: Q = X W_Q, or the formula and its part."""
    claim, formula = result.claim, result.formula.to_latex()
    if claim.relation == ">":
        return f"{formula} > {parse(claim.equals).to_latex()}"
    if claim.part == "whole" and not claim.over:
        return f"{formula} = {parse(claim.equals).to_latex()}"
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
    parts = []
    for result in results:
        if result.status in ("open", "sizes", "tested"):
            how = {"sizes": "proved for some sizes", "tested": "tested"}
            said = how.get(result.status, "not settled")
            parts.append(rf"\text{{{said}: }} {_open(result)}")
            continue
        text = _statement(result)
        if result.status == "false":
            parts.append(rf"\text{{not true: }} {text}")
            continue
        shape = result.formula.shape(given.whole_shapes())
        if result.claim.shape is not None and shape:
            text += rf" \in \mathbb{{R}}^{{{sizes_latex(shape, {})}}}"
        parts.append(text)
    text = r",\quad ".join(parts)
    return text if _typeset(text) else parts[0]


def _open(result: Result) -> str:
    """Write a claim that is neither proved nor refuted."""
    claim = result.claim
    if claim.formula is None:
        return _defined(claim, parse(claim.name).to_latex())
    return _statement(result)


def _typeset(latex: str) -> bool:
    try:
        notation.check(latex)
    except FormulaError:
        return False
    return True


def _steps(results: Sequence[Result], given: IdentityGiven) -> tuple[Step, ...]:
    """Return why each claim holds; claims of one form are explained once."""
    found: dict[Step, None] = {}
    explained: set[tuple[Any, ...]] = set()
    same: list[str] = []
    for result in results:
        claim = result.claim
        shape_of_it = tuple(node.op for node in parse(claim.equals).tree)
        form = (claim.part, claim.relation, claim.over, result.status, shape_of_it)
        if form in explained and claim.part != "whole":
            same.append(_statement(result))
            continue
        explained.add(form)
        if claim.part != "whole" or claim.over:
            found[_begin(result)] = None
        found |= dict.fromkeys(result.steps)
        if result.status == "holds" and claim.formula is None and claim.part != "whole":
            found["It is so in every row, and so for the whole matrix.", _statement(result)] = None
    if same:
        found["In the same way:", r",\quad ".join(same)] = None
    shapes = _sizes(results, given)
    if shapes:
        found["The sizes: inner ones must agree, outer ones remain.", shapes] = None
    if any(softmax_argument(r.formula.tree) and r.claim.relation == ">" for r in results):
        found[
            "Each weight is at most the sum of all; with two keys or more the others have some of "
            "it, so each is below 1.",
            r"0 < \alpha_i < 1",
        ] = None
    return tuple((words, latex if not latex or _typeset(latex) else "") for words, latex in found)


def _begin(result: Result) -> Step:
    """Say what is known, or what is to be shown."""
    claim = result.claim
    every = {"row i": "for every $i$", "entry i j": "for every $i$ and $j$", "whole": "as a sum"}
    if claim.formula is None:
        known = _defined(claim, parse(claim.name).to_latex())
        return f"This is known, {every[claim.part]}.", known
    shown = _defined(claim, result.formula.to_latex())
    return f"This is to be shown, {every[claim.part]}.", shown


def _sizes(results: Sequence[Result], given: IdentityGiven) -> str:
    whole, sizes = given.whole_shapes(), given.known_sizes()
    parts = []
    for result in results:
        if result.status != "holds" or result.formula.tree[-1].op != "*":
            continue
        shape = result.formula.shape(whole)
        if len(shape) != 2:
            continue
        name = parse(result.claim.name).to_latex()
        product = product_of_sizes(result.formula.tree, whole)
        parts.append(rf"{name}: {product} \to {sizes_latex(shape, sizes)}")
    return r",\quad ".join(parts)


def _details(results: Sequence[Result], given: IdentityGiven, values: Values) -> tuple[Block, ...]:
    """Show the example: what is drawn, and the two ways to compute each formula."""
    blocks: list[Block] = []
    used = {name for result in results for name in result.formula.names} | set(given.rows.values())
    for name, text in given.define.items():
        used |= parse(text).names if name in used else set()
    for name in given.shapes:
        if name in used:
            own = name in given.example and np.array_equal(given.example[name], values[name])
            caption = f"${parse(name).to_latex()}$ {'' if own else '(drawn)'}"
            blocks.append(_table(values[name], caption.strip()))
    for name, text in given.define.items():
        if name in used:
            caption = f"${parse(name).to_latex()} = {parse(text).to_latex()}$"
            blocks.append(_table(np.asarray(values[name], float), caption))
    plot = None
    for result in results:
        if result.status == "open" and result.claim.formula is None:
            continue  # there is no formula to compute
        whole = np.asarray(result.formula.evaluate(values), float)
        latex = f"${result.formula.to_latex()}$"
        if result.claim.part != "whole" or result.claim.over:
            blocks.append(_both(result, given, values, whole))
        else:
            blocks.append(_table(whole, latex))
        plot = plot or _plot(whole, latex)
    return (*blocks, plot) if plot else tuple(blocks)


def _both(
    result: Result, given: IdentityGiven, values: Values, whole: NDArray[np.float64]
) -> Table:
    parts = np.atleast_2d(np.asarray(from_parts(result.claim, given, values), float))
    rows = tuple(
        (str(i + 1), _vector(parts[i]), _vector(np.atleast_2d(whole)[i]))
        for i in range(min(len(parts), SHOWN))
    )
    latex = result.formula.to_latex()
    columns = ("row", "from its definition", f"in ${latex}$")
    same = "the same" if np.abs(parts - whole).max() < 1e-9 else "not the same"
    return Table(columns, rows, f"${latex}$ in the example: {same} either way")


def _table(array: NDArray[np.float64], caption: str) -> Table:
    rows = np.atleast_2d(array)[:SHOWN, :SHOWN]
    columns = ("", *(str(j + 1) for j in range(rows.shape[1])))
    cells = (
        (str(i + 1) if array.ndim == 2 else "", *(number(entry, 4) for entry in row.tolist()))
        for i, row in enumerate(rows)
    )
    return Table(columns, tuple(cells), caption)


def _vector(row: NDArray[np.float64]) -> str:
    shown = [number(entry, 4) for entry in row[:SHOWN].tolist()]
    return f"({', '.join(shown)}{', …' if len(row) > SHOWN else ''})"


def _plot(whole: NDArray[np.float64], caption: str) -> Plot | None:
    if whole.ndim == 0 or not np.isfinite(whole).all():
        return None
    labels = tuple(str(place + 1) for place in range(whole.shape[-1]))
    if whole.ndim == 1:
        series = (Series("entries", labels, tuple(whole.tolist())),)
        return Plot("bars", f"{caption} in the example", "entry", "value", series)
    return Plot(
        "heatmap",
        f"{caption} in the example",
        "column",
        "row",
        rows=tuple(tuple(row) for row in whole.tolist()),
        row_labels=tuple(str(i + 1) for i in range(len(whole))),
        column_labels=labels,
    )


def _mistakes(results: Sequence[Result], given: IdentityGiven, values: Values) -> tuple[str, ...]:
    found: list[str] = []
    for result in results:
        if result.status == "holds":
            found += mistakes(result.formula.tree, given, values)
    return tuple(dict.fromkeys(found))[:MOST_MISTAKES]
