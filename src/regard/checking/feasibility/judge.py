"""Is it right what an answer says about tokens without matrices: what comes out, and what can?

What comes out is judged as a vector, near to the limits of the problem if it has some; whether
the goal can be reached is decided by trying every multiple of what may be added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.answers import Answer, evaluate
from regard.checking.feasibility.scene import Best, Float64, Scene, best, farthest, scene
from regard.checking.matrices import in_numbers, shape_words, with_own_names
from regard.checking.misconceptions import misconception
from regard.checking.sampling import TRIALS, Trial, compare, goal, softmax
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.language import parse_limit
from regard.problems.kinds.tokens import FeasibilityProblem
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
    def in_numbers(self) -> bool:
        """Whether the output is given in numbers, and so for one instance only."""
        return in_numbers(self.answer.fields[name] for name in (self.label, *self.own))

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
    goals = [goal(f"what {asked.label} is close to", "this", trials)]
    if not asked.in_numbers:
        drawn = [_drawn(asked, seed) for seed in range(TRIALS)]
        goals.append(goal(_anywhere(problem), "sampled", drawn))
        trials += drawn
    found = best(plain)
    goals += _claims(asked, plain, found)
    wrong = [trial for trial in trials if not trial.right]
    right = all(one.passed for one in goals)
    example = None
    if not right:
        example = _output_example(asked, wrong[0]) if wrong else _claim_example(asked, plain, found)
    idea = None if right else _recognise(asked, plain, found, bool(wrong))
    return Verdict(problem, tuple(goals), example, idea, _remarks(asked))


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
    """Try the answer on the instance; with limits it is enough to be right near to them."""
    error = asked.error(plain)
    if near is plain or error <= asked.tolerance or asked.in_numbers:
        return Trial(plain, error, asked.tolerance)
    there = asked.error(near)
    if there <= asked.tolerance:
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


def _anywhere(problem: FeasibilityProblem) -> str:
    names = [parse_limit(text).name for text in problem.given.limits]
    large = f" and {', '.join(names)} near the limit" if names else ""
    return f"the same for any basis{large}"


def _wanted(asked: Asked) -> str:
    return f"{asked.label} near {next(iter(asked.problem.goal.output.values()))}"


def _claims(asked: Asked, at: Scene, found: Best) -> list[GoalResult]:
    """Judge what the answer says about whether it can be done, and how."""
    truth = found.error <= asked.tolerance
    most = compare(found.error, asked.tolerance)
    can = "it can" if truth else "it cannot"
    sentence = f"{can}: the best is {number(found.factor, 4)} times {found.name}, with {most}"
    goals = [
        GoalResult(
            f"whether {_wanted(asked)} can be reached", "this", asked.possible == truth, sentence
        )
    ]
    if truth and asked.possible and asked.answer.has(asked.token):
        error = _changed_error(asked, at)
        name = f"{asked.token} reaches it"
        goals.append(goal(name, "this", [Trial(at, error, asked.tolerance)]))
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


def _claim_example(asked: Asked, at: Scene, found: Best) -> Counterexample:
    """Show the output with the best multiple, or with the one that the answer names."""
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
        start = f"With {number(found.factor, 4)} times {name}, the best of all multiples,"
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


def _remarks(asked: Asked) -> tuple[str, ...]:
    if asked.in_numbers:
        return (f"{asked.label} is given in numbers, so it was tried on this instance only.",)
    return ()


def _recognise(asked: Asked, at: Scene, found: Best, output_wrong: bool) -> Misconception | None:
    """Name the misconception: what the answer claims first, then what its vector is."""
    from regard.checking.feasibility.mistakes import of_output

    truth = found.error <= asked.tolerance
    if asked.possible != truth:
        return misconception("claims-possible" if asked.possible else "claims-impossible")
    if not output_wrong:
        return misconception("wrong-change")
    return misconception(of_output(asked))
