"""The answer in one line, and the steps that lead to it."""

from __future__ import annotations

from typing import Any

from regard.analysis.exact_trace.notation import LATEX, dot_product, number
from regard.analysis.exact_trace.numbers import ExponentialQuotient
from regard.analysis.exact_trace.pipeline import Pipeline
from regard.kinds.compute.explain.formulas import formula
from regard.kinds.compute.explain.more import more_steps
from regard.kinds.compute.explain.told import is_given, tells
from regard.kinds.compute.explain.writing import (
    MOST,
    equals,
    fitting,
    matrix,
    symbol,
    title,
    vector,
    written,
)
from regard.kinds.compute.solve import Numbers
from regard.kinds.compute.spec import ComputeProblem, Quantity, sizes
from regard.solving.finding import Steps
from regard.solving.latex_numbers import typeset

MOST_STEPS = 12
MOST_TERMS = 4  # entries that a step computes
_WIDE = 4  # numbers that do not fit beside a question in all of their digits
LONG_SUM = 8  # terms of a sum that are written out


def headline(problem: ComputeProblem, found: Numbers) -> str:
    """Write everything that was asked for: whole matrices where every row of one was."""
    parts: list[tuple[str, str]] = []  # a name, and what it is
    digits, known = problem.goal.digits, sizes(problem.given)
    for name in found.names:
        rows = [row for one, row in found.places if one == name]
        whole = found.pipeline.matrix(name)
        if len(rows) == len(whole) > 1:
            shown = whole.T if len(known[name]) == 1 else whole
            near = min(digits, fitting(shown.shape[1]))
            value = vector(shown[0], digits) if len(known[name]) == 1 else matrix(shown, near)
            parts.append((symbol(name), f"{equals(whole.reshape(-1).tolist())} {value}"))
            continue
        for row in rows:
            values = found.row(name, row)
            asked = "digits" in problem.goal.model_fields_set or len(values) < _WIDE
            near = digits if asked else min(digits, fitting(len(values)))
            value = written(values[0], digits) if len(known[name]) == 1 else vector(values, near)
            parts.append((symbol(name, row), f"{equals(values)} {value}"))
    text = r",\quad ".join(f"{name} {value}" for name, value in parts)
    return text if typeset(text) else r",\quad ".join(name for name, _ in parts[:MOST])


def steps(problem: ComputeProblem, found: Numbers) -> Steps:
    """Explain each quantity on the way to what was asked for, in numbers."""
    given, pipeline = problem.given, found.pipeline
    marked = found.wrong[0].place if found.wrong else None
    first = marked[1] if marked else found.places[0][1]
    names = _on_the_way(problem, found)
    result: list[tuple[str, str]] = more_steps(problem, found)
    written_out: list[tuple[str, str]] = []
    for name in names:
        sentence, rule = formula(name, given)
        if not rule or (is_given(name, given) and tells(problem, name)):
            continue
        whole = pipeline.matrix(name)
        row = min(first, len(whole))
        result.append(
            (f"**{title(name, given)}.** {sentence}", _with_numbers(rule, name, row, whole))
        )
        lines = entry_lines(pipeline, name, row)
        if lines and (marked == (name, row) or name in found.names):
            sentence = f"**Entry by entry.** For ${symbol(name, row)}$:"
            latex = r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"
            result.append((sentence, latex))
            written_out.append(result[-1])
    if len(result) > MOST_STEPS:  # the tables have every entry
        result = [step for step in result if step not in written_out]
    if len(result) > MOST_STEPS:
        result = [*result[: MOST_STEPS - 1], result[-1]]
    return tuple((sentence, latex if typeset(latex) else "") for sentence, latex in result)


def _on_the_way(problem: ComputeProblem, found: Numbers) -> list[str]:
    """Return the quantities that what was asked for is made of, in order."""
    needed = {step.name for step in found.pipeline.needed(*found.names)}
    if any(Quantity(name).symbol in ("A", "C") for name in found.names):
        needed -= {name for name in needed if Quantity(name).symbol in ("E", "S", "LSE")}
        needed |= set(found.names)
    known = [name for name in sizes(problem.given) if name in needed]
    # Raw scores differ from scores by the scale and the biases alone.
    return [n for n in known if n[0] != "G" or n in found.names]


def _with_numbers(rule: str, name: str, row: int, whole: Any) -> str:
    rows = [list(one) for one in whole]
    if len(rows) > MOST or len(rows[0]) > MOST:
        values = rows[row - 1]
        return rf"{rule},\quad {symbol(name, row)} {equals(values)} {vector(values)}"
    is_same = equals(value for one in rows for value in one)
    return rf"{rule} {is_same} {matrix(rows)}"


def entry_lines(pipeline: Pipeline, name: str, row: int) -> list[str]:
    """Write the computation of the first entries of a row, where it is one of exact numbers."""
    found = []
    for column in range(1, min(pipeline.matrix(name).shape[1], MOST_TERMS) + 1):
        text = entry_text(pipeline, name, row, column)
        if text:
            found.append(f"{_entry_symbol(name, row, column)} = {text}")
    return found


def _entry_symbol(name: str, row: int, column: int) -> str:
    inside = f"{{{row},{column}}}"
    return symbol(name, row).replace(f"_{{{row}}}", f"_{inside}")


def entry_text(pipeline: Pipeline, name: str, row: int, column: int) -> str:
    """Write what one entry is computed from, and what it comes to; "" where that is not told."""
    step, exact = pipeline.by_name[name], pipeline.exact
    value = pipeline.matrix(name)[row - 1, column - 1]
    if isinstance(value, ExponentialQuotient) and step.op == "softmax":
        return rf"{number(value, LATEX, LONG_SUM)} \approx {written(value)}"
    while step.op in ("scaled", "same") and str(step.options.get("by", "1")) == "1":
        step = pipeline.by_name[step.of[0]]  # nothing is done to what came before
    parts = [exact.get(one) for one in step.of]
    if any(part is None for part in parts):
        return ""
    if step.op == "times":
        left, right = parts
        assert left is not None
        assert right is not None
        other = right if step.options.get("transposed") else right.T
        if any(isinstance(x, ExponentialQuotient) for x in left[row - 1]):
            terms = [
                f"{written(a, 4)} \\cdot {_bracketed(written(b))}"
                for a, b in zip(left[row - 1], other[column - 1], strict=True)
            ]
            shown = terms if len(terms) <= LONG_SUM else [*terms[: LONG_SUM - 1], r"\dots"]
            return rf"{' + '.join(shown)} \approx {written(value)}"
        text = dot_product(left[row - 1], other[column - 1], LATEX, LONG_SUM)
        return f"{text} {equals([value])} {written(value)}"
    if step.op == "plus" and name[0] in "QKVO":
        product = pipeline.by_name[step.of[0]]
        inner = [exact.get(one) for one in product.of]
        bias = parts[1]
        if product.op == "times" and all(part is not None for part in inner) and bias is not None:
            a, b = inner[0][row - 1], inner[1].T[column - 1]  # type: ignore[index, union-attr]
            text = dot_product(a, b, LATEX, LONG_SUM)
            return f"{text} + {_bracketed(written(bias[0][column - 1]))} = {written(value)}"
    return ""


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
