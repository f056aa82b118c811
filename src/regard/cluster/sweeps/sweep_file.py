"""A sweep as a file in TOML: what is swept, over which settings, and how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regard.cluster.sweeps.settings import NOTHING, expand, read_cells, values
from regard.cluster.sweeps.targets import nearest
from regard.errors import InvalidProblem, ParameterError
from regard.problems.loading import load, parse, read_file
from regard.shapes import integer

__all__ = ["SweepFile", "read_sweep_file"]

_KEYS = (
    "schema", "title", "what", "problem", "seed", "paired", "settings", "grid", "cells", "draw",
    "plot",
)  # fmt: skip
_PLOT = ("x", "y", "lines")


@dataclass(frozen=True)
class SweepFile:
    """What a file asks for: the arguments of `regard.cluster.sweep`.

    Attributes:
        what: a name, or a problem.
        title: of the table.
        settings: the cells.
        seed, paired, draw: as of the function.
        plot: which columns are drawn: x, y, lines.
    """

    what: str
    title: str
    settings: list[dict[str, Any]]
    seed: int = 0
    paired: tuple[str, ...] = ()
    draw: Mapping[str, Any] = field(default_factory=dict)
    plot: Mapping[str, Any] = field(default_factory=dict)


def read_sweep_file(path: Path) -> SweepFile:
    """Read a sweep.

    Raises:
        InvalidProblem: it cannot be read, or is not TOML.
        ParameterError: what it asks for cannot be used; the message names the key.
    """
    data, name = parse(read_file(path), str(path)), str(path)
    for key in data:
        if key not in _KEYS:
            raise ParameterError(f"{name}: there is no key {key!r}. {nearest(key, _KEYS)}")
    if data.get("schema", 1) != 1:
        raise ParameterError(f"{name}: schema must be 1. Got {data['schema']!r}.")
    if ("what" in data) == ("problem" in data):
        raise ParameterError(
            f'{name}: say either what = "analysis.key_noise" (or another function: '
            '`regard sweep --list`), or problem = "average-two-values".'
        )
    what = data.get("what", data.get("problem"))
    if not isinstance(what, str):
        raise ParameterError(f"{name}: what and problem must be words. Got {what!r}.")
    paired = data.get("paired", [])
    if not isinstance(paired, list) or not all(isinstance(one, str) for one in paired):
        raise ParameterError(f"{name}: paired must be a list of names of settings. Got {paired!r}.")
    title = data.get("title", what)
    if not isinstance(title, str) or not title.strip():
        raise ParameterError(f"{name}: title must be words. Got {title!r}.")
    return SweepFile(
        what if "what" in data else _found(path, what, name),
        title,
        _cells(name, data),
        integer(name, "seed", data.get("seed", 0), minimum=0),
        tuple(paired),
        _table(name, data, "draw"),
        _plot(name, _table(name, data, "plot")),
    )


def _found(path: Path, problem: str, name: str) -> str:
    """Return a problem in a file beside the sweep by its whole path, others as they are called."""
    beside = path.parent / problem
    found = str(beside) if Path(problem).suffix and beside.exists() else problem
    try:
        load(found)
    except InvalidProblem as error:
        raise InvalidProblem(f"{name}: problem = {error}") from None
    return found


def _cells(name: str, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    for key in ("grid", "cells"):  # a file without either is one cell
        if key in data and data[key] in ({}, []):
            raise ParameterError(f"{name}: {key} is empty: {NOTHING}")
    fixed = _flat(_table(name, data, "settings"))
    grid = {
        key: values(name, key, given) for key, given in _flat(_table(name, data, "grid")).items()
    }
    rows = data.get("cells", [])
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ParameterError(f"{name}: cells must be tables, each under [[cells]].")
    found = expand(name, grid) if grid or not rows else [{}]
    listed = [_flat(row) for row in rows] or [{}]
    cells = [{**fixed, **own, **row} for row in listed for own in found]
    read_cells(name, cells)  # says what is wrong with them, in terms of the file
    return cells


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return given = {n = 3} as given.n = 3: what a problem has its settings in."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if not prefix and key in ("given", "goal") and isinstance(value, Mapping):
            found |= {f"{key}.{own}": x for own, x in value.items()}
        else:
            found[key] = value
    return found


def _table(name: str, data: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key, {})
    if not isinstance(found, dict):
        raise ParameterError(f"{name}: {key} must be a table, [{key}]. Got {found!r}.")
    return found


def _plot(name: str, plot: dict[str, Any]) -> dict[str, Any]:
    for key, value in plot.items():
        several = key == "lines" and isinstance(value, list)
        words = all(isinstance(x, str) for x in (value if several else [value]))
        if key not in _PLOT or not words:
            raise ParameterError(
                f"{name}: [plot] has x, y and lines, each the name of a column; lines may be a "
                f"list of them. Got {key} = {value!r}."
            )
    return plot
