"""Does every function do what it should, on small cases, drawn ones and hard ones?"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.mistakes import recognise
from regard.checking.sampling import compare
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.code.instance import cases, compared, shape_of
from regard.kinds.code.misconceptions import MISTAKES, Wrong
from regard.kinds.code.misconceptions.case import Run, allowed, error
from regard.kinds.code.reading import Submission, accept
from regard.kinds.code.spec import PARAMETERS, CodeProblem
from regard.report import number
from regard.sandbox import Box, Direct, Limits, printable
from regard.sandbox.inside.frames import Other

__all__ = ["accept", "judge"]

TITLES = {
    "softmax": "the softmax",
    "attention": "attention",
    "causal_attention": "causal attention",
    "masked_attention": "attention with a mask",
    "multi_head_attention": "attention of several heads",
    "sinusoidal_positions": "sinusoidal positions",
    "self_attention": "self-attention",
    "cross_attention": "cross-attention",
    "padding_attention": "attention with padding",
    "causal_padding_attention": "causal attention with padding",
    "split_head_attention": "several heads out of one matrix",
    "rotary": "rotary positions",
    "copy_query": "a query that copies",
}
MOST_PRINTED = 400  # characters of what a file printed


@dataclass(frozen=True, eq=False)
class Tried:
    """A function and what came of it on its cases."""

    name: str
    behaviour: str
    runs: tuple[Run, ...]

    @property
    def failing(self) -> list[Run]:
        """The cases on which it is wrong, small ones first."""
        return [run for run in self.runs if not run.right]


def judge(problem: CodeProblem, answer: Answer) -> Verdict:
    """Run the functions of a file on their cases and compare."""
    submission = answer.need("file")
    assert isinstance(submission, Submission)
    box = Box(submission.cells, submission.name, submission.uses_torch, Limits())
    with box:
        _refuse(problem, submission, box)
        tried = _all(problem, box)
    return _verdict(problem, submission, box, tried)


def judge_functions(problem: CodeProblem, module: ModuleType) -> Verdict:
    """Judge functions that are here already, in this process: those of a running notebook."""
    used = any(name.split(".")[0] == "torch" for name in _homes(module))
    box = Direct(module, tensors=used)
    if not box.defined & set(problem.goal.functions):
        wanted = ", ".join(problem.goal.functions)
        raise InvalidAnswer(f"notebook: defines none of {wanted}.")
    return _verdict(problem, Submission("notebook", ()), box, _all(problem, box))


def _homes(module: ModuleType) -> list[str]:
    """Return the packages of the modules and functions that a notebook has imported."""
    values = list(module.__dict__.values())
    names = [value.__name__ for value in values if isinstance(value, ModuleType)]
    return names + [str(getattr(value, "__module__", "")) for value in values if callable(value)]


def _all(problem: CodeProblem, box: Box | Direct) -> list[Tried]:
    return [
        _tried(box, name, behaviour, problem.goal.tolerance)
        for name, behaviour in problem.goal.functions.items()
    ]


def _verdict(
    problem: CodeProblem, submission: Submission, box: Box | Direct, tried: list[Tried]
) -> Verdict:
    wrong = [one for one in tried if one.failing]
    ideas = {one.name: _idea(one) for one in wrong}
    resting = _resting(submission, [one.name for one in wrong])
    led = {name for others in resting.values() for name in others}
    # A mistake says more than what is not written yet, and that says more than what rests on it.
    told = sorted(wrong, key=lambda one: _rank(ideas[one.name], one.name in led))
    return Verdict(
        problem,
        tuple(map(_goal, tried)),
        _example(told[0]) if told else None,
        ideas[told[0].name] if told else None,
        tuple(_remarks(box, tried, told, ideas, resting)),
    )


def _refuse(problem: CodeProblem, submission: Submission, box: Box) -> None:
    """Raise InvalidAnswer where a file does not run to its end, or defines nothing asked for."""
    if box.failed and not submission.is_notebook:
        raise InvalidAnswer(f"{submission.name}: cannot be run: it {box.failed[0].sentence}.")
    if not box.defined & set(problem.goal.functions):
        wanted = ", ".join(problem.goal.functions)
        failed = f" A cell {box.failed[0].sentence}." if box.failed else ""
        raise InvalidAnswer(f"{submission.name}: defines none of {wanted}.{failed}")


def _tried(box: Box | Direct, name: str, behaviour: str, tolerance: float) -> Tried:
    runs: list[Run] = []
    for case in cases(behaviour):
        outcome = box.call(name, *case.arguments)
        seen = compared(behaviour, case.arguments, outcome.value)
        off = np.inf if outcome.failure else error(seen, case.wanted)
        runs.append(Run(case, outcome, off, allowed(outcome.value, case.wanted, tolerance)))
        if outcome.failure is not None and outcome.failure.how != "raised":
            break  # a process that hangs or ends is not started again for the same function
    return Tried(name, behaviour, tuple(runs))


def _idea(tried: Tried) -> Misconception | None:
    if any(run.outcome.failure and run.outcome.failure.how != "raised" for run in tried.runs):
        return None
    return recognise(MISTAKES, Wrong(tried.behaviour, tried.runs))


def _rank(idea: Misconception | None, is_led: bool) -> int:
    """Sort functions: with a mistake, wrong somehow, not written, wrong because of another."""
    if idea is None:
        return 3 if is_led else 1
    return 2 if idea.tag == "function-not-written" else 0


def _goal(tried: Tried) -> GoalResult:
    name = f"{tried.name}: {TITLES[tried.behaviour]}"
    wrong, count = tried.failing, len(tried.runs)
    if not wrong:
        worst = max(tried.runs, key=lambda run: run.error - run.tolerance)
        sentence = f"{compare(worst.error, worst.tolerance)}; right on {count} cases"
        return GoalResult(
            name, "sampled", True, sentence, worst.error, worst.tolerance, count,
            brief=f"right on {count} cases",
        )  # fmt: skip
    first = wrong[0]
    failure = first.outcome.failure
    is_missing = failure is not None and failure.how == "missing"
    cases_wrong = "" if is_missing else f"; wrong on {len(wrong)} of {count} cases"
    sentence = f"{_found(first, tried.behaviour)}{cases_wrong}"
    return GoalResult(name, "sampled", False, sentence, first.error, first.tolerance, count)


def _found(run: Run, behaviour: str) -> str:
    """Say what is wrong on a case, without the numbers."""
    if run.outcome.failure is not None:
        return run.outcome.failure.sentence
    value, case = run.outcome.value, run.case
    shape = shape_of(behaviour, case.arguments, case.wanted)
    if isinstance(value, np.ndarray) and value.shape != shape and value.ndim:
        return f"the shape is {value.shape}, and should be {shape}"
    if not isinstance(value, np.ndarray | int | float) or isinstance(value, bool):
        return f"it returns {_kind(value)}, and should return an array"
    if np.asarray(value).dtype.kind == "f" and not np.isfinite(value).all():
        return "a number is nan or infinite"
    return compare(run.error, run.tolerance)


def _kind(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{len(value)} things"
    if isinstance(value, Other):
        return printable(value.what)
    return "nothing" if value is None else f"a {type(value).__name__}"


def _example(tried: Tried) -> Counterexample:
    """Return the first case that fails: the cases come smallest first."""
    run = tried.failing[0]
    names = PARAMETERS[tried.behaviour]
    arrays = {name: _plain(a) for name, a in zip(names, run.case.arguments, strict=True)}
    call = f"{tried.name}({', '.join(names)})"
    if run.outcome.failure is not None:
        sentence = f"{call} {run.outcome.failure.sentence}."
    elif tried.behaviour == "copy_query" and run.error < np.inf:
        weights = compared(tried.behaviour, run.case.arguments, run.outcome.value)
        place = run.case.arguments[1]
        sentence = (
            f"With the query that {call} returns, key {place} has the weight "
            f"{number(float(weights[place]), 4)}, and should have nearly 1."
        )
        arrays["returned"] = _plain(run.outcome.value)
    else:
        value = run.outcome.value
        sentence = f"{call} is wrong here: {_found(run, tried.behaviour)}."
        if isinstance(value, np.ndarray | int | float) and not isinstance(value, bool):
            arrays["returned"] = _plain(value)
            if tried.behaviour != "copy_query" and np.shape(value) == run.case.wanted.shape:
                sentence = _entry(call, run)
        arrays["right"] = _plain(run.case.wanted)
    both = ("returned", "right")
    main = both if all(name in arrays for name in both) else ()
    return Counterexample(arrays, sentence, run.case.seed, main=main)


def _entry(call: str, run: Run) -> str:
    """Say which entry is farthest off."""
    off = np.abs(np.asarray(run.outcome.value, float) - run.case.wanted)
    off[~np.isfinite(off)] = np.inf
    place = np.unravel_index(int(off.argmax()), off.shape)
    found = float(np.asarray(run.outcome.value, float)[place])
    index = ", ".join(str(int(i)) for i in place)
    said = number(found, 4) if np.isfinite(found) else str(found)
    right = number(float(run.case.wanted[place]), 4)
    return f"Entry [{index}] of {call} is {said}, and should be {right}."


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _resting(submission: Submission, wrong: list[str]) -> dict[str, list[str]]:
    """Return which wrong functions rest on each that rests on no other."""
    uses = {name: (submission.calls(name) & set(wrong)) - {name} for name in wrong}
    found = {}
    for root in wrong:
        if uses[root]:
            continue
        resting: set[str] = {root}
        while more := {name for name in wrong if uses[name] & resting} - resting:
            resting |= more
        if others := [name for name in wrong if name in resting - {root}]:
            found[root] = others
    return found


def _mend_first(root: str, others: list[str]) -> str:
    verb = "rests" if len(others) == 1 else "rest"
    names = " and ".join([", ".join(others[:-1]), others[-1]][len(others) == 1 :])
    return f"{names} {verb} on {root}, which is not right: mend that first."


def _remarks(
    box: Box | Direct,
    tried: list[Tried],
    told: list[Tried],
    ideas: dict[str, Misconception | None],
    resting: dict[str, list[str]],
) -> list[str]:
    """Return what else there is to say, the likely cause first."""
    remarks = [_mend_first(root, others) for root, others in resting.items()]
    said = {idea.tag for idea in [ideas[one.name] for one in told[:1]] if idea is not None}
    for one in told[1:]:
        idea = ideas[one.name]
        if idea is not None and idea.tag not in {"function-not-written", *said}:
            said.add(idea.tag)
            remarks.append(f"{one.name}: {idea.sentence}")
    changing = [one.name for one in tried if any(run.outcome.changed for run in one.runs)]
    if changing:
        remarks.append(f"{changing[0]} changes the arrays that it is given: work on a copy.")
    if box.failed:
        remarks.append(f"A cell was passed over: it {box.failed[0].sentence}.")
    for stream, text in box.printed.items():
        if text.strip():
            shown = printable(text, MOST_PRINTED)
            remarks.append(f"Printed to {stream}: {shown}")
    return remarks
