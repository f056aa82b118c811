"""Find the condition that is necessary and sufficient for an effect, and prove that it is.

Let γ be the gap between s_j and the largest other score. α_j = 1/(1 + Σ_{i≠j} e^{s_i − s_j}), and
the sum is at least e^{−γ} and at most (n − 1) e^{−γ}. So α_j ≥ 1 − ε holds exactly where the sum is
at most ε/(1 − ε); γ ≥ ln((n − 1)(1 − ε)/ε) is sufficient, γ ≥ ln((1 − ε)/ε) is necessary, and
neither can be improved: the others may all score alike, or all but one may score next to nothing.
For pairs α_j/α_i = e^{s_j − s_i}, so α_j ≥ R α_i where s_j − s_i ≥ ln R.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim
from regard.certify.claims.algebra import equivalences
from regard.certify.claims.algebra.conditions import aligned_claim, condition_claim, gap_claim
from regard.design import QueryDesign
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.condition.instance import Float64, Level, first_and_rest, level_of
from regard.kinds.condition.spec import ConditionProblem
from regard.problems import key_instance
from regard.problems.laws import Orthogonal
from regard.solving.closed_forms import NECESSARY_GAP, SUFFICIENT_GAP
from regard.solving.finding import Finding, Status

MOST_TRIED = 8  # keys of the instances that show both sides
NEAR = 1e-3  # how far from the border they are
MANY = 10**6
LOOSEST = 0.4  # a weight of 1 − this is beyond every ceiling, which is at most 1/2
MOST_KEYS = 128  # of a law that are worked with; what is true of them is true of more
MOST_EXACT = 20_000  # numbers that are multiplied out as fractions
Designed = QueryDesign | InfeasibleDesign | UndecidedDesign


@dataclass(frozen=True, eq=False, kw_only=True)
class OfScores(Finding):
    """A condition on scores, for the weight of a key or its ratio to others.

    Attributes:
        level: by how much the score must be above what the others come to.
        n: how many keys there are.
        sides: scores, that of the key first, just on either side of the border.
        lucky: where the output is asked about: scores with which it is right by chance, for values
            on either side of that of the key.
    """

    level: Level
    n: int
    sides: tuple[Float64, ...]
    lucky: Float64 | None = None

    @property
    def enough(self) -> float:
        """The gap to every other score that is sufficient."""
        return SUFFICIENT_GAP.value(n=self.n, epsilon=self.level.epsilon)

    @property
    def needed(self) -> float:
        """The gap that is necessary."""
        return NECESSARY_GAP.value(epsilon=self.level.epsilon)


@dataclass(frozen=True, eq=False, kw_only=True)
class OfKeys(Finding):
    """A condition on keys, whether some query can bring out one of them.

    Attributes:
        keys: (n, d), an example of them where they have a law.
        row: of the key asked about.
        design: a query that does it here; or why there is none, or none was found. None where
            that is not looked for: a query along the key does it.
    """

    keys: Float64
    row: int
    design: Designed | None


@dataclass(frozen=True, eq=False, kw_only=True)
class AlongKey(OfKeys):
    """A condition on keys, whether a query along one of them brings it out.

    Attributes:
        ahead: how far k_j·k_j is above the largest k_i·k_j here.
    """

    ahead: float


def solve(problem: ConditionProblem) -> Finding:
    """Return the condition that is necessary and sufficient for the effect."""
    solvers = {"pairwise": _pairwise, "dominable": _dominable, "aligned": _aligned}
    return solvers.get(problem.goal.effect, _mass)(problem)


def condition(problem: ConditionProblem) -> str:
    """Return the condition that is both sufficient and necessary."""
    j, i, effect = problem.goal.of, problem.goal.other, problem.goal.effect
    if effect == "dominable":
        return f"k_{j}' q > k_{i}' q"
    if effect == "aligned":
        return f"k_{j}' k_{j} > k_{i}' k_{j}"
    if effect == "pairwise":
        return f"s_{j} - s_{i} >= log(R)"
    if problem.given.n == 2:
        return f"s_{j} - s_{i} >= {NECESSARY_GAP.text}"
    return f"s_{j} - log(sum(exp(s)) - exp(s_{j})) >= {NECESSARY_GAP.text}"


def _equivalence(problem: ConditionProblem, n: int | None = None) -> Claim:
    """Claim that the condition is necessary and sufficient, whatever the scores or keys are."""
    goal, count = problem.goal, n or problem.given.n
    return equivalences.claim(
        goal.effect, condition(problem), of=goal.of, other=goal.other, n=count
    )


def _of_scores(
    problem: ConditionProblem, claims: list[Claim], sides: list[Float64], **more: Any
) -> OfScores:
    return OfScores(
        Status.PROVED,
        {"condition": condition(problem)},
        Certificate({}, (_equivalence(problem), *claims), problem.given.scale),
        reaches=(0,),
        level=level_of(problem),
        n=problem.given.n,
        sides=tuple(sides),
        **more,
    )


def _mass(problem: ConditionProblem) -> OfScores:
    """When alpha_j ≥ 1 − epsilon; or, for all values, the output is as near: the same condition."""
    j, i, text = problem.goal.of, problem.goal.other, condition(problem)
    epsilon = str(Fraction(repr(problem.goal.epsilon)))
    case, effect = {"n": problem.given.n, "epsilon": epsilon}, "u' softmax(s) >= 1 - epsilon"
    sides = _sides(problem)
    ratio = f"s_{j} >= 100 s_{i}"
    small, large = np.array([0.1, 0.001]), np.array([1000.0, 990.0])
    claims = [
        gap_claim("sufficient", SUFFICIENT_GAP.text, [case], tight=True),
        gap_claim("necessary", NECESSARY_GAP.text, [case], tight=True),
        condition_claim("equivalent", text, effect, [_named(problem, s, epsilon) for s in sides]),
        condition_claim("not sufficient", ratio, effect, [_named(problem, small, "1/100")]),
        condition_claim("not necessary", ratio, effect, [_named(problem, large, "1/100")]),
    ]
    if problem.goal.effect == "mass":
        return _of_scores(problem, claims, sides)
    near, origin = "norm(V' softmax(s) - v) <= epsilon", {"v": [0, 0]}
    # All other values in one place, at distance 1.
    instances = [
        {**_named(problem, s, epsilon), "V": [[0, 0]] + [[1, 0]] * (len(s) - 1), **origin}
        for s in sides
    ]
    # Values on either side of v_j, and less weight on it than the condition asks for.
    level = max(1.0, math.log(1 / (1 - problem.goal.epsilon) - 0.5))
    lucky = np.array([0.0, level, level])
    either = {**_named(problem, lucky, epsilon), "V": [[0, 0], [-1, 0], [1, 0]], **origin}
    claims += [
        condition_claim("equivalent", text, near, instances),
        condition_claim("not necessary", text, near, [either]),
    ]
    return _of_scores(problem, claims, sides, lucky=lucky)


def _sides(problem: ConditionProblem) -> list[Float64]:
    """Return scores (key j first) on either side of the border, in the two extreme cases."""
    n, level = min(problem.given.n, MOST_TRIED), level_of(problem)
    low = -level.above - 60.0  # all but one rival score next to nothing
    found = []
    for near in (NEAR, -NEAR):
        found.append(first_and_rest(level.enough(n) + near, 0.0, n))
        if n > 2:
            found.append(np.concatenate([[level.above + near], [0.0], np.full(n - 2, low)]))
    return found


def _named(problem: ConditionProblem, scores: Float64, epsilon: str) -> dict[str, Any]:
    """Name scores, key j first, as conditions do; i is the strongest rival."""
    return {
        "s": scores.tolist(),
        f"s_{problem.goal.of}": float(scores[0]),
        f"s_{problem.goal.other}": float(np.max(scores[1:])),
        "u": [1] + [0] * (len(scores) - 1),
        "n": len(scores),
        "epsilon": epsilon,
    }


def _pairwise(problem: ConditionProblem) -> OfScores:
    """When alpha_j ≥ R alpha_i for every other i."""
    j, i, ratio = problem.goal.of, problem.goal.other, problem.goal.ratio
    text, exact = condition(problem), str(Fraction(repr(ratio)))
    sides = [
        np.array(scores)
        for gap in (math.log(ratio) + NEAR, math.log(ratio) - NEAR)
        for scores in ([gap, 0.0, 0.0], [gap, -5.0, 0.0])
    ]
    unit = {"u": [1, 0, 0], "w": [0, 0, 1], "R": exact}
    instances = [
        {"s": s.tolist(), f"s_{j}": float(s[0]), f"s_{i}": float(np.max(s[1:])), **unit}
        for s in sides
    ]
    many = max(MANY, math.ceil(10 * ratio))
    alone = {f"s_{j}": math.log(ratio) + NEAR, f"s_{i}": 0, "R": exact, "n": many}
    claims = [
        gap_claim("sufficient", "log(R)", [{"R": exact}], effect="ratio", tight=True),
        gap_claim("necessary", "log(R)", [{"R": exact}], effect="ratio", tight=True),
        condition_claim("equivalent", text, "u' softmax(s) >= R (w' softmax(s))", instances),
        # A ratio of weights says little about their sum.
        condition_claim("not sufficient", text, "R/(R + n - 1) >= 1/2", [alone]),
    ]
    return _of_scores(problem, claims, sides)


def _some_keys(problem: ConditionProblem) -> tuple[Float64, int]:
    """Return keys, and the row of the one asked about; of a law for very many keys only some."""
    given, of = problem.given, problem.goal.of
    if given.n <= MOST_KEYS or given.keys.law == "fixed":
        return key_instance(given).keys, given.names[of]
    law = given.keys
    if isinstance(law, Orthogonal) and law.norms is not None:
        row = given.names[of]
        norms = [law.norms[row], *law.norms[:row], *law.norms[row + 1 :]]
        law = law.model_copy(update={"norms": norms[:MOST_KEYS]})
    few = given.model_copy(update={"n": MOST_KEYS, "keys": law, "names": {of: 0}})
    return key_instance(few).keys, 0


def _designed(problem: ConditionProblem, keys: Float64, row: int) -> Designed:
    """Return a query that brings out a key, or why there is none."""
    epsilon = min(problem.goal.epsilon, LOOSEST)
    try:
        return design_query(keys, row, tolerance=epsilon, scale=problem.given.scale)
    except (InfeasibleDesign, UndecidedDesign) as refusal:
        return refusal


def _dominable(problem: ConditionProblem) -> OfKeys:
    """When some query gives a key a weight as close to 1 as one likes."""
    keys, row = _some_keys(problem)
    design = _designed(problem, keys, row)
    certificate = design.certificate or Certificate({"keys": keys}, (), problem.given.scale)
    return OfKeys(
        Status.UNDECIDED if isinstance(design, UndecidedDesign) else Status.PROVED,
        {"condition": condition(problem)},
        replace(certificate, claims=(_equivalence(problem), *certificate.claims)),
        reaches=(0,),
        keys=keys,
        row=row,
        design=design,
    )


def _aligned(problem: ConditionProblem) -> AlongKey:
    """When q = C k_j brings the weight of key j to 1 as C grows."""
    j, i = problem.goal.of, problem.goal.other
    keys, row = _some_keys(problem)
    ahead = _ahead(keys, row)
    # With the condition (of equal length) and without (one longer, one equal).
    both_sides = [
        {"K": [[1, 0], rival, [-1, 0]], "k": [1, 0], f"k_{j}": [1, 0], f"k_{i}": rival}
        | {"u": [1, 0, 0], "C": 50}
        for rival in ([0, 1], [2, 0], [1, 0], [0.8, 0.6])
    ]
    effect = "u' softmax(C K k) >= 99/100"
    claims = (
        _equivalence(problem, len(keys)),
        aligned_claim(row, ahead > 0),
        condition_claim("equivalent", condition(problem), effect, both_sides),
    )
    return AlongKey(
        Status.PROVED,
        {"condition": condition(problem)},
        Certificate({"keys": keys}, claims, problem.given.scale),
        reaches=(0,),
        keys=keys,
        row=row,
        ahead=ahead,
        design=None if ahead > 0 else _designed(problem, keys, row),
    )


def _ahead(keys: Float64, row: int) -> float:
    """How far k_j·k_j is above the largest k_i·k_j; its sign is exact where that can be had."""
    others = [at for at in range(len(keys)) if at != row]
    if keys.size > MOST_EXACT:
        products = keys @ keys[row]
        return float(products[row] - np.max(products[others]))
    exact = np.array([[Fraction(x) for x in key] for key in keys.tolist()], dtype=object)
    products = exact @ exact[row]
    return float(products[row] - max(products[others]))
