"""The forms of one step of an argument, from one line of it to all of it.

A screen has room for some lines of an argument and not for others. What is left out of a step is a
whole sentence, a clause that only adds, or the words beside a formula that says the same; never
the end of a formula.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.report.characters import columns, wrap
from regard.report.inline import shown
from regard.report.text.prose import formula

_INDENT = "  "
_GAP = re.compile(" {3,}")
_SENTENCE_END = re.compile(r"\.(?= [A-Z‖∑α-ω])")
# What stands before these is a sentence without what follows.
_CLAUSE_END = re.compile(r"[:;](?= )|,(?= (?:so|and so|which|because|where|since|also)\b)")
_LONG = 10**6  # columns: formulas that are not broken


def forms(number: int, sentence: str, latex: str, width: int) -> list[list[str]]:
    """Return a step in lines of at most `width` columns: the shortest form, a longer one, all.

    Args:
        number: of the step.
        sentence: its words, with formulas between dollars.
        latex: its formula, or "".
        width: of a line.
    """
    marker = f"{_INDENT}{number}".ljust(len(_INDENT) + 2) + " "
    room = width - len(marker)
    words = shown(sentence)
    written = formula(latex, "", _LONG) if latex else []
    lines = [_GAP.sub("   ", line.strip(" ")) for line in written]
    found = [
        _brief(words, lines, room),
        _together(_clauses(words)[-1] if lines else _first(words), lines, latex, room),
        _together(_first(words), lines, latex, room),
        _together(words, lines, latex, room),
    ]
    distinct: list[list[str]] = []
    for form in found:
        if not distinct or len(form) > len(distinct[-1]):
            distinct.append(form)
        elif len(form) == len(distinct[-1]):
            distinct[-1] = form  # as many lines, and more in them
    return [_numbered(marker, form) for form in distinct]


def _brief(words: str, lines: list[str], room: int) -> list[str]:
    """Return words and formula in one line where that can be done; else what tells most."""
    if len(lines) == 1 and columns(lines[0]) <= room:
        beside = [f"{_ended(clause)}  {lines[0]}" for clause in _clauses(words)]
        return [next((text for text in beside if columns(text) <= room), lines[0])]
    if lines and max(map(columns, lines)) <= room - 2:
        return _together(_clauses(words)[-1], lines, "", room)
    alone = [clause for clause in _clauses(words) if columns(clause) < room]
    return [f"{alone[0].rstrip('.:')}."] if alone else wrap(_first(words), room)


def _together(words: str, lines: list[str], latex: str, room: int) -> list[str]:
    """Return words with the formula behind them, or below."""
    if not lines:
        return wrap(words, room)
    above = wrap(_ended(words), room)
    if len(lines) == 1 and columns(f"{above[-1]}  {lines[0]}") <= room:
        return [*above[:-1], f"{above[-1]}  {lines[0]}"]
    if max(map(columns, lines)) <= room - 2:
        return above + [f"  {line}" for line in lines]
    return above + formula(latex, "  ", room)


def _first(words: str) -> str:
    """Return the first sentence."""
    end = _SENTENCE_END.search(words)
    return words[: end.end()] if end else words


def _clauses(words: str) -> list[str]:
    """Return the beginnings of a step that are sentences themselves, the longest first."""
    first = _first(words)
    shorter = [first[: end.start()] for end in _CLAUSE_END.finditer(first)]
    return list(dict.fromkeys([words, first, *reversed(shorter)]))


def _ended(words: str) -> str:
    """Return words that a formula follows."""
    return words if words.endswith((".", ":", "?")) else f"{words}:"


def _numbered(marker: str, form: list[str]) -> list[str]:
    blank = " " * len(marker)
    return [(blank if i else marker) + line for i, line in enumerate(form)]


def chosen(steps: Sequence[list[list[str]]], lines: int) -> list[list[str]]:
    """Return as many steps as fit in so many lines, each in as long a form as there is room for.

    Where not all fit, a line is kept for saying how many are left out.
    """
    shortest = [len(forms[0]) for forms in steps]
    count = len(steps)
    while count and sum(shortest[:count]) + (count < len(steps)) > lines:
        count -= 1
    spare = lines - sum(shortest[:count]) - (count < len(steps))
    found = [forms[0] for forms in steps[:count]]
    for longer in range(1, max((len(forms) for forms in steps), default=0)):
        for i, forms in enumerate(steps[:count]):
            if longer < len(forms) and len(forms[longer]) - len(found[i]) <= spare:
                spare -= len(forms[longer]) - len(found[i])
                found[i] = forms[longer]
    return found
