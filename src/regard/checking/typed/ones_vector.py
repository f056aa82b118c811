r"""The bold 1 of an answer, `\mathbf{1}`: a vector of ones, as many as there are tokens.

Statements say of it how long it is; an answer that writes it as they do means that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from regard.checking.answers import Answer
from regard.language import Formula, parse
from regard.language.formula.vocabulary import ONES as _NAME

__all__ = ["with_sized_ones"]

_TOKENS = ("N", "n")  # what problems call the number of tokens, or of keys


def with_sized_ones(problem: Any, answer: Answer) -> Answer:
    """Return an answer whose bold ones have their size, where the problem has one for them."""
    formulas = [one for one in answer.fields.values() if isinstance(one, Formula)]
    if not any(_NAME in one.names for one in formulas) or _NAME in answer.fields:
        return answer
    size = _size(problem)
    if size is None:
        return answer
    sized = {_NAME: parse(f"ones({size})")}
    fields = {
        name: one.substitute(sized) if isinstance(one, Formula) and _NAME in one.names else one
        for name, one in answer.fields.items()
    }
    return replace(answer, fields=fields)


def _size(problem: Any) -> str | None:
    """Return the name of the size, or None where the problem has none."""
    if problem.kind == "sequences":
        return "N"
    if problem.kind == "gradient":
        return "n" if problem.given.forward == "softmax" else None
    shapes = getattr(problem.given, "shapes", None) or {}
    sizes = {size for shape in shapes.values() for size in shape}
    return next((name for name in _TOKENS if name in sizes), None)
