"""Tell a worked example: step by step, beside what is printed elsewhere, and in tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.compute.explain.printed import printed_blocks
from regard.kinds.compute.explain.steps import headline, steps
from regard.kinds.compute.explain.tables import plot, tables
from regard.kinds.compute.solve import Numbers
from regard.kinds.compute.spec import ComputeProblem
from regard.language import parse
from regard.report.headline import marked
from regard.report.numbers import number, spelled, vector
from regard.solving.finding import Explanation

MOST_SAID = 4  # numbers that a sentence holds


def explain(problem: ComputeProblem, found: Numbers) -> Explanation:
    """Return the numbers that are asked for, with the computation of one token."""
    picture = plot(problem, found)
    return Explanation(
        headline(problem, found),
        steps(problem, found),
        (*printed_blocks(problem, found), *([picture] if picture else []), *tables(problem, found)),
        _beliefs(problem, found),
        _assumed(problem),
        result=_result(found),
    )


def _result(found: Numbers) -> str:
    """Say the last row asked for where it is short, else how many numbers were worked out."""
    name, value = list(found.answer.items())[-1]
    count = sum(np.asarray(entry).size for entry in found.answer.values())
    if np.ndim(value) < 2 and np.size(value) <= MOST_SAID:
        said = number(_float(value), 4) if np.ndim(value) == 0 else vector(_floats(value), 4)
        said = said.replace("-", "−")
        wrong = any(row.name == name for row in found.wrong)
        printed = ", and not to what is printed" if wrong else ""
        return f"${parse(name).to_latex()}$ comes to {marked(said, 'target')}{printed}."
    said = f"{spelled(count)} number{'s' * (count != 1)}"
    numbers = marked(said[:1].upper() + said[1:], "target")
    return f"{numbers} {'is' if count == 1 else 'are'} worked out step by step."


def _float(value: Any) -> float:
    """Return a number of an answer, of which those with long fractions are texts."""
    return float(parse(value).evaluate({}) if isinstance(value, str) else value)


def _floats(row: Any) -> list[float]:
    return [_float(value) for value in row]


def _beliefs(problem: ComputeProblem, found: Numbers) -> tuple[str, ...]:
    """Say of a matrix that is not square that the other product does not exist."""
    for name, row in found.places:
        rows = getattr(problem.given, f"W_{name}", None) if name in "QKV" else None
        if rows is not None and problem.given.heads == 1:
            high, wide, letter = len(rows), len(rows[0]), name.lower()
            said = (
                f"$W_{name} x_{{{row}}}$ instead of $W_{name}^\\top x_{{{row}}}$: $W_{name}$ is "
                f"{high} × {wide} and $x_{{{row}}}$ is {high} × 1, so there is no such product. "
                f"${letter}_{{{row}}}$ is {wide} × 1."
            )
            return () if high == wide else (said,)
    return ()


def _assumed(problem: ComputeProblem) -> tuple[str, ...]:
    """Say which of several conventions is used."""
    given, found = problem.given, []
    p = given.positions
    if p is not None and p.kind != "learned":
        found.append(f"Positions are counted from {p.start}.")
    if p is not None and p.kind == "rotary":
        which = "2i and 2i + 1" if p.pairs == "interleaved" else "i and i + d/2"
        found.append(f"Rotary pairs are the entries {which}, counted from 0.")
    if p is not None and p.kind == "alibi":
        found.append("The bias is minus the slope times the distance.")
    for norm in (given.norm, given.norm_2):
        if norm is not None and norm.kind == "layer":
            found.append("The variance of a layer norm divides by d, not by d - 1.")
            break
    if given.key_heads is not None and given.key_heads != given.heads:
        found.append("Neighbouring query heads share a head of keys and values.")
    return tuple(found)
