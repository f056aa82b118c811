"""The table of questions: each module of `questions/` is one, and every host uses this table.

A module has `Asked`, the arguments as a class, and `answer(asked)`, which returns an `Answer`. The
first line of its docstring says what is asked; the module's name is the name of the question. One
that may take longer than the others says how long: `SECONDS`.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from pydantic import ValidationError

from regard.errors import RegardError
from regard.lab.arguments import Arguments
from regard.lab.wording import sentence


@dataclass(frozen=True, eq=False)
class Answer:
    """What is answered: as JSON data for a page, and as the Python object it was read from."""

    data: dict[str, Any]
    found: Any = None


@dataclass(frozen=True)
class Question:
    """One row of the table; `seconds` is set where an answer may take longer than others."""

    name: str
    says: str
    asked: type[Arguments]
    answer: Callable[[Any], Answer]
    seconds: float | None = None


class Refused(RegardError):
    """A question that is not answered; the message is the sentence that a person reads.

    Attributes:
        malformed: whether an argument by itself is not what the description of the question says;
            else the arguments do not fit each other, or nothing is known about them.
    """

    def __init__(self, sentence: str, *, malformed: bool = False) -> None:
        super().__init__(sentence)
        self.malformed = malformed


@cache
def questions() -> Mapping[str, Question]:
    """Return every question by its name."""
    folder = importlib.import_module("regard.lab.questions")

    names = [module.name for module in pkgutil.iter_modules(folder.__path__)]
    return {name: _question(f"{folder.__name__}.{name}", name) for name in names}


def _question(place: str, name: str) -> Question:
    module = importlib.import_module(place)
    says = (module.__doc__ or "").strip().splitlines()[0]
    return Question(name, says, module.Asked, module.answer, getattr(module, "SECONDS", None))


def ask(name: str, arguments: Mapping[str, Any]) -> Answer:
    """Answer a question.

    Args:
        name: a name out of `questions()`.
        arguments: what its `Asked` describes, as JSON data.

    Raises:
        Refused: it cannot be answered; the message says why, in a sentence.

    >>> ask("design_query", {"keys": [[1.0], [0.0]], "target": [1.0, 0.0]}).data["status"]
    'reached'
    """
    question = questions().get(name) if isinstance(name, str) else None
    if question is None:
        raise Refused(f"There is no question {str(name)[:40]!r}.", malformed=True)
    try:
        asked = question.asked.model_validate(arguments)
    except ValidationError as error:
        raise Refused(sentence(error.errors()), malformed=True) from None
    try:
        found = question.answer(asked)
    except Refused:
        raise
    except RegardError as error:
        raise Refused(str(error)) from error
    return Answer(plain(found.data), found.found)


def plain(value: Any) -> Any:
    """Return JSON data: arrays as lists, numbers that are not finite as text."""
    if hasattr(value, "tolist"):
        whole = value.dtype.kind in "biu" or (value.dtype.kind == "f" and np.isfinite(value).all())
        value = value.tolist()
        if whole:  # nothing to look for in it
            return value
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
