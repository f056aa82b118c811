"""Check an answer to a problem: the verdict, and a counterexample if it is wrong."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from regard.errors import InvalidAnswer
from regard.lab.arguments import Real
from regard.lab.asked_problems import AskedProblem
from regard.lab.table import Answer

Name = Annotated[str, Field(min_length=1, max_length=40)]
Formula = Annotated[str, Field(max_length=2000)]
Numbers = Annotated[list[Real], Field(max_length=64)]


class Asked(AskedProblem):
    """A problem, and the fields of an answer: formulas, numbers or arrays of numbers."""

    answer: Annotated[
        dict[Name, bool | Real | Formula | Numbers | list[Numbers]], Field(max_length=40)
    ]


def answer(asked: Asked) -> Answer:
    """Judge it by what it does; the answer is what `regard check --json` prints, and its words."""
    from regard.checking import check
    from regard.report import to_html_fragment

    problem = asked.load()
    if problem.kind == "code":
        raise InvalidAnswer("check: code is checked by `regard check PROBLEM FILE`, not here.")
    verdict = check(problem, dict(asked.answer))
    data = verdict.to_dict() | {
        "right": verdict.right,
        "headline": verdict.headline,
        "html": to_html_fragment(verdict.report()),
    }
    return Answer(data, verdict)
