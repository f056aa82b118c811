"""What an answer to a problem is made of: which fields, of what sort, and how one is written."""

from __future__ import annotations

from dataclasses import dataclass

from regard.problems.head import Problem
from regard.problems.registry import part


@dataclass(frozen=True)
class AnswerField:
    """One field of an answer.

    Attributes:
        name: such as "q".
        what: what belongs there, in a few words.
        example: how such a thing is written, as in a TOML file; it shows the syntax and is not the
            answer.
        optional: whether it may be left out.
    """

    name: str
    what: str
    example: str
    optional: bool = False


def answer_fields(problem: Problem) -> tuple[AnswerField, ...]:
    """Return the fields of an answer, those that may be left out last.

    A kind tells them in `fields.py`; one that does not has none to tell.

    >>> from regard.problems import load
    >>> [field.name for field in answer_fields(load("two-heads-average"))]
    ['q_1', 'q_2', 'C']
    """
    module = part(problem.kind, "fields")
    if module is None:
        return ()
    found: tuple[AnswerField, ...] = module.fields(problem)
    return found


def only_field(problem: Problem) -> str | None:
    """Return the name of the field that is all of an answer, or None where there are several."""
    needed = [field.name for field in answer_fields(problem) if not field.optional]
    return needed[0] if len(needed) == 1 else None
