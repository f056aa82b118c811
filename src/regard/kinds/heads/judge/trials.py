"""Is this the query that was asked for?

The answer is tried on the instance of the problem, on instances drawn from the law of the keys,
and on hard ones: many keys, more dimensions, very long and very short keys, and the noise given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from regard.checking.answers import Answer
from regard.checking.factors.open_factor import written
from regard.checking.mistakes import named, recognise
from regard.checking.sampling import Trial, compare, counted_once, goal
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Scope, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.heads.instance import (
    MANY,
    drawn_instance,
    hard_instances,
    has_noise,
    limits_in_words,
    many_keys,
    plain_instance,
    trial_count,
)
from regard.kinds.heads.judge.counterexample import counterexample
from regard.kinds.heads.judge.feasibility import claims_possible, decide, judge_claim
from regard.kinds.heads.judge.margins import in_numbers, margin, remarks_on
from regard.kinds.heads.misconceptions import MISTAKES, Case, of_queries
from regard.kinds.heads.misconceptions.recognised import fits_as_keys
from regard.kinds.heads.reading import Candidate, read_queries
from regard.kinds.heads.reading.goal import LARGEST_SCORE
from regard.kinds.heads.reading.queries import RESOLVED
from regard.kinds.heads.reading.query_length import opened, right_length, still_falling
from regard.kinds.heads.spec import WeightsProblem
from regard.problems.instances import KeyInstance
from regard.problems.laws import Arbitrary, Orthogonal, Orthonormal
from regard.report.numbers import listing, number

FAR = 50.0  # scores up to which a factor may have an end
ENOUGH = 3  # instances under noise on which an answer is wrong: each takes a while


class Found(NamedTuple):
    """A goal, and the instances on which it is missed."""

    result: GoalResult
    wrong: tuple[Trial[KeyInstance], ...]


def judge(problem: WeightsProblem, answer: Answer) -> Verdict:
    """Judge the query of an answer, or the queries of several heads."""
    if answer.has("possible"):
        if not claims_possible(answer):
            return judge_claim(problem, answer)
        rest = {name: value for name, value in answer.fields.items() if name != "possible"}
        answer = Answer(rest, answer.problem)
    read = read_queries(problem, answer)
    here = plain_instance(problem)
    idea: Misconception | None = None
    try:
        candidate = ready(read, here)
    except InvalidAnswer:
        swapped = fits_as_keys(read, here)
        if swapped is None:
            raise
        idea, candidate = named(MISTAKES, "values-instead-of-keys"), swapped
    if idea is None and still_falling(candidate, here):
        return Verdict(problem, (_out_of_reach(candidate, here),))
    found = [_this(candidate, here) if idea is None else _misread(candidate, here)]
    remarks: list[str] = []
    if not candidate.one_instance:
        found += _others(candidate, here)
    results = counted_once(one.result for one in found)
    if not (candidate.free or idea) and here.covariances is not None:
        noisy = _under_noise(candidate, remarks, found[0].result.passed)
        found += noisy
        results += [one.result for one in noisy]
    wrong = [trial for one in found for trial in one.wrong]
    right = not wrong
    if not right and idea is None:
        case = Case(candidate, here, tuple(results), lambda: decide(candidate, here).possible)
        idea = of_queries(recognise(MISTAKES, case), len(problem.query_names))
    smaller = idea is None or idea.tag != "not-finite"  # of another size it may be finite
    example = None
    if not right:
        example = counterexample(candidate, wrong, smaller=smaller, others=_of_others(idea))
    return Verdict(
        problem,
        tuple(results),
        example,
        idea,
        (*remarks_on(candidate, here, right), *remarks),
    )


def replay(problem: WeightsProblem, answer: Answer, seed: int) -> Counterexample:
    """Return the instance that a seed draws, worked out with the queries of an answer."""
    if seed < 0:
        raise InvalidAnswer(f"replay: seed must be 0 or more. Got {seed}.")
    candidate = ready(read_queries(problem, answer), plain_instance(problem))
    if candidate.one_instance:
        raise InvalidAnswer("replay: this answer is about one instance, and none is drawn.")
    hard = dict(_fitting(candidate))
    more = many_keys(problem)
    hard |= {} if more is None else {more[0]: more[1]}
    instance = hard[seed] if seed in hard else drawn_instance(problem, seed)
    candidate = _opened(candidate, instance) if seed in hard else candidate
    return counterexample(candidate, [candidate.trial(instance, seed)], smaller=False)


def ready(candidate: Candidate, here: KeyInstance) -> Candidate:
    """Return the same with the factors that an open one is tried with; names and shapes fit."""
    candidate.evaluate(here, candidate.tried(here)[:1])
    return opened(candidate, here)


def _opened(candidate: Candidate, instance: KeyInstance) -> Candidate:
    """Return the same with an open factor that is large enough for keys of other lengths."""
    usable = candidate.free and not has_noise(instance) and candidate.fits(instance)
    return opened(candidate, instance) if usable else candidate


def _of_others(idea: Misconception | None) -> bool:
    """Whether a misconception is about keys that are not wanted."""
    return idea is not None and idea.tag in ("other-keys-too", "no-large-scale", "wrong-sign")


def _found(
    candidate: Candidate, name: str, scope: Scope, trials: list[Trial[KeyInstance]]
) -> Found:
    wrong = tuple(trial for trial in trials if not trial.right)
    result = goal(name, scope, trials, say=margin(candidate, len(trials), len(wrong)))
    return Found(result, wrong)


def _this(candidate: Candidate, here: KeyInstance) -> Found:
    found = _found(candidate, _wanted(candidate), "this", [candidate.trial(here, fine=True)])
    # Keys that are a law only are not shown: numbers fit them by chance.
    weight = 0.0 if in_numbers(candidate) else found.result.weight
    brief = _how_far(found.result)
    return found._replace(result=replace(found.result, weight=weight, brief=brief))


def _how_far(found: GoalResult) -> str:
    """Say in a few words how far off an answer is on the instance of the problem."""
    if found.error is None or found.tolerance is None or not np.isfinite(found.error):
        return ""
    return compare(found.error, found.tolerance)


def _out_of_reach(candidate: Candidate, here: KeyInstance) -> GoalResult:
    """The goal of an open factor that grows too slowly to be followed to its end."""
    ends = [candidate.open_factors(here, most)[-1] for most in (LARGEST_SCORE, RESOLVED)]
    errors = candidate.errors_at(here, ends).tolist()
    error, last = next(
        pair for pair in zip(errors, ends, strict=True) if pair[0] > candidate.tolerance
    )
    sentence = (
        f"at {candidate.factor} = {written(last, 3)}, as far as it was tried, "
        f"{compare(error, candidate.tolerance)}, and the error still falls"
    )
    return GoalResult(
        _wanted(candidate), "this", False, sentence, error, candidate.tolerance, decided=False
    )


def _misread(candidate: Candidate, here: KeyInstance) -> Found:
    """The goal of an answer that cannot be evaluated, but is known for what it is."""
    sentence = (
        f"values have {here.values.shape[1]} entries and keys have {here.keys.shape[1]}: there is "
        "no such query"
    )
    trial = Trial(here, float("nan"), candidate.tolerance)
    return Found(GoalResult(_wanted(candidate), "this", False, sentence), (trial,))


def _wanted(candidate: Candidate) -> str:
    """Name the goal: which keys get which weights, or the output where values are given."""
    weights = list(candidate.problem.goal.weights.items())
    own = ", each head with its own share of that" * bool(candidate.of_heads)
    if not isinstance(candidate.problem.given.values, Arbitrary):
        terms = [f"{'' if x == 1 else number(x) + ' '}v_{name}" for name, x in weights]
        return f"the output is near {' + '.join(terms)}{own}"
    keys = [f"k_{name}" for name, _ in weights]
    if len({x for _, x in weights}) > 1:
        said = listing([f"{key} {number(x, 4)}" for key, (_, x) in zip(keys, weights, strict=True)])
        return f"the weights are near {said}{own}"
    if len(weights) == 1:
        all_of_it = "all" if weights[0][1] == 1 else number(weights[0][1], 4)
        return f"{keys[0]} gets nearly {all_of_it} of the weight{own}"
    each = "half" if weights[0][1] == 0.5 else f"{number(weights[0][1], 4)} of"
    return f"{listing(keys)} get {each} the weight each{own}"


def _any_keys(candidate: Candidate) -> str:
    """Name the goal of drawn keys: what they have in common with those of the problem."""
    law = candidate.law
    if isinstance(law, Arbitrary):
        return "the same for any keys"
    if isinstance(law, Orthogonal | Orthonormal):
        return "the same for any keys at right angles"
    return "the same for other keys like these"


def _others(candidate: Candidate, here: KeyInstance) -> list[Found]:
    """Try it on instances drawn from the law, and on hard ones."""
    problem = candidate.problem
    trials: list[Trial[KeyInstance]] = []
    for seed in range(trial_count(problem)):
        instance = candidate.drawn(seed)
        trial = candidate.trial(instance, seed)
        # Instances may be large: those on which the answer is right are not kept.
        trials.append(replace(trial, instance=here) if trial.right else trial)
        if has_noise(instance) and sum(not t.right for t in trials) >= ENOUGH:
            break
    found = [_found(candidate, _any_keys(candidate), "sampled", trials)]
    hard = [
        _opened(candidate, instance).trial(instance, seed) for seed, instance in _fitting(candidate)
    ]
    if hard:
        lengths = " and for long and short keys" * (getattr(candidate.law, "norms", ()) is None)
        name = f"the same in other dimensions{lengths}"
        found.append(_found(candidate, name, "adversarial", hard))
    # What names rows by their numbers is about as many keys as the problem has.
    every_n = (candidate.free and _grows(candidate, here)) or "n" in candidate.names
    more = many_keys(problem) if every_n and not candidate.counts_rows else None
    if more is not None and candidate.fits(more[1]):
        trial = _opened(candidate, more[1]).trial(more[1], more[0])
        found.append(_found(candidate, f"the same for {MANY} keys", "adversarial", [trial]))
    return found


def _grows(candidate: Candidate, here: KeyInstance) -> bool:
    """Whether an open factor makes scores as large as one likes, for as many keys as one likes.

    Those of every head: one that levels off is about as many keys as there are.
    """
    if not candidate.fits(here):
        return False
    sizes = np.max(np.abs(candidate.scores(here, candidate.last(here))), axis=-1)
    return bool(np.all(sizes > FAR))


def _fitting(candidate: Candidate) -> list[tuple[int, KeyInstance]]:
    """Return hard instances, of as many dimensions as the answer allows."""
    hard = list(hard_instances(candidate.problem))
    if all(candidate.fits(instance) for _, instance in hard):
        return hard
    return list(hard_instances(candidate.problem, room=0))


def _under_noise(candidate: Candidate, remarks: list[str], right: bool) -> list[Found]:
    """Try an answer whose length is given with the noise of the instance, which is to vanish."""
    noisy = plain_instance(candidate.problem, noisy=True)
    said = limits_in_words(candidate.problem)
    if not said or not has_noise(noisy):
        return []
    trial = candidate.trial(noisy)
    if not trial.right and np.isfinite(trial.error) and not _reachable(candidate, noisy):
        # No length would do: the noise is not small enough for the tolerance, and that is no
        # fault of the answer, which is right in the limit.
        if right:
            remarks.append(
                f"With {said}, queries of this direction are off by more than "
                f"{number(candidate.tolerance)} whatever their length: they were judged in the "
                "limit."
            )
        return []
    return [_found(candidate, f"the same with {said}", "adversarial", [trial])]


def _reachable(candidate: Candidate, noisy: KeyInstance) -> bool:
    if any(right_length(candidate, noisy, longer=longer) is not None for longer in (False, True)):
        return True
    return bool(np.any(candidate.errors_at(noisy, candidate.tried(noisy)) <= candidate.tolerance))
