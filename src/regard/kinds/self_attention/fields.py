"""What an answer gives: three matrices."""

from __future__ import annotations

from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: SelfAttentionProblem) -> tuple[AnswerField, ...]:
    """Return K, Q and V, which act on columns; W_K, W_Q and W_V, on rows, serve as well."""
    first, last = problem.given.basis.names[0], problem.given.basis.names[-1]
    example = f'"2 {first} {last}\' + I"'
    wanted = ["K", "Q", "V"] if problem.goal.outputs else ["K", "Q"]
    return tuple(
        AnswerField(name, f"a matrix that acts on columns, or W_{name} that acts on rows", example)
        for name in wanted
    )


def goals(problem: SelfAttentionProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each output, and where each token looks."""
    return (*problem.goal.outputs, *problem.goal.attend)
