"""Is this the query that was asked for?

The answer is tried on the instance of the problem, on instances drawn from the law of the keys,
and on hard ones: many keys, more dimensions, very long and very short keys, and the noise given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.sampling import Trial, compare, counted_once, goal
from regard.checking.verdict import Counterexample, GoalResult, Scope, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.heads.spec import HeadsProblem
from regard.kinds.query.judge import instances as instances
from regard.kinds.query.judge.asked import LADDER, Asked, read_queries
from regard.kinds.query.judge.errors import (
    LARGEST_SCORE,
    errors_of,
    has_noise,
    largest_error,
    open_factors,
    scores_of,
)
from regard.kinds.query.judge.example import counterexample
from regard.kinds.query.judge.mistakes import recognise, values_for_keys
from regard.kinds.query.judge.possible import judge_claim
from regard.kinds.query.judge.scale import (
    right_length,
    still_falling,
    with_factors,
)
from regard.kinds.query.judge.told import in_numbers, margin, remarks_on
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.problems.laws import Arbitrary
from regard.report import number

FAR = 50.0  # scores up to which a factor may have an end
ENOUGH = 3  # instances under noise on which an answer is wrong: each takes a while


@dataclass(frozen=True, eq=False)
class Found:
    """A goal, and the instances on which it is missed."""

    result: GoalResult
    wrong: tuple[Trial[KeyInstance], ...]


def judge(problem: QueryProblem | HeadsProblem, answer: Answer) -> Verdict:
    """Judge the query of an answer, or the queries of several heads."""
    if answer.has("possible"):
        return judge_claim(problem, answer)
    read = read_queries(problem, answer)
    here = instances.plain(problem)
    idea = None
    try:
        asked = ready(read, here)
    except InvalidAnswer:
        idea, asked = values_for_keys(read, here)
        if idea is None:
            raise
    if idea is None and still_falling(asked, here):
        return Verdict(problem, (_out_of_reach(asked, here),))
    found = [_this(asked, here) if idea is None else _misread(asked, here)]
    remarks: list[str] = []
    if not asked.one_instance:
        found += _others(asked, here)
    results = counted_once(one.result for one in found)
    if not (asked.free or idea) and here.covariances is not None:
        noisy = _under_noise(asked, remarks, found[0].result.passed)
        found += noisy
        results += [one.result for one in noisy]
    wrong = [trial for one in found for trial in one.wrong]
    right = not wrong
    if not right and idea is None:
        idea = recognise(asked, here, results)
    return Verdict(
        problem,
        tuple(results),
        None if right else counterexample(asked, wrong),
        idea,
        (*remarks_on(asked, here, right), *remarks),
    )


def replay(problem: QueryProblem | HeadsProblem, answer: Answer, seed: int) -> Counterexample:
    """Return the instance that a seed draws, worked out with the queries of an answer."""
    if seed < 0:
        raise InvalidAnswer(f"replay: seed must be 0 or more. Got {seed}.")
    asked = ready(read_queries(problem, answer), instances.plain(problem))
    if asked.one_instance:
        raise InvalidAnswer("replay: this answer is about one instance, and none is drawn.")
    hard = dict(_fitting(asked))
    more = instances.many(problem)
    hard |= {} if more is None else {more[0]: more[1]}
    instance = hard[seed] if seed in hard else instances.drawn(problem, seed)
    asked = _opened(asked, instance) if seed in hard else asked
    trial = Trial(instance, largest_error(asked, instance), asked.tolerance, seed)
    return counterexample(asked, [trial], smaller=False)


def ready(asked: Asked, here: KeyInstance) -> Asked:
    """Return the same with the factors that an open one is tried with; names and shapes fit."""
    asked.evaluate(here, asked.tried(here)[:1])
    return replace(asked, factors=with_factors(asked, here)) if asked.free else asked


def _opened(asked: Asked, instance: KeyInstance) -> Asked:
    """Return the same with an open factor that is large enough for keys of other lengths."""
    if not asked.free or has_noise(instance) or not _fits(asked, instance):
        return asked
    return replace(asked, factors=with_factors(asked, instance))


def _found(asked: Asked, name: str, scope: Scope, trials: list[Trial[KeyInstance]]) -> Found:
    wrong = tuple(trial for trial in trials if not trial.right)
    result = goal(name, scope, trials, say=margin(asked, len(trials), len(wrong)))
    return Found(result, wrong)


def _this(asked: Asked, here: KeyInstance) -> Found:
    trial = Trial(here, largest_error(asked, here, fine=True), asked.tolerance)
    found = _found(asked, _wanted(asked), "this", [trial])
    if in_numbers(asked):  # keys that are a law only are not shown: numbers fit them by chance
        return Found(replace(found.result, weight=0.0), found.wrong)
    return found


def _out_of_reach(asked: Asked, here: KeyInstance) -> GoalResult:
    """The goal of an open factor that grows too slowly to be followed to its end."""
    last = open_factors(asked, here, LADDER, LARGEST_SCORE)[-1]
    error = float(errors_of(asked, here, asked.evaluate(here, (last,)))[0])
    sentence = (
        f"at {asked.factor} = {number(last, 3)}, as far as float64 goes, "
        f"{compare(error, asked.tolerance)}, and the error still falls"
    )
    return GoalResult(
        _wanted(asked), "this", False, sentence, error, asked.tolerance, decided=False
    )


def _misread(asked: Asked, here: KeyInstance) -> Found:
    """The goal of an answer that cannot be evaluated, but is known for what it is."""
    sentence = (
        f"values have {here.values.shape[1]} entries and keys have {here.keys.shape[1]}: there is "
        "no such query"
    )
    trial = Trial(here, float("nan"), asked.tolerance)
    return Found(GoalResult(_wanted(asked), "this", False, sentence), (trial,))


def _wanted(asked: Asked) -> str:
    weights = asked.problem.goal.weights
    terms = " + ".join(
        f"{'' if weight == 1 else number(weight) + ' '}v_{name}" for name, weight in weights.items()
    )
    what = "the weights are near those of" if _of_weights(asked) else "the output is near"
    return f"{what} {terms}"


def _of_weights(asked: Asked) -> bool:
    return isinstance(asked.problem.given.values, Arbitrary)


def _others(asked: Asked, here: KeyInstance) -> list[Found]:
    """Try it on instances drawn from the law, and on hard ones."""
    problem = asked.problem
    trials: list[Trial[KeyInstance]] = []
    for seed in range(instances.trials(problem)):
        instance = instances.drawn(problem, seed)
        trial = _trial(asked, instance, seed)
        # Instances may be large: those on which the answer is right are not kept.
        trials.append(replace(trial, instance=here) if trial.right else trial)
        if has_noise(instance) and sum(not t.right for t in trials) >= ENOUGH:
            break
    found = [_found(asked, "the same for any keys of this law", "sampled", trials)]
    hard = [_trial(_opened(asked, instance), instance, seed) for seed, instance in _fitting(asked)]
    if hard:
        found.append(_found(asked, _elsewhere(asked), "adversarial", hard))
    # What names rows by their numbers is about as many keys as the problem has.
    every_n = ((asked.free and _grows(asked, here)) or "n" in asked.names) and not asked.counts_rows
    more = instances.many(problem) if every_n else None
    if more is not None:
        trial = _trial(asked, more[1], more[0])
        if _fits(asked, more[1]):
            name = f"the same for {instances.MANY} keys"
            found.append(_found(asked, name, "adversarial", [trial]))
    return found


def _grows(asked: Asked, here: KeyInstance) -> bool:
    """Whether an open factor makes scores as large as one likes, for as many keys as one likes."""
    if not _fits(asked, here):
        return False
    queries = asked.evaluate(here, asked.factors[-1:])
    return bool(np.max(np.abs(scores_of(asked, here, queries))) > FAR)


def _trial(asked: Asked, instance: KeyInstance, seed: int) -> Trial[KeyInstance]:
    return Trial(instance, largest_error(asked, instance), asked.tolerance, seed)


def _fitting(asked: Asked) -> list[tuple[int, KeyInstance]]:
    """Return hard instances, of as many dimensions as the answer allows."""
    hard = list(instances.elsewhere(asked.problem))
    if all(_fits(asked, instance) for _, instance in hard):
        return hard
    return list(instances.elsewhere(asked.problem, room=0))


def _fits(asked: Asked, instance: KeyInstance) -> bool:
    """Whether the answer can be tried: [1, 1, 0, 0] is about four dimensions or keys only."""
    try:
        asked.evaluate(instance, asked.tried(instance)[:1])
    except InvalidAnswer:
        return False
    return True


def _elsewhere(asked: Asked) -> str:
    lengths = getattr(asked.law, "norms", ()) is None
    return f"the same in other dimensions{' and for long and short keys' if lengths else ''}"


def _under_noise(asked: Asked, remarks: list[str], right: bool) -> list[Found]:
    """Try an answer whose length is given with the noise of the instance, which is to vanish."""
    noisy = instances.plain(asked.problem, noisy=True)
    small = instances.limiting(asked.problem)
    if not small or not has_noise(noisy):
        return []
    trial = Trial(noisy, largest_error(asked, noisy), asked.tolerance)
    said = ", ".join(f"{name} = {number(asked.problem.given.parameters[name])}" for name in small)
    if not trial.right and np.isfinite(trial.error) and not _reachable(asked, noisy):
        # No length would do: the noise is not small enough for the tolerance, and that is no
        # fault of the answer, which is right in the limit.
        if right:
            remarks.append(
                f"With {said}, queries of this direction are off by more than "
                f"{number(asked.tolerance)} whatever their length: they were judged in the limit."
            )
        return []
    return [_found(asked, f"the same with {said}", "adversarial", [trial])]


def _reachable(asked: Asked, noisy: KeyInstance) -> bool:
    if right_length(asked, noisy, longer=False) is not None:
        return True
    if right_length(asked, noisy, longer=True) is not None:
        return True
    errors = errors_of(asked, noisy, asked.evaluate(noisy, asked.tried(noisy)))
    return bool(np.any(errors <= asked.tolerance))
