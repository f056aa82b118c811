"""What an answer gives: which blocks are zeroed."""

from __future__ import annotations

from regard.kinds.band.spec import BandProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: BandProblem) -> tuple[AnswerField, ...]:
    """Return the one field: an inequality, or a list of blocks."""
    what = "an inequality in i, w_i and B that holds for the blocks that are zeroed, or their list"
    return (AnswerField("zeroed", what, '"2 i > 3 w_i + B"'),)
