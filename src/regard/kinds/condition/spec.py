"""When something happens: a condition that is sufficient, or exact where that is asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regard.problems.fields import Name, Part, Positive, Share
from regard.problems.head import Problem
from regard.problems.keys import Keys, names_are_declared


class ConditionGoal(Part):
    """The effect whose condition is asked for; it is about the key (and value) named `of`.

    With of = "j" and other = "i" a condition may use the scores s_j and s_i, s (all scores, a
    vector), the keys k_j and k_i, n, epsilon and R. It is meant for every other i. For "dominable"
    it may use a query q, and then is meant for some q.

    Attributes:
        effect: "mass": alpha_of ≥ 1 − epsilon, whatever the values are.
            "output": ‖c − v_of‖ ≤ epsilon · max_i ‖v_i − v_of‖ for all values.
            "pairwise": alpha_of ≥ R alpha_i for every other i.
            "dominable": some query gives alpha_of ≥ 1 − epsilon, for every epsilon > 0.
            "aligned": q = C k_of gives alpha_of → 1 as C → ∞.
        of: the name of the key.
        other: what conditions call every other key; no name of a row.
        epsilon: for "mass" and "output"; for "dominable" the one that is worked out in numbers.
        ratio: the R of "pairwise".
        exact: whether it is asked when *exactly* it happens. A condition then has to be necessary
            as well; otherwise it is enough that it implies the effect and can be met.
    """

    effect: Literal["mass", "output", "pairwise", "dominable", "aligned"]
    of: Name
    other: Name = "i"
    epsilon: Share = 0.01
    ratio: Annotated[Positive, Field(gt=1)] = 100.0
    exact: bool = False


class ConditionProblem(Problem):
    """An inequality in scores s_j, s_i or keys k_j, k_i (for every other i), epsilon and n."""

    kind: Literal["condition"]
    given: Keys
    goal: ConditionGoal

    def refuse(self) -> None:
        """Refuse rows that are not declared."""
        names_are_declared("goal.of", {self.goal.of}, self.given)
        if self.goal.other in self.given.names:
            raise ValueError(
                f"goal.other: {self.goal.other} is the name of a row; every other key needs a name "
                'of its own, such as other = "l"'
            )
        if self.given.keys.law == "gaussian":
            raise ValueError("given.keys: must not be random here")


PROBLEM = ConditionProblem
