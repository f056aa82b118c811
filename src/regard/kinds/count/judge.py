"""Is it counted right? For all sizes where symbols are open, in numbers where they are given.

A formula has to be the same rational function as the count, which settles all sizes at once. A
number has to be exact, or right to the digits that are written with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from regard.certify.formulas.rational_functions import Ratio
from regard.checking.answers import Answer
from regard.checking.mistakes import recognise
from regard.checking.typed.names import instead_of
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.count.misconceptions import MISTAKES, Case, alike, degree
from regard.kinds.count.reading import Side, axes, is_shape, sides, truth
from regard.kinds.count.spec import CountProblem
from regard.kinds.count.task import Task
from regard.kinds.count.words import conventions_in_words
from regard.language import Formula, parse
from regard.report import number
from regard.report.numbers import listing, seen_apart

_BIG = frozenset(("O", "Theta"))
_GROWTH = {"constant": 0, "linear": 1, "quadratic": 2, "cubic": 3}
LONG, SHOWN = 10**12, 4  # from here on a number is told in so many digits
LONGEST = 10**30  # beyond it a number is written by its size
Found = tuple[GoalResult, Counterexample | None, Misconception | None]


def judge(problem: CountProblem, answer: Answer) -> Verdict:
    """Judge everything that is asked for."""
    task = Task(problem, answer)
    wanted = problem.wanted()
    extra = [name for name in answer.fields if name not in wanted and name not in answer.used]
    if extra:
        raise InvalidAnswer(
            f"answer: {extra[0]} is not asked for. Asked for are {', '.join(wanted)}."
            f"{instead_of(extra[0], wanted)}"
        )
    goals: list[GoalResult] = []
    examples: list[Counterexample] = []
    ideas: list[Misconception] = []
    for name in wanted:
        for goal, example, idea in _judged(task, name):
            goals.append(replace(goal, part=name))
            examples += [example] if example else []
            ideas += [idea] if idea else []
    remarks = (_conventions(problem),) if examples else ()
    return Verdict(problem, tuple(goals), (*examples, None)[0], (*ideas, None)[0], remarks)


def _judged(task: Task, name: str) -> list[Found]:
    """What was found about a field."""
    if name.removeprefix("same_") in task.problem.goal.same and name.startswith("same_"):
        return [_same(task, name)]
    if name in task.problem.goal.orders:
        return [_order(task, name)]
    if is_shape(task.problem, name):
        return [_shape(task, name)]
    return _count(task, name)


def _conventions(problem: CountProblem) -> str:
    return f"Counted as the problem says: {listing(conventions_in_words(problem.given))}."


def _count(task: Task, name: str) -> list[Found]:
    said = sides(task.answer, name, task.names(name))
    right, form = task.right(name), task.problem.goal.form
    if wrong := tuple(side for side in said if not task.is_right(name, side)):
        _ask_about_bytes(task, name, wrong)
        example = _counterexample(task, name, wrong[0], right)
        idea = recognise(MISTAKES, Case(task, name, wrong))
        brief = example.shows.rstrip(".").removeprefix(f"{name} is ")
        goal = GoalResult(name, "this", False, example.sentence.rstrip("."), brief=brief)
        return [(goal, example, idea)]
    general = any(side.uses for side in said)
    missing = ""
    if form in ("formula", "both") and task.symbols.used(right) and not general:
        missing = f"a formula in {listing(task.symbols.used(right))} is asked for, not a number"
    elif form in ("number", "both") and all(side.uses for side in said):
        missing = "a number is asked for beside the formula"
    goal = GoalResult(name, "this", True, _exactly(task, said[0], right))
    if general:
        sentence = f"{_shown(task, right)}: the same for all sizes, multiplied out"
        goal = GoalResult(name, "all", True, sentence)
    if not missing:
        return [(goal, None, None)]
    example = Counterexample({name: _shown(task, right)}, f"{name}: {missing}.")
    if form == "both":  # half of it is there
        other = f"{name} as a {'number' if general else 'formula'}"
        left = GoalResult(other, "this", False, missing, weight=0.5)
        return [(replace(goal, weight=0.5), None, None), (left, example, None)]
    return [(GoalResult(name, "this", False, missing), example, None)]


def _ask_about_bytes(task: Task, name: str, wrong: Sequence[Side]) -> None:
    """Ask what `bytes` is in 2 L n bytes, where it is right as a unit and not as a size."""
    names = task.names(name)
    if not names.of_bytes or "bytes" not in names.known:
        return
    known = {one: ratio for one, ratio in names.known.items() if one != "bytes"}
    as_unit = replace(names, known=known)
    for side in wrong:
        if side.formula is None or "bytes" not in side.formula.names:
            continue
        if task.is_right(name, as_unit.side(name, side.formula)):
            raise InvalidAnswer(
                f"answer: {name}: bytes stands for the size of one number here, which is "
                f"{_number(task.symbols.numbers['bytes'])}, and {side.text} counts it twice. Leave "
                "bytes out, or the number that stands for it."
            )


def _shown(task: Task, right: Ratio) -> str:
    value = task.symbols.here(right)
    text = task.symbols.text(right)
    if value is None or not task.symbols.used(right):
        return text
    return f"{text} = {_number(value)}"


def _exactly(task: Task, side: Side, right: Ratio) -> str:
    value = task.symbols.here(right)
    if side.ratio is not None and side.ratio == task.symbols.number(value or 0):
        return f"{_number(value or Fraction(0))}, exactly"
    return f"right to the digits written: it is {_number(value or Fraction(0))}"


def _number(value: Fraction) -> str:
    """Write a number; one with more digits than anybody reads, or a float has, by its size."""
    if max(abs(value.numerator), value.denominator) >= LONGEST:
        near = Decimal(value.numerator) / Decimal(value.denominator)
        is_ordinary = Decimal(1) / LONGEST < abs(near) < LONGEST
        return number(float(value)) if is_ordinary else f"about {near:.3e}"
    if value.denominator == 1:
        return str(value.numerator)
    return f"{value.numerator}/{value.denominator} = {number(float(value))}"


def _short(value: Fraction, digits: int) -> str:
    """Write a number for a first look: whole ones in groups of three, long ones by their size."""
    if value.denominator == 1 and abs(value) < LONG:
        return f"{value.numerator:,}".replace(",", "\u202f") if abs(value) >= 1e4 else str(value)
    near = Decimal(value.numerator) / Decimal(value.denominator)
    if abs(near) > Decimal("1e300"):  # and perhaps beyond what a float holds
        return f"{near:.{digits - 1}e}"
    return f"{float(near):.{digits}g}"


def _counterexample(task: Task, name: str, side: Side, right: Ratio) -> Counterexample:
    point = task.differing(side, right)
    text = task.symbols.text(right)
    if point is None:
        said_of = {name: text, "answer": side.text}
        return Counterexample(said_of, f"{name} is {text}, and the answer says {side.text}.")
    used = [one for one in task.symbols.names if one in {*task.symbols.used(right), *side.uses}]
    at = listing([f"{one} = {point[one]}" for one in used])
    value, wanted = task.value(side, point), task.symbols.at(right, point)
    assert wanted is not None
    said = "no number" if value is None else _number(value)
    arrays: dict[str, Any] = {one: _plain(point[one]) for one in used}
    arrays |= {name: _plain(wanted), "answer": said}
    there = f"With {at}: " if used else ""
    formula = f" ({text})" if used else ""
    sentence = f"{there}{name} is {_number(wanted)}{formula}, and the answer says {said}."
    mine, right_one = (wanted, wanted) if value is None else (value, wanted)
    mine_said, right_said = seen_apart(mine, right_one, SHOWN, _short)
    shows = f"{name} is {right_said}, and the answer says {said if value is None else mine_said}."
    about = ", ".join(f"{one} = {_short(point[one], SHOWN)}" for one in used)
    return Counterexample(arrays, sentence, shows=shows, about=about, main=("answer", name))


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def _shape(task: Task, name: str) -> Found:
    names = task.names(name)
    said = axes(task.answer, name, names)
    right = task.shape(name)
    texts = [task.symbols.text(axis) for axis in right]
    if _shape_is(task, name, said):
        sentence = f"({', '.join(texts)})"
        return GoalResult(name, "all", True, sentence), None, None
    case = Case(task, name, tuple(said))
    values = [task.symbols.here(axis) for axis in right]
    wanted = ", ".join(str(v) if v is not None else t for v, t in zip(values, texts, strict=True))
    sentence = f"{name} is ({wanted}), and the answer says ({', '.join(s.text for s in said)})"
    example = Counterexample({name: texts, "answer": [one.text for one in said]}, f"{sentence}.")
    return GoalResult(name, "this", False, sentence), example, recognise(MISTAKES, case)


def _shape_is(task: Task, name: str, said: Sequence[Side]) -> bool:
    right = task.shape(name)
    if len(said) != len(right):
        return False
    return all(
        any(task.same(side, task.shape(name, fixed)[place]) for fixed in task.readings(side))
        for place, side in enumerate(said)
    )


def _same(task: Task, name: str) -> Found:
    said, quantity = truth(task.answer, name), name.removeprefix("same_")
    every = {quantity: task.right(quantity)}
    for other in task.problem.given.others:
        every[f"{quantity}_{other}"] = task.right(f"{quantity}_{other}")
    same = alike(task, quantity)
    shown = listing([f"{one} = {_shown(task, ratio)}" for one, ratio in every.items()])
    sentence = f"{shown}: {'the same' if same else 'not the same'}"
    if said == same:
        return GoalResult(name, "this", True, sentence), None, None
    arrays = {one: _shown(task, ratio) for one, ratio in every.items()}
    idea = recognise(MISTAKES, Case(task, name, (), claimed=said))
    return GoalResult(name, "this", False, sentence), Counterexample(arrays, f"{sentence}."), idea


def _order(task: Task, name: str) -> Found:
    order = task.problem.goal.orders[name]
    right = task.right(order.of)
    (side,) = sides(_bare(task.answer, name, order.symbol), name, task.names(name))[:1]
    power, wanted = degree(task, side.ratio, order.symbol), degree(task, right, order.symbol)
    text = task.symbols.text(right)
    power_of = order.symbol if wanted == 1 else f"{order.symbol}^{wanted}"
    sentence = f"{order.of} is {text}, which grows like {power_of}"
    if power == wanted:
        return GoalResult(name, "all", True, sentence), None, None
    example = Counterexample({order.of: text, "answer": side.text}, f"{sentence}.")
    idea = recognise(MISTAKES, Case(task, name, (side,), powers=(power, wanted)))
    return GoalResult(name, "this", False, sentence), example, idea


def _bare(answer: Answer, name: str, symbol: str) -> Answer:
    """Read O(n^2) as n^2, and linear as n."""
    said = answer.need(name)
    if isinstance(said, Formula) and str(said) in _GROWTH:
        return Answer({name: parse(f"{symbol}^{_GROWTH[str(said)]}")})
    if isinstance(said, Formula) and _BIG & said.names:  # O(n^2), Θ(n²)
        return Answer({name: said.substitute(dict.fromkeys(_BIG, parse("1")))})
    return answer
