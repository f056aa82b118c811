"""A verdict as a report: what went wrong, goals in words, the counterexample, what to do next."""

from __future__ import annotations

import re
from typing import Final

from regard.checking.counterexample_report import blocks_of, few_digits
from regard.checking.points import points_table
from regard.checking.verdict import Verdict
from regard.checking.verdict_words import (
    bounds_itself,
    goal_name,
    goal_words,
    lowered,
    next_commands,
    title_of,
    tone_of,
    typeset,
    what_is_wrong,
)
from regard.problems.loading import bundled_ids
from regard.problems.problem_sets import home, place
from regard.report import Block, Code, Facts, Heading, Math, Report, Text
from regard.report.compared import Checklist
from regard.report.headline import marked, unmarked
from regard.report.recognised import in_blocks

MOST_FORMULAS: Final = 4  # fields of an answer that are set one below the other
_SYMBOL = re.compile(r"d?[A-Za-z](_[A-Za-z0-9]{1,2})?")


def report(verdict: Verdict) -> Report:
    """Return a verdict as a report: the answer with its goals, and beside it what went wrong."""
    found = place(verdict.problem)
    title = verdict.problem.title
    blocks: list[Block] = [
        Text(f"{found} / {title}" if found else title, "eyebrow"),
        Text(_headline(verdict), "headline"),
    ]
    tone = "good" if verdict.right else "bad" if verdict.decided else "open"
    blocks.append(Heading("Your answer", role="answer", status=verdict.count, tone=tone))
    blocks += _answer(verdict)
    items = ((tone_of(goal), goal_name(verdict, goal), goal_words(goal)) for goal in verdict.goals)
    blocks.append(Checklist(tuple(items)))
    blocks += _beside(verdict)
    if verdict.points:
        blocks += [Heading("Points"), points_table(verdict.points)]
    if verdict.counterexample is not None:
        blocks += blocks_of(verdict.problem, verdict.counterexample)
    if verdict.remarks and not verdict.right:
        blocks += [Heading("Also"), *(Text(remark) for remark in verdict.remarks)]
    if verdict.problem.id in bundled_ids():
        blocks += _next(verdict)
    return Report(verdict.headline, in_blocks(blocks))


def _headline(verdict: Verdict) -> str:
    if verdict.right:
        return f"The answer is {marked('right', 'query')}."
    if not verdict.decided:
        return f"{marked('Not decided:', 'bad')} a person has to look at this answer."
    said = lowered(what_is_wrong(verdict)) or f"{verdict.count}."
    return f"{marked('Not right yet:', 'bad')} {said}"


def _answer(verdict: Verdict) -> list[Block]:
    """Return the answer: formulas as formulas, and a table where it is something else."""
    typed = [(name, typeset(text)) for name, text in verdict.answer.items()]
    if not typed:
        return []
    is_formula = [_SYMBOL.fullmatch(n) and x[:1] == "$" == x[-1:] for n, x in typed]
    if all(is_formula) and len(typed) <= MOST_FORMULAS:
        alone = [bounds_itself(name, text) for name, text in verdict.answer.items()]
        return [
            Math(text[1:-1] if bound else f"{typeset(name).strip('$')} = {text[1:-1]}")
            for (name, text), bound in zip(typed, alone, strict=True)
        ]
    return [Facts(tuple(typed))]


def _beside(verdict: Verdict) -> list[Block]:
    """Return the callouts: the mistake and a hint, what is not settled, or how sure it is."""
    idea, example = verdict.misconception, verdict.counterexample
    if idea is not None:
        said = [x for x in (idea.why, idea.numbers) if x]
        if not said and example is not None and example.shows:
            said = [few_digits(unmarked(example.shows))]
        blocks: list[Block] = [Heading(title_of(idea.tag), role="beside", tone="bad")]
        blocks += map(Text, said)
        if idea.hint:
            blocks += [Heading("Hint", role="beside", tone="good"), Text(idea.hint)]
        return blocks
    if not verdict.decided:
        open_ones = [goal for goal in verdict.goals if not goal.decided]
        said = [f"{goal_name(verdict, goal)}: {goal.sentence}." for goal in open_ones]
        return [Heading("What is not settled", role="beside", tone="open"), *map(Text, said)]
    if verdict.right and verdict.remarks:
        return [Heading("Good to know", role="beside", tone="good"), *map(Text, verdict.remarks)]
    return []


def _next(verdict: Verdict) -> list[Block]:
    """Return the commands that fit, and those that tell the whole answer."""
    problem, found = verdict.problem, home(verdict.problem.id)
    solve, shelf = f"regard solve {problem.id}", found and f"regard solve {found[0].name}"
    hint, again = next_commands(verdict)
    first = [] if verdict.right else [again, hint]
    said = "See why, step by step:" if verdict.right else "Try again, or take one more step:"
    last = [f"{solve} -o answer.html", *([f"{shelf} -o all.html"] if shelf else [])]
    notes = ["the full answer", "the whole collection"]
    wide = max(map(len, last))
    told = [f"{line.ljust(wide)}  # {note}" for line, note in zip(last, notes, strict=False)]
    return [Heading("Next"), Text(said), Code("\n".join([*first, *told]), "sh")]
