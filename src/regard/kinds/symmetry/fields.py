"""What an answer gives: whether the output stays, what it becomes, or what makes it stay."""

from __future__ import annotations

from regard.kinds.symmetry.spec import SymmetryProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: SymmetryProblem) -> tuple[AnswerField, ...]:
    """Return `invariant`, `becomes`, or the symbol that is to be found."""
    known = {
        "invariant": AnswerField("invariant", "whether the output is the same", "true"),
        "becomes": AnswerField("becomes", "the output after the change, in Y", '"7 Y"'),
    }
    found = [known[name] for name in problem.goal.find]
    for name, sizes in problem.goal.unknown.items():
        what = f"a formula that makes it so, {' × '.join(map(str, sizes))}"
        found.append(AnswerField(name, what, f'"3 zeros({", ".join(map(str, sizes))})"'))
    return tuple(found)


def goals(problem: SymmetryProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each field."""
    return tuple(field.name for field in fields(problem) if not field.optional)
