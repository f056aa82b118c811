"""What an answer to a problem is made of: which fields, of what sort, and how one is written.

And what it is judged by: the goals that `points` of a problem file are given for.
"""

from __future__ import annotations

from dataclasses import dataclass

from regard.problems.head import Problem
from regard.problems.registry import looked_up, part

WHOLE = "answer"  # the goal of a problem that asks for one thing


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
    if part(problem.kind, "fields") is None:
        return ()
    found: tuple[AnswerField, ...] = looked_up(problem.kind, "fields", "fields")(problem)
    return found


def goal_names(problem: Problem) -> tuple[str, ...]:
    """Return what `points` of a problem can be given for.

    A kind tells them in `goals` of its `fields.py`; where it does not, an answer is one thing.

    >>> from regard.problems import load
    >>> goal_names(load("worked-weighted-sum")), goal_names(load("two-heads-average"))
    (('a_3', 'c_3'), ('answer',))
    """
    module = part(problem.kind, "fields")
    found = getattr(module, "goals", None)
    return tuple(dict.fromkeys(found(problem))) if found else (WHOLE,)


def only_field(problem: Problem) -> str | None:
    """Return the name of the field that is all of an answer, or None where there are several."""
    needed = [field.name for field in answer_fields(problem) if not field.optional]
    return needed[0] if len(needed) == 1 else None
