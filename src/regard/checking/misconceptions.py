"""What wrong answers look like: a stable tag for each, and the sentence that explains it.

Which of them an answer is, its judge decides by what the answer does. A kind has its own in its
`misconceptions`; what several kinds say is here.
"""

from __future__ import annotations

from regard.checking.hints import hint
from regard.checking.tags import matrices, products, queries, randomness
from regard.checking.verdict import Misconception
from regard.problems.registry import kinds, part

SHARED: dict[str, str] = {
    **queries.TAGS,
    **matrices.TAGS,
    **products.TAGS,
    **randomness.TAGS,
}


def misconception(tag: str) -> Misconception:
    """Return a misconception that several kinds share, by its tag."""
    return Misconception.said(tag, SHARED[tag], hint(tag))


def tags() -> dict[str, str]:
    """Return every tag with its sentence: those that are shared, then kind by kind.

    Of a shared tag that a kind says in words of its own, it is the shared sentence.
    """
    own = {
        mistake.tag: mistake.misconception.sentence
        for kind in kinds()
        for mistake in getattr(part(kind, "misconceptions"), "MISTAKES", ())
    }
    shared = {tag: misconception(tag).sentence for tag in SHARED}
    return shared | own | shared
