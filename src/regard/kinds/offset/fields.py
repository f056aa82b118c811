"""What an answer gives: two sorts of blocks."""

from __future__ import annotations

from regard.kinds.offset.spec import OffsetProblem
from regard.problems.answer_fields import AnswerField

_EXAMPLE = '"[[w_i, 0], [0, T]]"'


def fields(problem: OffsetProblem) -> tuple[AnswerField, ...]:
    """Return the block on the diagonal and the one off it."""
    return (
        AnswerField("block", "the 2×2 block i on the diagonal, in w_i and T", _EXAMPLE),
        AnswerField("off_block", "every 2×2 block off the diagonal", '"[[1, 0], [0, 1]]"'),
    )
