"""What is got wrong about one query: all that is of several heads, but what needs more than one."""

from __future__ import annotations

from typing import Any

from regard.checking.mistakes import Mistake
from regard.kinds.heads import misconceptions as of_heads


def _by_the_judge(tag: str, sentence: str) -> Mistake[Any, Any]:
    """Return a mistake that the judge names itself: it knows the length and the least error."""
    return Mistake(tag, sentence, lambda case: False)


MISTAKES = (
    *(m for m in of_heads.MISTAKES if m.tag not in of_heads.OF_SEVERAL_HEADS),
    _by_the_judge(
        "query-too-long",
        "The weights are right, and the query is longer than allowed:\n"
        "part of the question is how sharp a softmax can be when scores are limited.",
    ),
    _by_the_judge(
        "nearer-than-any-query",
        "No query comes that near:\n"
        "scores are products with one vector, and cannot be chosen one by one for these "
        "keys, or not as far apart as it would take.",
    ),
    _by_the_judge(
        "a-query-comes-nearer",
        "There is a query that comes nearer than that.\nThe counterexample has it.",
    ),
)
OFTEN = (
    "no-large-scale",
    "not-divided-by-squared-norm",
    "weights-without-log",
    "no-upper-limit-on-scale",
)
