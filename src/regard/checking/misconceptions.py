"""What wrong answers look like: a stable tag for each, and the sentence that explains it.

Which of them an answer is, its judge decides by what the answer does.
"""

from __future__ import annotations

from regard.checking.tags import conditions, matrices, positions, products, queries, randomness
from regard.checking.verdict import Misconception

TAGS: dict[str, str] = {
    **queries.TAGS,
    **matrices.TAGS,
    **positions.TAGS,
    **products.TAGS,
    **conditions.TAGS,
    **randomness.TAGS,
}


def misconception(tag: str) -> Misconception:
    """Return a misconception by its tag."""
    return Misconception(tag, TAGS[tag])
