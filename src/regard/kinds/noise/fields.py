"""What an answer gives: the law of the output, or what was asked about it."""

from __future__ import annotations

from regard.kinds.noise.spec import NoiseProblem
from regard.problems.answer_fields import AnswerField

# What is wrong on the instance of the problem earns nothing on others (`counted_once`).
INSTANCE_FIRST = True

_FIELDS = {
    "atoms": AnswerField(
        "atoms",
        "the vectors that the output comes near to, each with its probability",
        '[{ value = "vbar", probability = "1/3" }, { value = "2 vbar", probability = "2/3" }]',
    ),
    "mean": AnswerField("mean", "the mean of the output, as a formula in the values", '"2 vbar"'),
    "variance": AnswerField("variance", "the trace of its covariance", '"3 norm(vbar)^2"'),
    "independent": AnswerField(
        "independent", "whether the outputs of the heads are independent", "true"
    ),
}


def fields(problem: NoiseProblem) -> tuple[AnswerField, ...]:
    """Return what was asked for."""
    return tuple(_FIELDS[name] for name in problem.goal.find)


def goals(problem: NoiseProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each field."""
    return tuple(field.name for field in fields(problem) if not field.optional)
