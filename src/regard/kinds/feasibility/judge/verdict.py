"""Is it right what an answer says about tokens without matrices: what comes out, and what can?

What comes out is judged as a vector, near to the limits of the problem if it has some. Whether
the goal can be reached is decided there as well: a multiple is found, or all are excluded.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.checking.answers import Answer
from regard.checking.mistakes import recognise
from regard.checking.sampling import TRIALS, Trial, compare, goal
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.feasibility.instance import (
    Instance,
    Nearest,
    farthest,
    instance,
    nearer_instance,
    nearest,
    steps_to_limit,
)
from regard.kinds.feasibility.judge.branch_and_bound import Reach, reach
from regard.kinds.feasibility.misconceptions import MISTAKES, Case
from regard.kinds.feasibility.reading import Asked, read
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.report import number, vector

ROOM = 3  # dimensions beyond those of the basis


def judge(problem: FeasibilityProblem, answer: Answer) -> Verdict:
    """Judge what an answer says about the output, and whether it can be brought to the goal."""
    asked = read(problem, answer)
    plain, times = instance(problem), farthest(problem)
    asked.vector(asked.label, plain)
    trials = [_trial(asked, plain, nearer_instance(problem, times))]
    if not asked.in_coordinates:
        trials += [_drawn(asked, times, seed) for seed in range(TRIALS)]
    found = reach(problem)
    goals = [
        replace(_output_goal(asked, trials), part=asked.label),
        *(replace(one, part="possible") for one in _claims(asked, found)),
    ]
    wrong = [trial for trial in trials if not trial.right]
    right = all(one.passed for one in goals)
    example = idea = None
    if wrong:
        example = _output_example(asked, wrong[0])
    elif not right and found.possible is not None:
        example = _claim_example(asked, found)
    if not right:
        idea = recognise(MISTAKES, Case(asked, found.possible, bool(wrong)))
    return Verdict(problem, tuple(goals), example, idea, _remarks(asked))


def _output_goal(asked: Asked, trials: list[Trial[Instance]]) -> GoalResult:
    """Judge what the output is said to be: one goal, on the instance and for any basis."""
    name = f"what {asked.label} is close to"
    if len(trials) == 1:
        return goal(name, "this", trials)
    drawn = goal(name, "sampled", trials[1:])
    if not trials[0].right:
        here = goal(name, "this", trials[:1])
        return replace(drawn, passed=False, sentence=here.sentence, error=here.error)
    if drawn.passed:
        return replace(drawn, error=trials[0].error)
    return drawn


def _trial(asked: Asked, plain: Instance, near: Instance) -> Trial[Instance]:
    """Try the answer on the instance; with limits it has to be right near to them."""
    error = asked.error(plain)
    if asked.problem.given.limits:
        there = asked.error(near)
        if not there <= asked.tolerance or not error <= asked.tolerance:
            return Trial(near, there, asked.tolerance)
    return Trial(plain, error, asked.tolerance)


def _drawn(asked: Asked, times: float, seed: int) -> Trial[Instance]:
    """Try the answer in a frame that is drawn, sometimes in more dimensions."""
    given = asked.problem.given
    d = given.d or len(given.basis.names)
    at = nearer_instance(asked.problem, times, seed, d + ROOM if seed % 2 else d)
    try:
        return Trial(at, asked.error(at), asked.tolerance, seed)
    except InvalidAnswer:  # I(4) is about four dimensions only
        at = nearer_instance(asked.problem, times, seed, d)
        return Trial(at, asked.error(at), asked.tolerance, seed)


def _wanted(asked: Asked) -> str:
    return f"{asked.label} near {next(iter(asked.problem.goal.output.values()))}"


def _claims(asked: Asked, found: Reach) -> list[GoalResult]:
    """Judge what the answer says about whether it can be done, and how."""
    name, one = f"whether {_wanted(asked)} can be reached", found.found
    nothing = number(one.factor, 4) in ("0", "-0")
    change = "no change at all" if nothing else f"{number(one.factor, 4)} times {one.name}"
    where = _where(asked, found.at)
    best = f"{change}, {compare(one.error, asked.tolerance)}"
    there = f"with {where} " * bool(where)
    if found.possible is None:
        said = f"not decided: {there}the best that was found is {best}"
        goals = [GoalResult(name, "this", False, said, decided=False)]
    else:
        said = (
            f"it can, {there}by {best}"
            if found.possible
            else f"it cannot: {there}the best is {best}"
        )
        goals = [GoalResult(name, "this", asked.possible == found.possible, said)]
    if asked.names_a_change and found.possible is not False:
        near = [nearer_instance(asked.problem, t) for t in steps_to_limit(asked.problem)[-2:]]
        trials = [Trial(at, asked.changed_error(at), asked.tolerance) for at in near]
        shown = goal(f"{asked.token} reaches it", "this", trials)
        if shown.passed and found.possible is None:  # the answer itself shows that it can be done
            goals = [GoalResult(name, "this", True, "it can, as the answer shows")]
        goals.append(shown)
    return goals


def _output_example(asked: Asked, trial: Trial[Instance]) -> Counterexample:
    """Work out what comes out, and set it beside what the answer says."""
    at = trial.instance
    said = asked.vector(asked.label, at)
    weights = at.weights()
    arrays = {
        "tokens": at.tokens.tolist(),
        **_numbers(asked, at),
        "weights": weights.tolist(),
        asked.label: at.output.tolist(),
        "answer": said.tolist(),
    }
    where = _where(asked, at)
    start = f"With {where} " if where else "Here "
    sentence = (
        f"{start}{asked.label} is {vector(at.output)}, and the answer says {vector(said)}: "
        f"{_off(trial.error)}."
    )
    steps = (
        (f"The scores of token {at.row + 1} are {vector(at.scores())}.", ""),
        (f"Softmax turns them into the weights {vector(weights)}.", ""),
        (f"The tokens with these weights come to {vector(at.output)}.", ""),
    )
    shows = f"The answer is {_off(trial.error)}."
    return Counterexample(
        arrays, sentence, trial.seed, steps, shows, where, ("answer", asked.label)
    )


def _off(error: float) -> str:
    """Say how far off an answer is, in terms of the length of the goal."""
    if not np.isfinite(error):
        return "no finite vector"
    return f"off by {number(error, 3)} of the length of the goal"


def _numbers(asked: Asked, at: Instance) -> dict[str, float]:
    """Return the parameters of the problem on an instance."""
    return {name: float(at.table.symbols[name]) for name in asked.problem.given.parameters}


def _where(asked: Asked, at: Instance) -> str:
    return ", ".join(f"{name} = {number(x, 4)}" for name, x in _numbers(asked, at).items())


def _claim_example(asked: Asked, reached: Reach) -> Counterexample:
    """Show the output with the best multiple, or with the one that the answer names."""
    at, found = _plainest(asked, reached)
    factor, name = np.array([found.factor]), found.name
    token = at.tokens[at.changed] + found.factor * at.added[name]
    if asked.names_a_change:
        token = asked.vector(asked.token, at)
        tokens = at.tokens.copy()
        tokens[at.changed] = token
        weights = at.weights(tokens)
        output = weights @ tokens
        about = f"{asked.token} = {vector(token)}"
        start = f"With {about}"
    else:
        each, outputs = at.changed_outputs(factor, at.added[name])
        weights, output = each[0], outputs[0]
        here = f"{where}: " if (where := _where(asked, at)) else ""
        about = f"{here}{number(found.factor, 4)} times {name}, the best that was found"
        start = f"With {about},"
    error = float(np.linalg.norm(output - at.goal) / at.size)
    arrays = {
        "tokens": at.tokens.tolist(),
        asked.token: token.tolist(),
        "weights": weights.tolist(),
        asked.label: output.tolist(),
        "wanted": at.goal.tolist(),
    }
    sentence = (
        f"{start} {asked.label} is {vector(output)}, and {vector(at.goal)} is wanted: "
        f"off by {number(error, 3)} of its length, and {number(asked.tolerance)} is allowed."
    )
    shows = (
        f"{asked.label} is off by {number(error, 3)} of the length of what is wanted, and "
        f"{number(asked.tolerance)} is allowed."
    )
    return Counterexample(arrays, sentence, shows=shows, about=about, main=(asked.label, "wanted"))


def _plainest(asked: Asked, reached: Reach) -> tuple[Instance, Nearest]:
    """Return the instance itself, where it shows the same, or one nearer to the limits."""
    at = instance(asked.problem)
    found = nearest(at)
    if asked.names_a_change:
        shows = not asked.changed_error(at) <= asked.tolerance
    else:
        shows = (found.error <= asked.tolerance) == reached.possible
    return (at, found) if shows else (reached.at, reached.found)


def _remarks(asked: Asked) -> tuple[str, ...]:
    if asked.in_coordinates:
        names = ", ".join(asked.problem.given.basis.names)
        return (f"The numbers were read as coordinates along {names}.",)
    return ()
