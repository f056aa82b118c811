"""What an answer gives: a formula for each claim."""

from __future__ import annotations

from regard.kinds.identity.spec import IdentityProblem
from regard.problems.answer_fields import AnswerField


def fields(problem: IdentityProblem) -> tuple[AnswerField, ...]:
    """Return the names of the claims, and the shapes where they are asked for."""
    known = next(iter(problem.given.all_shapes()))
    claims = problem.goal.claims
    what, example = "a formula that holds for all inputs", f'"2 {known}"'
    formulas = [AnswerField(claim.name, what, example) for claim in claims]
    shaped = [claim for claim in claims if claim.shape]
    if not shaped:
        return tuple(formulas)
    size = sorted(problem.given.size_names)[0]
    shapes = ", ".join(f'{claim.name} = ["{size}", "{size}"]' for claim in shaped)
    return (*formulas, AnswerField("shapes", "the shape of each", f"{{ {shapes} }}"))


def goals(problem: IdentityProblem) -> tuple[str, ...]:
    """Return what `points` are given for: each formula, and the shapes where they are asked for."""
    return tuple(field.name for field in fields(problem) if not field.optional)
