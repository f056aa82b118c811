"""Numbers that a problem lets vary, and statements that say them: `vary = { n = "5..12" }`.

What varies is a number of given or goal, a number in their `parameters`, `values` or `numbers`, all
entries of a list or matrix, one of its entries (`keys_2_1`: row 2, entry 1), or all `weights`. A
statement names numbers in double braces: {{n}}, {{w_a}} for the weight of a, {{keys}} for a matrix.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from regard.errors import InvalidProblem
from regard.problems.number_ranges import Simplex, draw, read
from regard.problems.statement_numbers import filled, is_number

if TYPE_CHECKING:
    from regard.problems.head import Problem

__all__ = ["corners", "draw", "drawn", "filled", "filled_texts", "with_seed"]

_ENTRY: Final = re.compile(r"([A-Za-z]\w*?)_(\d+)(?:_(\d+))?")
_TABLES: Final = ("parameters", "values", "numbers")  # whose entries are named as in the statement


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
        try:
            found = read(text)
        except ValueError as error:
            raise ValueError(f"vary.{name}: {error}") from None
        _put(data, name, lambda: found.draw(rng), isinstance(found, Simplex))  # noqa: B023
    return data


def corners(
    ranges: Mapping[str, str], given: Mapping[str, Any], goal: Mapping[str, Any]
) -> Iterator[tuple[str, Any, dict[str, dict[str, Any]]]]:
    """Return numbers that can be drawn: each end of each range, the others drawn with seed 0."""
    start = drawn(ranges, given, goal, 0)
    for name, text in ranges.items():
        found = read(text)
        for end in found.ends():
            data = copy.deepcopy(start)
            _put(data, name, lambda: end, isinstance(found, Simplex))  # noqa: B023
            yield name, end, data


def _put(data: dict[str, dict[str, Any]], name: str, one: Callable[[], Any], many: bool) -> None:
    """Put what `one()` draws in the place of the numbers of this name."""
    place = _place(data, name)
    if place is None:
        raise ValueError(f"vary: there is no {name} in given or goal. There are {_there(data)}.")
    table, key = place
    old = table[key]
    if isinstance(old, Mapping) and old.get("law") == "fixed":
        table, key, old = old, "rows", old["rows"]
    if many and isinstance(old, Mapping | list):
        new = one()
        if len(old) != len(new):
            raise ValueError(f"vary: {name} has {len(old)} entries, its range draws {len(new)}.")
        table[key] = dict(zip(old, new, strict=True)) if isinstance(old, Mapping) else new
    elif not many and is_number(old):
        table[key] = one()
    elif not many and isinstance(old, list) and _all_numbers(old):
        table[key] = _each(old, one)
    else:
        raise ValueError(f"vary: {name} is not of the form that its range draws.{_form(name, old)}")


def _form(name: str, old: Any) -> str:
    if name == "weights" and isinstance(old, Mapping):
        return f' Weights vary together: {name} = "simplex({len(old)}, 0.1)".'
    return ""


def _place(data: Mapping[str, dict[str, Any]], name: str) -> tuple[Any, Any] | None:
    """Return the table or list that holds what is called `name`, and its key there."""
    for part in data.values():
        if name in part:
            return part, name
    for part in data.values():
        for table in _inner(part):
            if name in table:
                return table, name
    if name.startswith("w_") and name[2:] in data["goal"].get("weights", ()):
        raise ValueError(
            f"vary: {name} cannot vary alone, weights sum to 1: "
            f'weights = "simplex({len(data["goal"]["weights"])}, 0.1)" draws all of them.'
        )
    entry = _ENTRY.fullmatch(name)
    above = _place(data, entry[1]) if entry else None
    if entry is None or above is None:
        return None
    rows: Any = above[0][above[1]]
    rows = rows.get("rows") if isinstance(rows, Mapping) else rows
    holder: Any = None
    index = 0
    for index in [int(one) for one in entry.groups()[1:] if one]:
        if not isinstance(rows, list) or not 1 <= index <= len(rows):
            size = f"has {len(rows)} there" if isinstance(rows, list) else "is no list there"
            raise ValueError(f"vary: {name}: entries count from 1, and {entry[1]} {size}.")
        holder, rows = rows, rows[index - 1]
    return holder, index - 1


def _each(rows: Any, one: Callable[[], Any]) -> Any:
    return [_each(row, one) for row in rows] if isinstance(rows, list) else one()


def _all_numbers(rows: list[Any]) -> bool:
    return bool(rows) and all(
        _all_numbers(row) if isinstance(row, list) else is_number(row) for row in rows
    )


def _there(data: Mapping[str, dict[str, Any]]) -> str:
    names = [name for part in data.values() for name in part]
    names += [name for part in data.values() for table in _inner(part) for name in table]
    return ", ".join(names)


def _inner(part: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tables whose numbers have names of their own; a law is none."""
    found = [part[name] for name in _TABLES if isinstance(part.get(name), dict)]
    return [table for table in found if "law" not in table]


def with_seed(problem: Problem, seed: int) -> Problem:
    """Return the variant of a problem that declares ranges: other numbers, and its text with them.

    Raises:
        InvalidProblem: it declares none, or these numbers do not make a problem.
    """
    from regard.problems.loading import from_dict
    from regard.problems.writing import to_dict

    if not problem.vary:
        raise InvalidProblem(
            f"{problem.id}: declares no ranges: write vary = {{ … }} into its file, or check "
            f"against regard.solving.variant(problem, {seed})."
        )
    data = to_dict(problem)
    try:
        changed = drawn(problem.vary, data["given"], data["goal"], seed)
        told = filled_texts(data, changed)
    except ValueError as error:
        raise InvalidProblem(f"{problem.id}: {error}") from None
    del data["vary"]
    told |= {"id": f"{problem.id}-{seed}", "title": f"{told['title']} (variant {seed})"}
    return from_dict({**data, **changed, **told})


def filled_texts(data: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, str]:
    """Return statement and title of a problem as its file has them, with these numbers."""
    return {
        name: filled(data[name], numbers["given"], numbers["goal"], name)
        for name in ("statement", "title")
    }
