"""The words of a verdict, for pages and terminals: what is wrong, goals, what to do next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from regard.checking.counterexample_report import few_digits
from regard.checking.verdict import GoalResult, Verdict
from regard.errors import FormulaError
from regard.language import parse
from regard.problems.answer_fields import AnswerField, answer_fields
from regard.report.headline import unmarked
from regard.report.inline import shown
from regard.report.numbers import number

LONGEST: Final = 100  # letters of a first line
_FEW: Final = 3  # fields that a command to type again names
_FACTOR: Final = "C"
_SYMBOL: Final = re.compile(r"(d?[A-Za-z]|alpha|beta|gamma|mu|sigma)(_[A-Za-z0-9]{1,2})?")


def what_is_wrong(verdict: Verdict) -> str:
    """Return what is wrong in a short sentence: the mistake, or what the counterexample shows."""
    idea, example = verdict.misconception, verdict.counterexample
    if idea is not None:
        return idea.short or first_sentence(idea.sentence)
    if example is not None:
        for said in (example.shows, first_sentence(example.sentence)):
            if 0 < len(unmarked(said)) <= LONGEST:
                return few_digits(unmarked(said))
    missed = [goal for goal in verdict.goals if not goal.passed]
    if len(missed) == 1 and len(verdict.goals) > 1:
        return f"One goal is not reached: {missed[0].name}."
    return "The goal is not reached." if len(verdict.goals) == 1 else ""


def first_line(verdict: Verdict) -> str:
    """Return the first line of a screen: the verdict, and what is wrong in a short sentence."""
    if verdict.right or not verdict.decided:
        return verdict.headline
    said = what_is_wrong(verdict)
    if len(verdict.goals) > 1:
        return f"{verdict.headline} {said}".strip()
    return f"Not right yet: {lowered(said)}"


def first_sentence(text: str) -> str:
    """Return what is said up to its first stop."""
    ends = [at for at in (text.find(". "), text.find(": ")) if at > 0]
    return f"{text[: min(ends)] if ends else text.rstrip('.')}."


def lowered(sentence: str) -> str:
    """Return a sentence as the end of another one; names, such as K, keep their capitals."""
    word = sentence.partition(" ")[0].rstrip(",.:'")
    article = word == "A" and sentence[2:3].islower()
    is_name = not article and (word[:2].isupper() or not word.isalpha() or word in _CAPITALS)
    return sentence if is_name else sentence[:1].lower() + sentence[1:]


_CAPITALS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ") | {"Jacobian", "Phi", "Sigma"}


def title_of(tag: str) -> str:
    """Return a tag as a few words.

    >>> title_of("no-large-scale")
    'No large scale'
    """
    words = tag.replace("-", " ")
    return words[:1].upper() + words[1:]


def tone_of(goal: GoalResult) -> str:
    """Return how a goal came out, as lists of goals have it."""
    return "good" if goal.passed else "bad" if goal.decided else "open"


def goal_name(verdict: Verdict, goal: GoalResult) -> str:
    """Return a goal with a capital, for a list; names such as q_1, or of fields, stay."""
    word = goal.name.partition(" ")[0].rstrip(":,")
    fields = {field.name for field in answer_fields(verdict.problem)} | {goal.part}
    plain = word.isalpha() and len(word) > 1 and word.islower() and word not in fields
    return goal.name[:1].upper() + goal.name[1:] if plain else goal.name


def goal_words(goal: GoalResult, brief: bool = False) -> str:
    """Say what was found about a goal, and on what it was tried."""
    if goal.brief:
        return few_digits(goal.brief)
    if goal.scope not in ("sampled", "adversarial") or not goal.decided:
        return few_digits(goal.sentence)
    among = "drawn at random" if goal.scope == "sampled" else "chosen to be hard"
    if goal.passed:
        sure = f": {goal.confidence}" if goal.confidence and not brief else ""
        if goal.trials == 1:
            return "right" if goal.error is None else few_digits(goal.sentence)
        return f"right in all {goal.trials} {among}{sure}"
    if goal.reached is not None and goal.trials > 1:
        return f"right in {goal.reached} of {goal.trials} {among}"
    if goal.error is None or goal.tolerance is None or goal.error - goal.error != 0:
        return few_digits(goal.sentence)
    if goal.trials == 1:
        return few_digits(goal.sentence)
    return f"off by {number(goal.error, 3)} in the worst of {goal.trials} {among}"


def next_commands(verdict: Verdict) -> tuple[str, ...]:
    """Return what to type next: a hint, and the check with what an answer needs."""
    problem = verdict.problem
    said = _fields(verdict, [*answer_fields(problem)]) or "FILE"
    return f"regard hint {problem.id}", f"regard check {problem.id} {said}"


def _fields(verdict: Verdict, fields: Sequence[AnswerField]) -> str:
    """Return the fields of an answer with room for what belongs there."""
    needed = [field for field in fields if not field.optional]
    idea = verdict.misconception
    factor = any(field.name == _FACTOR for field in fields) and _FACTOR not in verdict.answer
    missing = factor and idea is not None and idea.tag == "no-large-scale"
    parts = []
    for field in needed[:_FEW]:
        if field.example in ("true", "false"):
            parts.append(f"{field.name}=…")
        else:
            parts.append(f'{field.name}="{f"{_FACTOR} …" if missing else "…"}"')
    parts += [f"{_FACTOR}=…"] if missing else []
    return " ".join(parts) + " …" * (len(needed) > _FEW)


def typeset(text: str) -> str:
    """Return a formula, or rows of numbers, as a formula; anything else as it is."""
    if text in ("true", "false"):
        return text
    try:
        formula = parse(text)
    except FormulaError:
        return text
    return f"${formula.to_latex()}$" if formula.names or "[" in text else text


def bounds_itself(name: str, text: str) -> bool:
    """Whether a field is a condition on its own name, as C >= 10 is for C.

    >>> bounds_itself("C", "4 <= C <= 8"), bounds_itself("C", "10"), bounds_itself("q", "C k_a")
    (True, False, False)
    """
    try:
        formula = parse(text)
    except FormulaError:
        return False
    return formula.is_condition and name in formula.names


def field_said(name: str, text: str) -> str:
    """Return a field as people write it: q = C k_a, and C → ∞ for what only grows."""
    if text.startswith(f"{name} -> "):
        return f"{field_name(name)} → {shown(text.partition(' -> ')[2].replace('inf', '∞'))}"
    if bounds_itself(name, text):
        return shown(typeset(text))
    return f"{field_name(name)} = {shown(typeset(text))}"


def field_name(name: str) -> str:
    """Return the name of a field as people write it: beta as a letter, kv_cache_bytes as it is."""
    return shown(typeset(name)) if _SYMBOL.fullmatch(name) else name
