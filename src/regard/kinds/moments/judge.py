"""Are these the mean and the variance of the score, and what to divide it by?

Formulas are compared with the exact moments at many values of their symbols. Each field that is
asked for is one goal.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from regard.checking.answers import Answer
from regard.checking.merged_goals import one_goal
from regard.checking.misconceptions import misconception
from regard.checking.sampling import TRIALS, Trial, generator
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.moments.instance.laws import Symbols
from regard.kinds.moments.misconceptions import recognised
from regard.kinds.moments.reading import Asked, read
from regard.kinds.moments.spec import MomentsProblem
from regard.report import number
from regard.report.numbers import listing, seen_apart

DRAWN = 6  # values of the symbols, for whether a score varies at all
WORDS = {"mean": "the mean", "variance": "the variance", "s": "what to divide by"}


def judge(problem: MomentsProblem, answer: Answer) -> Verdict:
    """Judge the formulas of an answer."""
    asked = read(problem, answer)
    denied = answer.fields.get("possible") is False
    if denied and "s" not in asked.fields:
        raise InvalidAnswer(
            "answer: possible says whether there is an s, and none is asked for: leave it out."
        )
    impossible = "s" in asked.fields and _never_varies(asked)
    if impossible or denied:
        return _claim(asked, impossible, denied)
    goals = {name: _goal(asked, name) for name in asked.fields}
    wrong = [name for name, found in goals.items() if not found.passed]
    return Verdict(
        problem,
        tuple(goals.values()),
        _counterexample(asked, wrong[0]) if wrong else None,
        recognised(asked, wrong) if wrong else None,
        _remarks(asked, wrong),
    )


def _goal(asked: Asked, name: str) -> GoalResult:
    def trial(at: Symbols, seed: int | None = None) -> Trial[Symbols]:
        found = asked.compared(name, at)
        return Trial(at, found.error, found.tolerance, seed)

    def say(one: Trial[Symbols]) -> str:
        found = asked.compared(name, one.instance)
        value, right = seen_apart(found.value, found.right, 6)
        return f"{value} and not {right} for {_at(one.instance)}"

    fixed = asked.fixed(name)
    drawn = [trial(at, seed) for seed, at in enumerate(asked.drawn(name))]
    hard = [trial(at) for at in asked.law.hard(fixed) if _fits(asked, name, at)]
    free = asked.law.free(fixed)
    words = f"{WORDS[name]} for any {listing(free)}" if free else WORDS[name]
    return replace(one_goal(words, trial(asked.law.plain()), drawn, hard, say), part=name)


def _fits(asked: Asked, name: str, at: Symbols) -> bool:
    """Whether a field can be evaluated there: I(100000) is too large."""
    try:
        asked.value(name, at)
    except InvalidAnswer:
        return False
    return True


def _at(symbols: Symbols) -> str:
    return listing([f"{name} = {number(x)}" for name, x in symbols.items()])


def _counterexample(asked: Asked, name: str) -> Counterexample:
    """Look for the smallest numbers at which a field is wrong."""
    law, fixed = asked.law, asked.fixed(name)
    places = chain(
        law.small(fixed),
        [law.plain()],
        (at for at in law.hard(fixed) if _fits(asked, name, at)),
        (law.draw(generator(seed), fixed) for seed in range(TRIALS)),
    )
    at = next((s for s in places if not asked.compared(name, s).agrees), law.plain())
    found = asked.compared(name, at)
    words = {"mean": "the mean is", "variance": "the variance is", "s": "the right s is"}[name]
    value, right = seen_apart(found.value, found.right, 6)
    shows = f"{words} {right}, and the answer says {value}."
    arrays = {**at, name: found.right, "answer": found.value}
    return Counterexample(
        arrays,
        f"With {_at(at)} {shows}",
        steps=law.steps(at),
        shows=f"{shows[:1].upper()}{shows[1:]}",
        about=_at(at),
        main=("answer", name),
    )


def _never_varies(asked: Asked) -> bool:
    law = asked.law
    places = [law.plain(), *(law.draw(generator(seed)) for seed in range(DRAWN))]
    return all(law.right(at)["variance"] == 0 for at in places)


def _claim(asked: Asked, impossible: bool, denied: bool) -> Verdict:
    """Judge what an answer says about whether there is an s."""
    if not denied:
        asked.answer.need("s", "possible")
    right = impossible == denied
    sentence = "the score does not vary" if impossible else "the score varies, so there is one"
    first = GoalResult("whether there is such an s", "this", right, sentence, part="s")
    others = {field: _goal(asked, field) for field in asked.fields if field != "s"}
    goals = (first, *others.values())
    if right:
        wrong = [field for field, one in others.items() if not one.passed]
        if not wrong:
            return Verdict(asked.problem, goals)
        example, idea = _counterexample(asked, wrong[0]), recognised(asked, wrong)
        return Verdict(asked.problem, goals, example, idea)
    at = asked.law.plain()
    variance = asked.law.right(at)["variance"]
    example = Counterexample(
        {**at, "variance": variance},
        f"With {_at(at)} the variance is {number(variance)}: {sentence}.",
    )
    tag = "claims-possible" if impossible else "claims-impossible"
    return Verdict(asked.problem, goals, example, misconception(tag))


def _remarks(asked: Asked, wrong: list[str]) -> tuple[str, ...]:
    said = []
    plain = asked.law.plain()
    if "s" in asked.fields and "s" not in wrong and asked.signed("s", plain) < 0:
        said.append("s is negative there: dividing by it also changes the sign of the score.")
    for name in asked.fields:
        found = asked.compared(name, plain)
        if name not in wrong and found.value != found.right and found.error > 1e-6:
            said.append(f"{name} is rounded: it is {number(found.right, 9)} for {_at(plain)}.")
    return (*said, *asked.law.remarks(plain))
