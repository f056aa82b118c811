r"""The bold 1 of an answer, `\mathbf{1}`: a vector of ones, as many as there are tokens.

Statements say of it how long it is; an answer that writes it as they do means that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from regard.checking.answers import Answer
from regard.language import Formula, parse
from regard.language.formula.vocabulary import ONES as _NAME

__all__ = ["with_sized_ones"]

_TOKENS = ("N", "n")  # what problems call the number of tokens, or of keys


Fits = Callable[[Any, str, Formula], bool]


def with_sized_ones(
    problem: Any, answer: Answer, sizes: Sequence[str] = (), fits: Fits | None = None
) -> Answer:
    """Return an answer whose bold ones have their size, where the problem has one for them.

    Args:
        problem: what is answered.
        answer: its fields.
        sizes: what the kind calls its sizes, where each field has a shape of its own.
        fits: whether a formula has the shape of a field.
    """
    formulas = [one for one in answer.fields.values() if isinstance(one, Formula)]
    if not any(_NAME in one.names for one in formulas) or _NAME in answer.fields:
        return answer
    if fits is not None:
        return replace(answer, fields=_fitted(problem, answer, sizes, fits))
    size = _size(problem)
    if size is None:
        return answer
    sized = {_NAME: parse(f"ones({size})")}
    fields = {
        name: one.substitute(sized) if isinstance(one, Formula) and _NAME in one.names else one
        for name, one in answer.fields.items()
    }
    return replace(answer, fields=fields)


def _fitted(problem: Any, answer: Answer, sizes: Sequence[str], fits: Fits) -> dict[str, object]:
    """Return the fields with the first size of the bold ones with which each has its shape."""
    fields = dict(answer.fields)
    for name, one in answer.fields.items():
        if isinstance(one, Formula) and _NAME in one.names:
            tried = (one.substitute({_NAME: parse(f"ones({size})")}) for size in sizes)
            fields[name] = next((found for found in tried if fits(problem, name, found)), one)
    return fields


def _size(problem: Any) -> str | None:
    """Return the name of the size, or None where the problem has none."""
    if problem.kind == "sequences":
        return "N"
    shapes = getattr(problem.given, "shapes", None) or {}
    sizes = {size for shape in shapes.values() for size in shape}
    return next((name for name in _TOKENS if name in sizes), None)
