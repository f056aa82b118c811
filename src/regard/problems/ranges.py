"""Numbers that a problem lets vary, and statements that say them: `vary = { n = "5..12" }`.

A range is "5..12" (whole numbers), "0.1..0.5" (in steps of a hundredth of it), "2 | 3 | 5" (one of
these), or "simplex(2, 0.1)": so many weights of at least so much, in steps of 0.05, that sum to 1.
A statement names what varies in double braces: {{n}}, and {{w_a}} for the weight of a.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.errors import InvalidProblem

if TYPE_CHECKING:
    from regard.problems.head import Problem

_WHOLE = re.compile(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*")
_REAL = re.compile(r"\s*(-?\d*\.?\d+)\s*\.\.\s*(-?\d*\.?\d+)\s*")
_SIMPLEX = re.compile(r"\s*simplex\(\s*(\d+)\s*,\s*(0?\.\d+)\s*\)\s*")
_NAME = re.compile(r"\{\{\s*([A-Za-z]\w*)\s*\}\}")
_STEPS = 100  # of a range of numbers that are not whole
_STEP = 20  # weights are multiples of 1/20


def draw(text: str, rng: np.random.Generator) -> Any:
    """Return what a range draws: a number, or a list of weights."""
    if whole := _WHOLE.fullmatch(text):
        low, high = map(int, whole.groups())
        if low <= high:
            return int(rng.integers(low, high + 1))
    elif real := _REAL.fullmatch(text):
        first, last = map(float, real.groups())
        if first <= last:
            share = int(rng.integers(0, _STEPS + 1)) / _STEPS
            return float(f"{first + share * (last - first):.6g}")
    elif simplex := _SIMPLEX.fullmatch(text):
        count, least = int(simplex[1]), float(simplex[2])
        lowest = int(np.ceil(least * _STEP - 1e-9))
        spare = _STEP - count * lowest
        if 1 <= count <= _STEP and spare >= 0:
            cuts = np.sort(rng.integers(0, spare + 1, count - 1))
            parts = np.diff(np.concatenate([[0], cuts, [spare]])) + lowest
            return [int(part) / _STEP for part in parts]
    elif "|" in text:
        return _number(str(rng.choice([one.strip() for one in text.split("|")])))
    raise ValueError(
        f'{text[:60]!r} is no range: write "5..12", "0.1..0.5", "2 | 3 | 5" or "simplex(2, 0.1)".'
    )


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def drawn(
    ranges: Mapping[str, str], given: Mapping[str, Any], goal: Mapping[str, Any], seed: int
) -> dict[str, dict[str, Any]]:
    """Return given and goal with other numbers, the same ones for the same seed.

    Raises:
        ValueError: a range is none, or there is nothing of its name.
    """
    rng = np.random.default_rng([seed, 20260101])
    data = {"given": copy.deepcopy(dict(given)), "goal": copy.deepcopy(dict(goal))}
    for name, text in ranges.items():
        part = next((one for one in data.values() if name in one), None)
        if part is None:
            known = ", ".join([*data["given"], *data["goal"]])
            raise ValueError(f"vary: there is no {name} in given or goal. There are {known}.")
        part[name] = _placed(name, part[name], draw(text, rng))
    return data


def _placed(name: str, old: Any, new: Any) -> Any:
    """Return numbers in the form of those that they replace."""
    if isinstance(old, Mapping) and isinstance(new, list):
        if len(old) != len(new):
            raise ValueError(f"vary: {name} has {len(old)} entries, its range draws {len(new)}.")
        return dict(zip(old, new, strict=True))
    if isinstance(old, list | Mapping) != isinstance(new, list):
        raise ValueError(f"vary: {name} is not of the form that its range draws.")
    return new


def filled(
    text: str, given: Mapping[str, Any], goal: Mapping[str, Any], where: str = "statement"
) -> str:
    """Return a statement, or a title, with the numbers that its double braces name.

    Raises:
        ValueError: it names something that is no number of the problem.
    """
    known = _names({**given, **goal})

    def number(found: re.Match[str]) -> str:
        if found[1] not in known:
            there = ", ".join(sorted(known)) or "none"
            raise ValueError(f"{where}: {{{{{found[1]}}}}} is no number of it. There are {there}.")
        return known[found[1]]

    return _NAME.sub(number, text)


def _names(data: Mapping[str, Any]) -> dict[str, str]:
    found = {
        name: f"{value:.12g}" if isinstance(value, float) else str(value)
        for name, value in data.items()
        if isinstance(value, int | float | str) and not isinstance(value, bool)
    }
    for name, prefix in (("weights", "w_"), ("parameters", "")):
        inside = data.get(name)
        if isinstance(inside, Mapping):
            found |= {f"{prefix}{key}": f"{x:.12g}" for key, x in inside.items() if _is_number(x)}
    return found


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


def with_seed(problem: Problem, seed: int) -> Problem:
    """Return the variant of a problem that declares ranges: other numbers, and its text with them.

    Raises:
        InvalidProblem: it declares none, or these numbers do not make a problem.
    """
    from regard.problems.loading import from_dict
    from regard.problems.writing import to_dict

    if not problem.vary:
        raise InvalidProblem(
            f"{problem.id}: declares no ranges: write vary = {{ … }} into its file."
        )
    data = to_dict(problem)
    try:
        changed = drawn(problem.vary, data["given"], data["goal"], seed)
        statement = filled(problem.template, changed["given"], changed["goal"])
        title = filled(problem.title_template, changed["given"], changed["goal"], "title")
    except ValueError as error:
        raise InvalidProblem(f"{problem.id}: {error}") from None
    del data["vary"]
    data |= {"id": f"{problem.id}-{seed}", "title": f"{title} (variant {seed})"}
    return from_dict({**data, **changed, "statement": statement})
