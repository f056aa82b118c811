"""Is it right what an answer says about tokens without matrices: what comes out, and what can?

What comes out is judged as a vector, near to the limits of the problem if it has some. Whether
the goal can be reached is decided there as well: a multiple is found, or all are excluded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regard.checking.answers import Answer, evaluate
from regard.checking.matrices import in_coordinates, shape_words, with_own_names
from regard.checking.misconceptions import misconception
from regard.checking.sampling import TRIALS, Trial, compare, goal, softmax
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.feasibility.judge.reach import Reach, reach
from regard.kinds.feasibility.judge.scene import (
    Best,
    Float64,
    Scene,
    best,
    farthest,
    scene,
    steps_to_limit,
)
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.report import number, vector

ROOM = 3  # dimensions beyond those of the basis


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem and what an answer says.

    Attributes:
        problem: what is asked.
        answer: what was answered.
        possible: what it says about whether the goal can be reached.
        label: what the output is called, such as c_2.
        token: what the token that may be changed is called, such as x_2.
        own: the names that the answer declares beside these.
    """

    problem: FeasibilityProblem
    answer: Answer
    possible: bool
    label: str
    token: str
    own: tuple[str, ...]

    @property
    def in_coordinates(self) -> bool:
        """Whether the output is given in numbers: coordinates along the basis vectors."""
        given = self.problem.given
        vectors = [*given.basis.names, *(f"x_{i + 1}" for i in range(len(given.tokens)))]
        fields = [self.answer.fields[name] for name in (self.label, *self.own)]
        return in_coordinates(fields, vectors)

    @property
    def tolerance(self) -> float:
        """How far off the output may be, relative to the length of the goal."""
        return self.problem.goal.tolerance

    def vector(self, name: str, at: Scene) -> Float64:
        """Return a field as a vector on an instance; InvalidAnswer where it is none."""
        symbols: dict[str, Any] = with_own_names(self.answer, self.own, at.symbols)
        found = evaluate(name, self.answer.need(name), symbols)
        if isinstance(found, bool | list | dict):
            raise InvalidAnswer(f"answer: {name} must be a formula or a list of numbers.")
        array, d = np.asarray(found, float), at.tokens.shape[1]
        if array.shape in ((1, d), (d, 1)):
            array = array.reshape(d)
        if array.shape != (d,):
            raise InvalidAnswer(
                f"answer: {name} must be a vector of {d} entries, as long as a token. It is "
                f"{shape_words(array)}."
            )
        return array

    def error(self, at: Scene) -> float:
        """Return how far what the answer says is from what comes out, relative to the goal."""
        with np.errstate(all="ignore"):
            return float(np.linalg.norm(self.vector(self.label, at) - at.output) / at.size)


def judge(problem: FeasibilityProblem, answer: Answer) -> Verdict:
    """Judge what an answer says about the output, and whether it can be brought to the goal."""
    asked = _read(problem, answer)
    plain, near = scene(problem), scene(problem, farthest(problem))
    asked.vector(asked.label, plain)
    trials = [_trial(asked, plain, near)]
    if not asked.in_coordinates:
        trials += [_drawn(asked, seed) for seed in range(TRIALS)]
    found = reach(problem)
    goals = [_output_goal(asked, trials), *_claims(asked, found)]
    wrong = [trial for trial in trials if not trial.right]
    right = all(one.passed for one in goals)
    example = idea = None
    if wrong:
        example = _output_example(asked, wrong[0])
    elif not right and found.possible is not None:
        example = _claim_example(asked, found)
    if not right:
        idea = _recognise(asked, found, bool(wrong))
    return Verdict(problem, tuple(goals), example, idea, _remarks(asked))


def _output_goal(asked: Asked, trials: list[Trial[Scene]]) -> GoalResult:
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


