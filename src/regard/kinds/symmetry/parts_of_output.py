"""What a change does to the parts of an output, from the inside out: why the whole changes so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from regard.errors import FormulaError
from regard.kinds.symmetry.spec import OLD, SymmetryProblem
from regard.language import abbreviations, expanded, parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import names, starts
from regard.solving.assertions import Settled

MOST = 6  # parts that are told of
_SAME = ("name", "number", "'", "neg")  # parts that say no more than what is in them

Becomes = Callable[[SymmetryProblem], tuple[str, Settled | None]]


@dataclass(frozen=True, eq=False)
class Moved:
    """A part of the output.

    Attributes:
        part: as a formula.
        becomes: what the change makes of it, as a formula.
        settled: what proves that.
    """

    part: str
    becomes: str
    settled: Settled


def moved_parts(problem: SymmetryProblem, becomes: Becomes) -> tuple[Moved, ...]:
    """Return what becomes of each part of the output of which that is proved for all inputs.

    Args:
        problem: with an output and a change.
        becomes: finds what becomes of the output of a problem, in Y, and proves it.
    """
    found: list[Moved] = []
    for part in _parts(problem):
        goal = problem.goal.model_copy(update={"output": part})
        try:
            text, settled = becomes(problem.model_copy(update={"goal": goal}))
        except FormulaError:
            continue
        if settled is not None and settled.scope == "all":
            whole = str(parse(text).substitute({OLD: parse(part)}))
            found.append(Moved(part, whole, settled))
        if len(found) == MOST:
            break
    return tuple(found)


def _parts(problem: SymmetryProblem) -> Iterator[str]:
    """Yield each product and each function in the output that the change reaches."""
    try:
        known = abbreviations(problem.given.functions)
        tree = parse(expanded(problem.goal.output or "", known)).tree
    except FormulaError:
        return
    seen: set[str] = set()
    for end, begin in enumerate(starts(tree)[:-1]):
        part = tree[begin : end + 1]
        text = to_text(part)
        reached = not names(part).isdisjoint(problem.goal.change)
        if reached and tree[end].op not in _SAME and text not in seen:
            seen.add(text)
            yield text
