"""What an answer gives: a query for each head."""

from __future__ import annotations

from regard.kinds.heads.spec import WeightsProblem
from regard.problems.answer_fields import AnswerField
from regard.problems.laws import Gaussian

# What is wrong on the instance of the problem earns nothing on others (`counted_once`).
SHOWS_ARRAYS = True
INSTANCE_FIRST = True


def fields(problem: WeightsProblem) -> tuple[AnswerField, ...]:
    """Return q, or q_1, q_2 and so on; and the factor C, which may stay open."""
    random = isinstance(problem.given.keys, Gaussian)
    first, *others = [f"{'mu' if random else 'k'}_{name}" for name in problem.given.names]
    other = others[0] if others else first
    called = "the means of the keys" if random else "the keys"
    queries = [
        AnswerField(name, f"a query, as a formula in {called}", f'"C ({other} - 2 {first})"')
        for name in problem.query_names
    ]
    factor = AnswerField(
        "C", "the factor in it, if it is to be a certain one; left out: every large C", "20", True
    )
    return (*queries, factor)
