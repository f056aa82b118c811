"""Is this the law of the output when keys are random?

What an answer says is compared with the law in the limits of the problem, for the values of the
instance and for drawn ones: atoms by how often output and answer differ, mean and variance as
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.mistakes import recognise
from regard.checking.sampling import TRIALS, Trial, compare, counted_once, goal
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.noise.instance import read as read_setting
from regard.kinds.noise.misconceptions import MISTAKES, Case
from regard.kinds.noise.reading import Said, read
from regard.kinds.noise.reading.asked import ROUGH, Asked, Instance
from regard.kinds.noise.reading.output_law import law
from regard.kinds.noise.spec import NoiseProblem
from regard.problems.instances import Float64
from regard.problems.laws import Arbitrary, Fixed, Gaussian, Orthogonal
from regard.report import number

WORDS = {
    "atoms": "the atoms of the output",
    "mean": "the mean",
    "variance": "the variance",
    "independent": "whether the heads are independent",
}
NEARLY = 0.2  # an error that falls and is below this may be on its way to 0
MORE = 5  # keys beyond those of the problem, in the adversarial instance


def judge(problem: NoiseProblem, answer: Answer) -> Verdict:
    """Judge what an answer says about the output."""
    with np.errstate(all="ignore"):
        asked = _nearest(problem, read(problem, answer))
        goals: list[GoalResult] = []
        wrong: dict[str, Instance] = {}
        hard = _hard(asked)
        for name in asked.fields:
            open_goal = _undecided(asked, name)
            if open_goal is not None:
                goals.append(replace(open_goal, part=name))
                continue
            found, failing = _goals(asked, name, hard)
            goals += [replace(one, part=name) for one in counted_once(found)]
            if failing is not None:
                wrong[name] = failing
        return Verdict(
            problem,
            tuple(goals),
            _counterexample(asked, wrong) if wrong else None,
            _recognised(asked, tuple(wrong)) if wrong else None,
            _remarks(asked, not wrong),
        )


def _recognised(asked: Asked, wrong: tuple[str, ...]) -> Misconception | None:
    try:
        return recognise(MISTAKES, Case(asked, wrong))
    except InvalidAnswer:  # arrays of another length than the values
        return None


def _nearest(problem: NoiseProblem, said: Said) -> Asked:
    """Return the answer beside the law it fits best, where cases may be left out or not."""
    at, known = read_setting(problem.given), dict[int, Float64]()
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

    def say(trial: Trial[Instance]) -> str:
        try:
            return asked.told(name, trial.instance)
        except InvalidAnswer:
            return "numbers, for values that are not given as numbers"

    trials = [trial(asked.plain)]
    counts = 0.0 if asked.in_numbers(name) else 1.0  # values that are not shown are hit by chance
    goals = [goal(words, "this", trials, say=say, weight=counts)]
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
    error, allowed = asked.error(name, asked.plain), asked.tolerance
    if name == "independent" or not np.isfinite(error):
        return None
    rough = asked.law.rough
    if rough > ROUGH and error <= 2 * rough:  # infinite where limits or what is left is not known
        known = f"known to {number(rough, 2)} only, and the answer is within that"
        sentence = f"the law is {known if math.isfinite(rough) else 'not known'}"
        allowed = rough
    elif allowed < error < NEARLY and asked.said.falling(name, asked.law, asked.plain.values):
        sentence = f"{compare(error, allowed)} as far as float64 goes, and it still falls"
    else:
        return None
    largest = allowed if math.isfinite(allowed) else None
    return GoalResult(WORDS[name], "this", False, sentence, error, largest, decided=False)


def _hard(asked: Asked) -> list[Instance]:
    """Return values that are equal, values far away, and more keys."""
    given = asked.problem.given
    values = asked.drawn(0).values
    equal = values.copy()
    equal[: len(values) // 2 + 1] = values[0]
    found = [Instance(asked.law, x) for x in (equal, 1000 + values)]
    assert isinstance(given.keys, Gaussian)
    mean = given.keys.mean
    if isinstance(mean, Fixed) or (isinstance(mean, Orthogonal) and mean.norms is not None):
        return found
    if asked.law.atomic and not asked.said.counts_values:
        n = given.n + MORE
        # Values may be given for as many keys as there are; here none is used.
        free = {"n": n, "d": None, "values": Arbitrary(law="arbitrary")}
        wide = read_setting(given.model_copy(update=free))
        more = np.random.default_rng(1).standard_normal((n, values.shape[1]))
        found.append(Instance(law(wide, keep_positive=asked.keep_positive), more))
    return found


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
    other = law(asked.at, keep_positive=not asked.keep_positive) if right else asked.law
    if asked.problem.given.ignore_negative and not asked.law.same(other):
        how = "without" if asked.keep_positive else "with"
        said.append(f"Judged as the law {how} the cases that may be left out; both are right.")
    return tuple(said)


def _counterexample(asked: Asked, wrong: dict[str, Instance]) -> Counterexample:
    """Look for the plainest values for which a field is wrong.

    Args:
        asked: the answer.
        wrong: the fields that are wrong, each with an instance on which it is.
    """
    name, example = next(iter(wrong.items()))
    if name == "independent":
        return _correlated(asked)
    if not asked.one_instance and not asked.said.has_arrays(name):
        plain = [Instance(asked.law, values) for values in _plain_values(asked)]
        failing = (at for at in plain if not asked.error(name, at) <= asked.tolerance)
        example = next(failing, example)
    values, law = example.values, example.law
    labels = [f"v_{asked.at.label(row)}" for row in range(len(values))]
    shown = ", ".join(f"{label} = {_short(v)}" for label, v in zip(labels, values, strict=True))
    what = "output" if name == "atoms" else name
    try:
        end = f"answer says of the {what}: {asked.told(name, example)}."
        sentence, shows = f"With {shown} the {end}", f"The {end}"
    except InvalidAnswer:  # arrays of another length than the values
        shows = f"The {what} cannot be what the answer says: numbers of any length."
        sentence = f"With {shown} t{shows[1:]}"
    mean, variance = law.mean @ values, law.variance(values)
    arrays = {
        "values": values.tolist(),
        "probabilities": law.chances.tolist(),
        "outputs": (law.shares @ values).tolist(),
        "mean": mean.tolist(),
        "variance": variance,
    }
    steps = [
        f"With probability {number(row[0], 6)} the output is near {_short(row[1:])}."
        for row in law.atoms(values)
    ]
    steps += [f"Its mean is {_short(mean)}.", f"Its variance is {number(variance)}."]
    told = tuple((step, "") for step in steps)
    return Counterexample(arrays, sentence, None, told, shows, shown)


def _short(value: Float64) -> str:
    if len(value) == 1:
        return number(float(value[0]))
    return "(" + ", ".join(number(float(x), 4) for x in value[:6]) + ")"


def _plain_values(asked: Asked) -> Iterator[Float64]:
    """Values of one number each: a single 1 among zeros, then 1, 2, 3 and so on."""
    n = asked.problem.given.n
    for row in range(n):
        yield np.eye(n)[:, row : row + 1]
    yield np.arange(1.0, n + 1)[:, None]


def _correlated(asked: Asked) -> Counterexample:
    """Show the covariance of two heads' scores of one key."""
    shared = asked.shared_noise
    key, g, h = np.unravel_index(int(np.argmax(np.abs(shared))), shared.shape)
    name = asked.at.label(int(key))
    sentence = (
        f"q_{g + 1}' Sigma_{name} q_{h + 1} is {number(float(shared[key, g, h]), 4)} and not 0: "
        f"the noise of k_{name} moves the scores of both heads, so that they are not independent."
    )
    if asked.independent:
        sentence = (
            "q_h' Sigma_i q_g is 0 for every key i and any two heads: no noise moves both, so that "
            "the heads are independent."
        )
    arrays = {"shared": shared.tolist(), "covariance": asked.at.covariances[key].tolist()}
    return Counterexample(arrays, sentence, main=("covariance",))
