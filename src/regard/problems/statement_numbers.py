"""Numbers of a problem in its text: {{n}}, {{w_a}} for the weight of a, {{keys}} for a matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

NAME: Final = re.compile(r"\{\{\s*([A-Za-z]\w*)\s*\}\}")
_BROKEN: Final = re.compile(r"\{\{[^{}\\$]{0,40}\}?")
_PREFIXES: Final = {"weights": "w_", "parameters": "", "values": "", "numbers": ""}
_SMALLEST: Final = 1e-6  # of numbers that are written without a power of ten


def filled(
    text: str, given: Mapping[str, Any], goal: Mapping[str, Any], where: str = "statement"
) -> str:
    """Return a statement, or a title, with the numbers that its double braces name.

    Raises:
        ValueError: it names something that is no number of the problem.
    """
    known = dict(_named({**given, **goal}))

    def said(found: re.Match[str]) -> str:
        name = found[1]
        if name not in known:
            raise ValueError(
                f"{where}: {{{{{name}}}}} is no number of it. There are {_listed(known)}."
            )
        value = known[name]
        in_formula = text[: found.start()].replace("$$", "$").count("$") % 2
        if isinstance(value, list):
            return matrix(value) if in_formula else f"${matrix(value)}$"
        return entry(value) if in_formula else _plain(value)

    told = NAME.sub(said, text)
    broken = _BROKEN.search(NAME.sub("", text))
    if broken:
        raise ValueError(
            f"{where}: {broken[0]} is no name in double braces. Write {{{{n}}}}, with one of "
            f"{_listed(known)}; two braces of LaTeX have a space between them."
        )
    return told


def names_in(text: str) -> set[str]:
    """Return what a text names in double braces."""
    return set(NAME.findall(text))


def is_number(x: Any) -> bool:
    """Whether this is a number, or text that may be one, such as 1/3."""
    return isinstance(x, int | float | str) and not isinstance(x, bool)


def _named(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if is_number(value):
            yield name, value
        rows = value.get("rows") if isinstance(value, Mapping) else value
        if isinstance(rows, list):
            yield from _entries(name, rows)
    for name, prefix in _PREFIXES.items():
        inside = data.get(name)
        if isinstance(inside, Mapping) and "law" not in inside:
            for key, value in inside.items():
                if is_number(value):
                    yield f"{prefix}{key}", value
                elif isinstance(value, list):
                    yield from _entries(key, value)


def _entries(name: str, rows: list[Any]) -> Iterator[tuple[str, Any]]:
    """Name a matrix and its entries, or a list and its; nothing of other lists."""
    lists = rows if all(isinstance(row, list) for row in rows) else [rows]
    if not rows or not all(row and all(map(is_number, row)) for row in lists):
        return
    yield name, lists
    for i, row in enumerate(rows, 1):
        if isinstance(row, list):
            yield from ((f"{name}_{i}_{j}", value) for j, value in enumerate(row, 1))
        else:
            yield f"{name}_{i}", row


def _listed(known: Mapping[str, Any]) -> str:
    names = [name for name in known if not re.search(r"_\d", name)]
    return ", ".join(sorted(names)) or "none"


def _plain(value: Any) -> str:
    if isinstance(value, float):
        if 0 < abs(value) < _SMALLEST:
            return re.sub(r"e-0*", "e-", f"{value:.12g}")
        import numpy as np

        return np.format_float_positional(float(f"{value:.12g}"), trim="-")
    return str(value)


def matrix(rows: list[Any]) -> str:
    """Return rows of numbers in LaTeX."""
    inside = r" \\ ".join(" & ".join(map(entry, row)) for row in rows)
    return rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"


def entry(value: Any) -> str:
    """Return a number, or text such as sqrt(2)/2, in LaTeX; words as they are."""
    from regard.errors import FormulaError
    from regard.language import parse

    if not isinstance(value, str):
        return _plain(value)
    try:
        return parse(value).to_latex()
    except FormulaError:
        return value
