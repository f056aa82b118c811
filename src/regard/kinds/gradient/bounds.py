"""Is it an upper bound? Tried where it is hardest, and proved where signs of terms show it.

One score is gamma above k others, and the rest far below: then the weight of all others is
r = k x/(1 + k x) with x = e^(-gamma), the norm of the Jacobian r (1 - r)(k + 1)/k, and two
points of keys and values at the largest distances give a query gradient of kappa r (1 - r) D_K D_V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from regard.certify import Certificate, verify
from regard.certify.claims.algebra import saturation
from regard.checking.answers import Answer, evaluate, without_name
from regard.checking.mistakes import recognise
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.gradient.case import Case
from regard.kinds.gradient.misconceptions import MISTAKES
from regard.kinds.gradient.spec import GradientProblem
from regard.language import Formula
from regard.report import number

SIZES = (2, 3, 5, 10, 100, 1000)
GAPS = (1e-3, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
LENGTHS = ((0.5, 2.0, 3.0), (7.0, 0.3, 0.2), (0.1, 40.0, 0.6), (0.2, 0.5, 60.0))  # kappa, D_K, D_V
FAR = 60.0
FARTHER = (FAR, 1e3, 1e6, 1e12, 1e50, 1e100)  # gaps at which a bound has to go on falling
WORDS = {
    "leak": "the weight of all other keys",
    "jacobian": "the norm of the Jacobian",
    "query": "the gradient in the query",
}


@dataclass(frozen=True)
class Place:
    """Where a bound is tried: n keys, a gap, k rivals at the gap."""

    n: int
    gamma: float
    k: int
    kappa: float = 0.5
    D_K: float = 2.0
    D_V: float = 3.0

    def reached(self, of: str) -> float:
        """Return what is reached there."""
        x = self.k * math.exp(-self.gamma)
        r = x / (1 + x)
        if of == "leak":
            return r
        if of == "jacobian":
            return r * (1 - r) * (self.k + 1) / self.k
        return self.kappa * r * (1 - r) * self.D_K * self.D_V

    def proved(self, of: str) -> float:
        """Return the bound that `regard.certify.claims.algebra.saturation` proves there."""
        x = (self.n - 1) * math.exp(-self.gamma)
        if of == "leak":
            return x / (1 + x)
        trace = x * (2 + x) / (1 + x) ** 2  # 1 - |a|² is at most this
        if of == "jacobian":
            decay = math.exp(-self.gamma)
            return min(trace, 0.5, self.n * decay / (1 + decay) ** 2)
        return self.kappa * min(trace / 2, 0.25) * self.D_K * self.D_V

    def words(self, of: str) -> str:
        """Return its numbers as text: those that this bound depends on."""
        lengths = f"kappa = {self.kappa:g}, D_K = {self.D_K:g}, D_V = {self.D_V:g}, "
        return f"{lengths * (of == 'query')}n = {self.n} and gamma = {number(self.gamma)}"

    def symbols(self) -> dict[str, float]:
        """Return the numbers of the symbols."""
        return {
            "n": float(self.n), "gamma": self.gamma, "kappa": self.kappa, "D_K": self.D_K,
            "D_V": self.D_V,
        }  # fmt: skip


def judge_bound(problem: GradientProblem, answer: Answer) -> Verdict:
    """Judge an upper bound: is it one, does it vanish, and how tight is it?"""
    answer.only("bound")
    of = problem.goal.bound
    assert of is not None
    said = without_name("bound", answer.need("bound"))
    if isinstance(said, Formula) and said.is_condition:
        said = said.sides[-1]  # |J| <= 2 (n - 1) exp(-gamma)

    def value(place: Place) -> float:
        found: Any = evaluate("bound", said, place.symbols())
        if isinstance(found, bool | list | dict) or np.shape(found) != ():
            raise InvalidAnswer("answer: bound must be a formula of one number.")
        return float(found)

    places = [
        Place(n, gamma, k, *lengths)
        for lengths in (LENGTHS if of == "query" else LENGTHS[:1])
        for n in SIZES
        for gamma in GAPS
        for k in _rivals(n, gamma)
    ]
    wrong = [p for p in places if not p.reached(of) * (1 - 1e-12) <= value(p) < math.inf]
    name = f"{WORDS[of]} is at most that"
    if wrong:
        place = wrong[0]
        sentence = (
            f"with {place.words(of)}, {place.k} rival{'s' * (place.k > 1)} at the gap and the rest "
            f"far below, {WORDS[of]} is {number(place.reached(of))}, and the bound says "
            f"{number(value(place))}"
        )
        example = Counterexample(
            {**place.symbols(), "reached": place.reached(of), "bound": value(place)},
            f"{sentence[:1].upper()}{sentence[1:]}.",
        )
        idea = recognise(MISTAKES, Case(problem, (), (), {}, {}, "too small"))
        goals = [GoalResult(name, "adversarial", False, sentence)]
        if problem.goal.vanishing:
            goals.append(_vanishes(of, value, weight=0.0))
        return Verdict(problem, tuple(goals), example, idea)
    proof = None
    if isinstance(said, Formula):
        claims = Certificate({}, (saturation.claim(of, str(said)),))
        proof = verify(claims).claims[0]
    proved = proof is not None and proof.status == "holds"
    above = all(value(p) >= p.proved(of) * (1 - 1e-12) for p in places)
    sentence = f"no scores were found that exceed it ({len(places)} tried), and it is not proved"
    if proved:
        sentence = "proved for all n and all gaps"
    elif above:
        sentence = f"above a bound that is proved, at all {len(places)} sizes and gaps tried"
    passed = proved or above
    first = GoalResult(name, "all" if proved else "adversarial", passed, sentence, decided=passed)
    goals = [first]
    vanishing = _vanishes(of, value)
    if problem.goal.vanishing:
        goals.append(vanishing)
    shown: Counterexample | None = None
    idea = None
    if problem.goal.vanishing and not vanishing.passed:
        far = value(Place(10, FAR, 9))
        shown = Counterexample(
            {"n": 10, "gamma": FAR, "bound": far},
            f"With n = 10 and gamma = {FAR:g} the bound still says {number(far)}.",
        )
        idea = recognise(MISTAKES, Case(problem, (), (), {}, {}, "not vanishing"))
    return Verdict(problem, tuple(goals), shown, idea, _tightness(of, value))


def _rivals(n: int, gamma: float) -> list[int]:
    """Return how many rivals are tried: one, half, all, and as many as weigh what the best does."""
    level = min(n - 1, max(1, round(math.exp(gamma))))
    return sorted({1, n // 2, level, n - 1} - {0})


def _vanishes(of: str, value: Any, weight: float = 1.0) -> GoalResult:
    with np.errstate(all="ignore"):
        found = [(gap, value(Place(10, gap, 9))) for gap in FARTHER]
    found = [(gap, far) for gap, far in found if math.isfinite(far)]
    steps = pairwise(found)
    passed = len(found) > 1 and all(abs(b) <= 0.9 * abs(a) for (_, a), (_, b) in steps)
    gap, far = found[-1] if found else (FAR, math.nan)
    sentence = f"at gamma = {gap:g} and n = 10 it is {number(far)}"
    return GoalResult(
        "it vanishes as the gap grows", "adversarial", passed, sentence, weight=weight
    )


def _tightness(of: str, value: Any) -> tuple[str, ...]:
    place = Place(10, 12.0, 9)
    ratio = value(place) / place.reached(of)
    return (
        f"How tight: with n = 10 and gamma = 12 it is {number(ratio, 3)} times what equal rivals "
        "reach.",
    )
