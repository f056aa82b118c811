"""The cells of a sweep: every combination of a grid, or a list, each with its own random stream.

A cell is known by its settings, not by its place: its name is a hash of them, and its random
stream is the child of the sweep's seed with that hash as spawn key. So a cell draws the same
numbers whatever runs beside it, in whatever order, and a grid that grows changes nothing of what
was there. Settings that are called paired do not enter the hash of the stream: cells that differ
in these alone draw the same numbers, which is how methods are compared.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.errors import ParameterError
from regard.shapes import integer

__all__ = ["NOTHING", "Cell", "expand", "generator", "read_cells", "values"]

MOST_CELLS = 10_000_000
NOTHING = "there is nothing to do. Give settings their values, such as n = [4, 8]."


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting of everything.

    Attributes:
        settings: names and plain values, in the order in which they were given.
        name: 32 hexadecimal digits, a hash of the settings.
        stream: four words, a hash of the settings that are not paired.
    """

    settings: Mapping[str, Any]
    name: str
    stream: tuple[int, ...]


def generator(seed: int, stream: tuple[int, ...]) -> np.random.Generator:
    """Return the generator of a cell: the child of the seed that its stream names."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=stream))


def read_cells(function: str, settings: object, paired: Collection[str] = ()) -> list[Cell]:
    """Return the cells of a grid (a mapping of names to values) or of a list of mappings."""
    if isinstance(settings, Mapping):
        rows: Iterable[Mapping[str, Any]] = expand(function, settings)
    elif isinstance(settings, Iterable) and not isinstance(settings, str | bytes):
        rows = settings
    else:
        raise ParameterError(
            f"{function}: settings must be a grid such as {{'scale': [1, 10], 'n': [4, 8]}} or a "
            f"list of settings such as [{{'scale': 1, 'n': 4}}]. Got {settings!r}."
        )
    cells = [_cell(function, row, paired) for row in rows]
    if not cells:
        raise ParameterError(f"{function}: settings are empty: {NOTHING}")
    _refuse_twins(function, cells)
    unknown = sorted(set(paired) - {name for cell in cells for name in cell.settings})
    if unknown:
        raise ParameterError(f"{function}: paired names {unknown[0]!r}, which no cell has.")
    return cells


def expand(function: str, grid: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every combination of the values, the last name changing fastest.

    >>> expand("sweep", {"n": [4, 8], "method": "exact"})
    [{'n': 4, 'method': 'exact'}, {'n': 8, 'method': 'exact'}]
    """
    columns = [values(function, name, given) for name, given in grid.items()]
    count = 1
    for column in columns:
        count *= len(column)
    if count > MOST_CELLS:
        raise ParameterError(
            f"{function}: the grid has {count} cells, more than {MOST_CELLS}. "
            "Sweep over a part of it at a time."
        )
    return [dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*columns)]


def values(function: str, name: str, given: object) -> Sequence[Any]:
    """Return the values of a setting: a list, a range, or one value.

    A range is {"from": 1, "to": 5} (whole numbers), {"from": 0, "to": 1, "steps": 11}, or
    with "spacing": "log" as well.

    >>> values("sweep", "n", {"from": 1, "to": 100, "steps": 3, "spacing": "log"})
    [1.0, 10.0, 100.0]
    """
    if isinstance(given, np.ndarray):
        given = list(given.tolist() if given.ndim else [given.item()])
    if isinstance(given, range | tuple | list):
        if not given:
            raise ParameterError(f"{function}: {name} has no values.")
        return list(given)
    if isinstance(given, Mapping) and {"from", "to"} <= set(given):
        return _range(function, name, given)
    return [given]


def _range(function: str, name: str, given: Mapping[str, Any]) -> list[Any]:
    extra = sorted(set(given) - {"from", "to", "steps", "spacing"})
    first, last, spacing = given["from"], given["to"], given.get("spacing", "linear")
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)
                  for x in (first, last))  # fmt: skip
    if extra or not numbers or spacing not in ("linear", "log"):
        raise ParameterError(
            f"{function}: {name} must be a range {{from, to}} of finite numbers, with steps and "
            f"spacing = 'linear' or 'log' where wanted. Got {dict(given)!r}."
        )
    if "steps" not in given:
        if not (isinstance(first, int) and isinstance(last, int) and first <= last):
            raise ParameterError(
                f"{function}: {name}: a range without steps goes over whole numbers, upwards. "
                f"Got {dict(given)!r}."
            )
        return list(range(first, last + 1))
    steps = integer(function, f"{name}.steps", given["steps"], minimum=1)
    if spacing == "linear":
        return [float(x) for x in np.linspace(first, last, steps)]
    if min(first, last) <= 0:
        raise ParameterError(f"{function}: {name}: a range spaced by log must lie above 0.")
    return [float(x) for x in np.geomspace(first, last, steps)]


def _cell(function: str, row: object, paired: Collection[str]) -> Cell:
    if not isinstance(row, Mapping) or not all(isinstance(name, str) for name in row):
        raise ParameterError(
            f"{function}: each of settings must be a mapping of names to values. Got {row!r}."
        )
    for word in ("status", "message", "rng"):
        if word in row:
            raise ParameterError(f"{function}: a setting cannot be called {word!r}.")
    settings = {name: _plain(function, name, value) for name, value in row.items()}
    name = _digest(settings)
    kept = {k: v for k, v in settings.items() if k not in paired} if paired else settings
    words = name if kept is settings else _digest(kept)
    stream = tuple(int(words[i : i + 8], 16) for i in range(0, 32, 8))
    return Cell(settings, name, stream)


def _plain(function: str, name: str, value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):
        raise ParameterError(f"{function}: {name} is NaN, not a number. Leave that cell out.")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(function, name, x) for x in value]
    if isinstance(value, Mapping):
        return {str(k): _plain(function, name, x) for k, x in value.items()}
    raise ParameterError(
        f"{function}: {name} must be numbers, words, True or False, or lists of them: build "
        f"arrays inside the function, from rng. Got {type(value).__name__}."
    )


def _digest(settings: Mapping[str, Any]) -> str:
    text = json.dumps(_canonical(settings), sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _canonical(value: Any) -> Any:
    """Return a value in which 1 and 1.0 are the same."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {name: _canonical(x) for name, x in value.items()}
    return [_canonical(x) for x in value] if isinstance(value, list) else value


def _refuse_twins(function: str, cells: Sequence[Cell]) -> None:
    places: dict[str, int] = {}
    for place, cell in enumerate(cells):
        first = places.setdefault(cell.name, place)
        if first != place:
            raise ParameterError(
                f"{function}: cells {first} and {place} have the same settings, "
                f"{dict(cell.settings)!r}. To draw one several times, give it a setting "
                "seed = 0, 1, 2 …"
            )
