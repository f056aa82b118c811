"""Find mean and variance of a score as formulas, and what to divide it by."""

from __future__ import annotations

from regard.analysis import interference
from regard.certify import Certificate
from regard.certify.claims.positions import position_moments
from regard.kinds.moments.instance.closed_forms import READINGS, reading_formulas
from regard.kinds.moments.instance.laws import DotProduct, PositionScore, law_of
from regard.kinds.moments.solve import dot_product
from regard.kinds.moments.solve.scores import DotProductMoments, PositionMoments
from regard.kinds.moments.spec import MomentsGoal, MomentsProblem
from regard.solving.finding import Status


def solve(problem: MomentsProblem) -> DotProductMoments | PositionMoments:
    """Return formulas in the problem's symbols, built from those of the laws.

    They are proved for all values of the symbols, and compared with the moments of the instance.
    """
    law = law_of(problem)
    if isinstance(law, DotProduct):
        return dot_product.solve(law, problem.goal)
    return _with_positions(law, problem.goal)


def _with_positions(law: PositionScore, goal: MomentsGoal) -> PositionMoments:
    """Claim the closed forms of the reading of the problem, and then those of the others."""
    given, formulas = law.given, law.formulas()
    others = [reading for reading in READINGS if reading != given.reading]
    claims = []
    for reading in (given.reading, *others):
        one = reading_formulas(given.dimension, reading)
        claims.append(
            position_moments.claim(given.dimension, reading, one.mean_text, one.variance_text)
        )
    d_model = int(given.parameters[given.dimension])
    return PositionMoments(
        Status.PROVED,
        formulas.answer(goal.find),
        Certificate({}, tuple(claims)),
        (0,),
        given=given,
        formulas=formulas,
        now=interference(d_model, content=given.reading, base=given.base),
    )
