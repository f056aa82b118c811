"""Is this the law of the output when keys are random?

What an answer says is compared with the law in the limits of the problem, for the values of the
instance and for drawn ones: atoms by how often output and answer differ, mean and variance as
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.sampling import TRIALS, Trial, compare, counted_once, generator, goal
from regard.checking.verdict import GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.noise.judge.atoms import EXACT
from regard.kinds.noise.judge.fields import FIELDS, Float64, Said, read
from regard.kinds.noise.judge.law import Law, Setting, law, setting
from regard.kinds.noise.spec import NoiseProblem
from regard.problems import key_instance
from regard.problems.laws import Arbitrary, Fixed, Gaussian, Orthogonal
from regard.report import number, vector

WORDS = {
    "atoms": "what the output comes near to, and how often",
    "mean": "the mean",
    "variance": "the variance",
    "independent": "whether the heads are independent",
}
ROUGH = 1e-3  # a law that is known less well decides only what is far off
NEARLY = 0.2  # an error that falls and is below this may be on its way to 0
MORE = 5  # keys beyond those of the problem, in the adversarial instance


@dataclass(frozen=True, eq=False)
class Instance:
    """A law and values.

    Attributes:
        law: how much of each value the output holds, and how often.
        values: (n, d_v).
        independent: whether the heads are.
    """

    law: Law
    values: Float64
    independent: bool


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, what an answer says, and the law it is compared with.

    Attributes:
        problem: what is asked.
        said: what was answered.
        at: keys and queries of the problem.
        law: of the output.
        keep_positive: whether that leaves out cases with a negative score.
        known: values that were drawn before.
    """

    problem: NoiseProblem
    said: Said
    at: Setting
    law: Law
    keep_positive: bool
    known: dict[int, Float64] = field(default_factory=dict, repr=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """What is asked for."""
        return tuple(name for name in FIELDS if name in self.problem.goal.find)

    @property
    def plain(self) -> Instance:
        """The instance of the problem."""
        return Instance(self.law, self._values(-1), self.at.independent)

    def drawn(self, seed: int) -> Instance:
        """The same law with other values."""
        return Instance(self.law, self._values(seed), self.at.independent)

    def _values(self, seed: int) -> Float64:
        if seed not in self.known:
            given = self.problem.given
            assert isinstance(given.keys, Gaussian)
            still = given.model_copy(update={"keys": given.keys.mean})  # only values matter
            rng = generator(seed) if seed >= 0 else None
            values = key_instance(still, rng).values
            arrays = any(self.said.has_arrays(name) for name in self.said.answer.fields)
            if seed >= 0 and arrays and isinstance(given.values, Arbitrary):
                values = values[:, : self._values(-1).shape[1]]  # as long as the answer's arrays
            self.known[seed] = values
        return self.known[seed]

    @property
    def one_instance(self) -> bool:
        """Whether the values are given as numbers, and so are the only ones."""
        return isinstance(self.problem.given.values, Fixed)

    def in_numbers(self, name: str) -> bool:
        """Whether a field is the same for all values, although these are not given as numbers."""
        return not self.one_instance and name != "independent" and self.said.is_constant(name)

    def error(self, name: str, at: Instance) -> float:
        """Return how far off a field is."""
        try:
            return self.said.error(name, at.law, at.values, at.independent)
        except InvalidAnswer:
            if self.one_instance or not self.said.has_arrays(name):
                raise
            return float("nan")  # arrays of another length than these values

    @property
    def tolerance(self) -> float:
        """How far off a field may be beyond its digits."""
        return EXACT + (self.law.rough if self.law.rough <= ROUGH else 0.0)


def judge(problem: NoiseProblem, answer: Answer) -> Verdict:
    """Judge what an answer says about the output."""
    from regard.kinds.noise.judge.mistakes import counterexample

    with np.errstate(all="ignore"):
        asked = _nearest(problem, read(problem, answer))
        goals: list[GoalResult] = []
        wrong: dict[str, Instance] = {}
        hard = _hard(asked)
        for name in asked.fields:
            open_goal = _undecided(asked, name)
            if open_goal is not None:
                goals.append(open_goal)
                continue
            found, failing = _goals(asked, name, hard)
            goals += counted_once(found)
            if failing is not None:
                wrong[name] = failing
        return Verdict(
            problem,
            tuple(goals),
            counterexample(asked, wrong) if wrong else None,
            _recognised(asked, tuple(wrong)) if wrong else None,
            _remarks(asked, not wrong),
        )


def _recognised(asked: Asked, wrong: tuple[str, ...]) -> Misconception | None:
    from regard.kinds.noise.judge.mistakes import recognise

    try:
        return recognise(asked, wrong)
    except InvalidAnswer:  # arrays of another length than the values
        return None


def _nearest(problem: NoiseProblem, said: Said) -> Asked:
    """Return the answer beside the law it fits best, where cases may be left out or not."""
    at, known = setting(problem.given), dict[int, Float64]()
    kinds = (True, False) if problem.given.ignore_negative else (False,)
    found = [Asked(problem, said, at, law(at, keep_positive=k), k, known) for k in kinds]

    def fit(asked: Asked) -> int:
        plain = asked.plain
        return sum(asked.error(name, plain) <= asked.tolerance for name in asked.fields)

    return max(found, key=fit)  # of equal ones the first


def _goals(
    asked: Asked, name: str, instances: list[Instance]
) -> tuple[list[GoalResult], Instance | None]:
    """Return the goals of a field, and the first instance on which it is wrong."""
    words, allowed = WORDS[name], asked.tolerance

    def trial(at: Instance, seed: int | None = None) -> Trial[Instance]:
        return Trial(at, asked.error(name, at), allowed, seed)

    trials = [trial(asked.plain)]
    counts = 0.0 if asked.in_numbers(name) else 1.0  # values that are not shown are hit by chance
    goals = [goal(words, "this", trials, say=_say(asked, name), weight=counts)]
    if name != "independent" and not asked.one_instance:
        drawn = [trial(asked.drawn(seed), seed) for seed in range(TRIALS)]
        goals.append(goal(f"{words}, for any values", "sampled", drawn))
        hard = [trial(at) for at in instances]
        more = " and more keys" if len(hard) > 2 else ""
        goals.append(goal(f"{words}, for extreme values{more}", "adversarial", hard))
        trials += drawn + hard
    return goals, next((one.instance for one in trials if not one.right), None)


def _undecided(asked: Asked, name: str) -> GoalResult | None:
    """Return the goal of a field that cannot be settled, or None."""
    error, rough = asked.error(name, asked.plain), asked.law.rough
    if name == "independent" or not np.isfinite(error):
        return None
    if rough == np.inf:
        sentence = "the law is not known: of the cases that count none, or one, was drawn"
        return GoalResult(WORDS[name], "this", False, sentence, error, decided=False)
    if rough > ROUGH and error <= 2 * rough:
        sentence = f"the law is known to {number(rough, 2)} only, and the answer is within that"
        return GoalResult(WORDS[name], "this", False, sentence, error, rough, decided=False)
    falls = asked.said.falling(name, asked.law, asked.plain.values)
    if error > asked.tolerance and error < NEARLY and falls:
        sentence = f"{compare(error, asked.tolerance)} as far as float64 goes, and it still falls"
        return GoalResult(
            WORDS[name], "this", False, sentence, error, asked.tolerance, decided=False
        )
    return None


def _hard(asked: Asked) -> list[Instance]:
    """Return values that are equal, values far away, and more keys."""
    given = asked.problem.given
    values = asked.drawn(0).values
    equal = values.copy()
    equal[: len(values) // 2 + 1] = values[0]
    found = [replace(asked.plain, values=x) for x in (equal, 1000 + values)]
    assert isinstance(given.keys, Gaussian)
    mean = given.keys.mean
    if isinstance(mean, Fixed) or (isinstance(mean, Orthogonal) and mean.norms is not None):
        return found
    if asked.law.atomic and not asked.said.counts_values:
        n = given.n + MORE
        wide = law(setting(given, n), keep_positive=asked.keep_positive)
        more = np.random.default_rng(1).standard_normal((n, values.shape[1]))
        found.append(Instance(wide, more, asked.at.independent))
    return found


def _same(one: Law, two: Law) -> bool:
    alike = np.allclose(one.mean, two.mean, atol=1e-12)
    return alike and bool(np.allclose(one.covariance, two.covariance, atol=1e-12))


def _say(asked: Asked, name: str) -> Callable[[Trial[Instance]], str]:
    def say(trial: Trial[Instance]) -> str:
        try:
            found = told(asked, name, trial.instance)
        except InvalidAnswer:
            found = "numbers, for values that are not given as numbers"
        return f"{found} ({compare(trial.error, trial.tolerance)})"

    return say


def told(asked: Asked, name: str, at: Instance) -> str:
    """Write what the answer says beside what is right."""
    found: Any = asked.said.value(name, at.values)
    if name == "independent":
        return f"{_yes(found)}, and right is {_yes(at.independent)}"
    if name == "variance":
        return f"{number(found)}, and right is {number(at.law.variance(at.values))}"
    if name == "mean":
        return f"{vector(found)}, and right is {vector(at.law.mean @ at.values)}"
    right = list(zip(at.law.chances, at.law.shares @ at.values, strict=True))
    return f"{atoms(found)}; right is {atoms(right)}"


def _yes(is_so: bool) -> str:
    return "independent" if is_so else "not independent"


def atoms(found: list[tuple[float, Float64]]) -> str:
    """Write atoms with their chances."""
    if not found:
        return "no atoms"
    shown = [f"{vector(point)} with probability {number(chance, 4)}" for chance, point in found[:4]]
    return ", ".join(shown) + (", …" if len(found) > 4 else "")


def _remarks(asked: Asked, right: bool) -> tuple[str, ...]:
    said = []
    numbers = [name for name in asked.fields if asked.in_numbers(name)]
    if numbers and not right:
        said.append(
            f"{' and '.join(numbers)}: the values are not given as numbers, so that numbers are "
            "right for some of them at best: write a formula in the values."
        )
    if asked.said.uses_limits:
        names = ", ".join(asked.said.uses_limits)
        said.append(f"Where the answer uses {names}, it was judged in the limit.")
    if right and asked.problem.given.ignore_negative:
        other = law(asked.at, keep_positive=not asked.keep_positive)
        if not _same(asked.law, other):
            how = "without" if asked.keep_positive else "with"
            said.append(f"Judged as the law {how} the cases that may be left out; both are right.")
    return tuple(said)
