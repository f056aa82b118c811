"""What an answer gives: three matrices, or that there are none."""

from __future__ import annotations

from regard.kinds.sequences.spec import SequencesProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: SequencesProblem) -> tuple[AnswerField, ...]:
    """Return K, Q and V, which act on columns, and `possible`."""
    names = "u_a …, U = [u_a, u_b, …]"
    if problem.given.positions == "one-hot":
        names += ", p_1 …, P = [p_1, p_2, …], S (S e_t = e_(t-1)), J = diag(1 … N), ones(N)"
    first = f"u_{problem.given.vocabulary[0]}"
    return (
        *(
            AnswerField(x, f"a matrix on columns, in {names}", f'"2 {first} {first}\'"')
            for x in "KQV"
        ),
        AnswerField("C", "a factor in it; left out: every large C", "20", True),
        AnswerField("possible", "false, alone, if no matrices do it", "false", True),
    )
