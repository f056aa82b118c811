"""Is this answer right, and if not, why not: decided by behaviour, never by text.

>>> check("average-two-values", {"q": "k_a + k_b"}).misconception.tag
'no-large-scale'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regard.checking.answer_reading import read
from regard.checking.answers import Answer
from regard.checking.collections.collection_answers import check_collection
from regard.checking.collections.example_sets import example_names, grade_example
from regard.checking.collections.part_by_part import Grading
from regard.checking.dispatch import check, replay
from regard.checking.misconceptions import tags
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict

__all__ = [
    "TAGS",
    "Answer",
    "Counterexample",
    "GoalResult",
    "Grading",
    "Misconception",
    "Verdict",
    "check",
    "check_collection",
    "example_names",
    "grade_example",
    "read",
    "replay",
]

if TYPE_CHECKING:
    TAGS: dict[str, str]


def __getattr__(name: str) -> Any:
    """Gather the tags of all kinds when they are asked for."""
    if name == "TAGS":
        return tags()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