def _read(problem: FeasibilityProblem, answer: Answer) -> Asked:
    label = next(iter(problem.goal.output))
    label, token = f"c_{label[2:]}", f"x_{problem.given.change.token[2:]}"
    possible = answer.need("possible")
    if not isinstance(possible, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    answer.need(label)
    if answer.has(token) and not possible:
        raise InvalidAnswer(f"answer: {token} is given, although possible is false.")
    own = tuple(name for name in answer.fields if name not in ("possible", label, token))
    return Asked(problem, answer, possible, label, token, own)


def _trial(asked: Asked, plain: Scene, near: Scene) -> Trial[Scene]:
    """Try the answer on the instance; with limits it has to be right near to them."""
    error = asked.error(plain)
    if asked.problem.given.limits:
        there = asked.error(near)
        if not there <= asked.tolerance or not error <= asked.tolerance:
            return Trial(near, there, asked.tolerance)
    return Trial(plain, error, asked.tolerance)


def _drawn(asked: Asked, seed: int) -> Trial[Scene]:
    """Try the answer in a frame that is drawn, sometimes in more dimensions."""
    given = asked.problem.given
    d = len(given.basis.names) if given.d is None else given.d
    wide = d + ROOM if seed % 2 else d
    at = scene(asked.problem, farthest(asked.problem) if given.limits else 1.0, seed, wide)
    try:
        return Trial(at, asked.error(at), asked.tolerance, seed)
    except InvalidAnswer:  # I(4) is about four dimensions only
        at = scene(asked.problem, farthest(asked.problem), seed, d)
        return Trial(at, asked.error(at), asked.tolerance, seed)


def _wanted(asked: Asked) -> str:
    return f"{asked.label} near {next(iter(asked.problem.goal.output.values()))}"


def _claims(asked: Asked, found: Reach) -> list[GoalResult]:
    """Judge what the answer says about whether it can be done, and how."""
    name, one = f"whether {_wanted(asked)} can be reached", found.found
    nearest = (
        f"{number(one.factor, 4)} times {one.name}, with {compare(one.error, asked.tolerance)}"
    )
    if found.possible is None:
        said = f"not decided: the best that was found is {nearest}"
        goals = [GoalResult(name, "this", False, said, decided=False)]
    else:
        said = f"it can, by {nearest}" if found.possible else f"it cannot: the best is {nearest}"
        goals = [GoalResult(name, "this", asked.possible == found.possible, said)]
    if asked.possible and asked.answer.has(asked.token) and found.possible is not False:
        scenes = [scene(asked.problem, times) for times in steps_to_limit(asked.problem)[-2:]]
        trials = [Trial(at, _changed_error(asked, at), asked.tolerance) for at in scenes]
        shown = goal(f"{asked.token} reaches it", "this", trials)
        if shown.passed and found.possible is None:  # the answer itself shows that it can be done
            goals = [GoalResult(name, "this", True, "it can, as the answer shows")]
        goals.append(shown)
    return goals


def _changed_error(asked: Asked, at: Scene) -> float:
    """Return the error with the answer's changed token; infinity where it is no such change."""
    token = asked.vector(asked.token, at)
    change = token - at.tokens[at.changed]
    for one in at.added.values():
        square = float(one @ one)
        factor = float(change @ one) / square if square else 0.0
        if np.linalg.norm(change - factor * one) <= 1e-6 * at.size:
            return float(at.errors(np.array([factor]), one)[0])
    return float("inf")


def _output_example(asked: Asked, trial: Trial[Scene]) -> Counterexample:
    """Work out what comes out, and set it beside what the answer says."""
    at = trial.instance
    said = asked.vector(asked.label, at)
    weights = softmax(at.scores)
    arrays = {
        "tokens": at.tokens.tolist(),
        **{name: at.symbols[name] for name in asked.problem.given.parameters},
        "weights": weights.tolist(),
        asked.label: at.output.tolist(),
        "answer": said.tolist(),
    }
    where = ", ".join(f"{name} = {number(float(v))}" for name, v in _numbers(asked, at).items())
    start = f"With {where} " if where else "Here "
    sentence = (
        f"{start}{asked.label} is {vector(at.output)}, and the answer says {vector(said)}: off by "
        f"{number(trial.error, 3)} of the length of the goal."
    )
    steps = (
        (f"The scores of token {at.row + 1} are {vector(at.scores)}.", ""),
        (f"Softmax turns them into the weights {vector(weights)}.", ""),
        (f"The tokens with these weights come to {vector(at.output)}.", ""),
    )
    return Counterexample(arrays, sentence, trial.seed, steps)


def _numbers(asked: Asked, at: Scene) -> dict[str, float]:
    return {name: float(at.symbols[name]) for name in asked.problem.given.parameters}


def _claim_example(asked: Asked, reached: Reach) -> Counterexample:
    """Show the output with the best multiple, or with the one that the answer names."""
    at, found = _plainest(asked, reached)
    factor, name = np.array([found.factor]), found.name
    token = at.tokens[at.changed] + found.factor * at.added[name]
    if asked.possible and asked.answer.has(asked.token):
        token = asked.vector(asked.token, at)
        tokens = at.tokens.copy()
        tokens[at.changed] = token
        weights = softmax(at.scale * (tokens @ tokens[at.row]))
        output = weights @ tokens
        start = f"With {asked.token} = {vector(token)}"
    else:
        each, outputs = at.changed_outputs(factor, at.added[name])
        weights, output = each[0], outputs[0]
        start = f"With {number(found.factor, 4)} times {name}, the best that was found,"
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
        f"{compare(error, asked.tolerance)} of its length."
    )
    return Counterexample(arrays, sentence)


def _plainest(asked: Asked, reached: Reach) -> tuple[Scene, Best]:
    """Return the instance itself, where it shows the same, or one nearer to the limits."""
    at = scene(asked.problem)
    found = best(at)
    if asked.possible and asked.answer.has(asked.token):
        shows = not _changed_error(asked, at) <= asked.tolerance
    else:
        shows = (found.error <= asked.tolerance) == reached.possible
    return (at, found) if shows else (reached.at, reached.found)


def _remarks(asked: Asked) -> tuple[str, ...]:
    if asked.in_coordinates:
        names = ", ".join(asked.problem.given.basis.names)
        return (f"The numbers were read as coordinates along {names}.",)
    return ()


def _recognise(asked: Asked, found: Reach, output_wrong: bool) -> Misconception | None:
    """Name the misconception: what the answer claims first, then what its vector is."""
    from regard.kinds.feasibility.judge.mistakes import of_output

    if found.possible is not None and asked.possible != found.possible:
        return misconception("claims-possible" if asked.possible else "claims-impossible")
    if output_wrong:
        return misconception(of_output(asked))
    return None if found.possible is None else misconception("wrong-change")
