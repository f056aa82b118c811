"""What an answer calls true, and the reasons that it gives.

`a = true`, `b = false`, or `true = ["a", "c"]`: then all others are false. A reason is a table of
numbers for which a statement fails, or a chain of formulas `A = B = C` that leads from one side to
the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.errors import InvalidAnswer
from regard.kinds.choice.spec import ChoiceProblem
from regard.language import Formula

LISTED = "true"
WORDS = {"true": True, "yes": True, "t": True, "false": False, "no": False, "f": False}


@dataclass(frozen=True, eq=False)
class Said:
    """An answer, read.

    Attributes:
        truths: what it says of each statement.
        reasons: numbers by name, or a chain of formulas, by label.
    """

    truths: Mapping[str, bool]
    reasons: Mapping[str, Mapping[str, Any] | Formula]


def read(problem: ChoiceProblem, answer: Answer) -> Said:
    """Return what an answer says of every statement.

    Raises:
        InvalidAnswer: a statement is left out, or something is said that was not asked.
    """
    labels = [statement.label for statement in problem.goal.statements]
    allowed = [*labels, LISTED, *(f"reason_{label}" for label in labels)]
    answer.only(*allowed)
    if answer.has(LISTED):
        beside = [label for label in labels if answer.has(label)]
        if beside:
            raise InvalidAnswer(f"answer: {beside[0]} is said twice: use true = […] or labels.")
        named = _labels(answer.need(LISTED), labels)
        truths = {label: label in named for label in labels}
    else:
        truths = {label: _truth(label, answer.need(label)) for label in labels}
    reasons = {
        label: _reason(label, answer.need(f"reason_{label}"))
        for label in labels
        if answer.has(f"reason_{label}")
    }
    return Said(truths, reasons)


def _labels(field: Any, labels: list[str]) -> set[str]:
    items = field if isinstance(field, list) else [field]
    if isinstance(field, np.ndarray) or not all(isinstance(item, Formula) for item in items):
        raise InvalidAnswer('answer: true must be a list of labels, such as ["a", "c"].')
    found = {str(item) for item in items}
    unknown = sorted(found - set(labels))
    if unknown:
        raise InvalidAnswer(
            f"answer: {unknown[0][:80]} is no statement: they are {', '.join(labels)}."
        )
    return found


def _truth(label: str, field: Any) -> bool:
    if isinstance(field, bool):
        return field
    word = str(field).lower() if isinstance(field, Formula) else ""
    if word not in WORDS:
        got = f" Got {str(field)[:20]}." if word.isalnum() else ""
        if field in (0.0, 1.0):
            got = f" Write {label} = {'true' if field else 'false'} for {field:g}."
        raise InvalidAnswer(f"answer: {label} must be true or false.{got}")
    return WORDS[word]


def _reason(label: str, field: Any) -> Mapping[str, Any] | Formula:
    if isinstance(field, Mapping) or (isinstance(field, Formula) and set(field.relations) == {"="}):
        return field
    raise InvalidAnswer(
        f"answer: reason_{label} must be a table of numbers for which the statement fails, or a "
        'chain of formulas from one side to the other, such as "A = B = C".'
    )
