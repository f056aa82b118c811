"""A mistake in a program that is recognised by the numbers of its imitation."""

from __future__ import annotations

from regard.checking.mistakes import Mistake
from regard.kinds.code.misconceptions.case import Wrong
from regard.kinds.code.misconceptions.imitations import Change
from regard.kinds.code.spec import CodeProblem


def like(tag: str, sentence: str, *changes: Change) -> Mistake[CodeProblem, Wrong]:
    """Return a mistake that shows where a function returns what one with such a change does."""
    return Mistake(tag, sentence, lambda wrong: wrong.any_like(changes))
