"""What an answer gives: three matrices for each layer."""

from __future__ import annotations

from regard.kinds.layers.spec import LayersProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: LayersProblem) -> tuple[AnswerField, ...]:
    """Return K, Q and V of both layers, which act on columns, and a factor."""
    first = problem.given.vocabulary[0]
    names = "U, P, W (tokens, positions, second room as columns), S (S e_t = e_(t-1)), ones(n)"
    example = f'"3 u_{first} u_{first}\'"'
    return (
        *(
            AnswerField(f"{name}_{layer}", f"a matrix on columns, in {names}", example)
            for layer in (1, 2)
            for name in "KQV"
        ),
        AnswerField("C", "a factor in it; left out: every large C", "20", True),
    )
