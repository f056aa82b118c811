"""A mistake, once: its tag and sentence, the answer that shows it, and how an answer is recognised.

A kind lists its own in `misconceptions.MISTAKES`, in the order in which they are looked for, and
the tags that a solution warns of in `misconceptions.OFTEN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

from regard.checking.hints import hint
from regard.checking.verdict import Misconception
from regard.problems import Problem
from regard.problems.answer_fields import answer_fields

P = TypeVar("P")  # the problem
C = TypeVar("C")  # what the kind knows of an answer: the answer, its instances, what it does there


@dataclass(frozen=True, eq=False)
class Mistake(Generic[P, C]):
    """One way to get it wrong.

    Attributes:
        tag: stable, such as "no-large-scale".
        sentence: what went wrong; it must be true of every answer that `shows` accepts. Its first
            line says it in a few words, a second one why.
        shows: whether an answer makes this mistake, by what it does.
        wrong: the answer that somebody with this mistake would give, as fields; None where the
            problem leaves no room for it, as where that answer is right.
        idea: how a solution introduces that answer, such as "Without the large factor".
        spoiled: in place of `wrong`, where the answer is a change of the right one: such answers,
            the likeliest first, out of the problem and the right answer.
        hint: what to try next; without one, that of `hints.toml` for this tag.
        numbers: what the numbers of an answer say about it, in a sentence or two, or "".
    """

    tag: str
    sentence: str
    shows: Callable[[C], bool]
    wrong: Callable[[P], Mapping[str, Any] | None] | None = None
    idea: str = ""
    spoiled: Callable[[P, Mapping[str, Any]], Iterable[Mapping[str, Any]]] | None = None
    hint: str = ""
    numbers: Callable[[C], str] | None = None

    @property
    def misconception(self) -> Misconception:
        """The mistake as a verdict has it."""
        return Misconception.said(self.tag, self.sentence, self.hint or hint(self.tag))

    def of(self, case: C) -> Misconception:
        """Return the mistake as a verdict has it, with the numbers of the answer."""
        found = self.misconception
        return found if self.numbers is None else replace(found, numbers=self.numbers(case))

    def answers(self, problem: P, right: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Return answers that somebody with this mistake might give, beside the right one.

        Those that give nothing of what this problem asks for are left out: a query where the least
        error is asked for.
        """
        fields = self.wrong(problem) if self.wrong else None
        given = [] if fields is None else [fields]
        asked = {
            field.name for field in answer_fields(cast(Problem, problem)) if not field.optional
        }
        for one in (*given, *(self.spoiled(problem, right) if self.spoiled else ())):
            if not asked or "possible" in one or not asked.isdisjoint(one):
                yield one


def named(mistakes: Iterable[Mistake[Any, Any]], tag: str) -> Misconception:
    """Return a mistake by its tag, where it is known without being recognised."""
    return next(mistake.misconception for mistake in mistakes if mistake.tag == tag)


def recognise(mistakes: Iterable[Mistake[Any, C]], case: C) -> Misconception | None:
    """Return the first mistake that an answer shows."""
    found = next((mistake for mistake in mistakes if mistake.shows(case)), None)
    return None if found is None else found.of(case)
