"""Problems as TOML, so that a variant can be saved, changed and solved again."""

from __future__ import annotations

import json
import re
from typing import Any

from regard.problems.head import Problem

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 90


def to_dict(problem: Problem) -> dict[str, Any]:
    """Return the problem as plain data: what its file says, with defaults left out."""
    data = problem.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if problem.vary:
        data |= {"title": problem.title_template, "statement": problem.template}
    return data


def to_toml(problem: Problem) -> str:
    """Return the problem as a TOML file that reads back to the same problem."""
    data = to_dict(problem)
    top = {name: value for name, value in data.items() if name not in ("given", "goal")}
    parts = [_pairs(top), "[given]\n" + _pairs(data["given"]), "[goal]\n" + _pairs(data["goal"])]
    return "\n".join(parts)


def _pairs(table: dict[str, Any]) -> str:
    return "".join(f"{_key(name)} = {_long(value)}\n" for name, value in table.items())


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _long(value: Any) -> str:
    """Write a value of a key: long texts and lists over several lines."""
    if isinstance(value, str) and ("\n" in value or "\\" in value):
        ends_well = "'''" not in value and not value.endswith("'")
        if ends_well and all(c.isprintable() or c == "\n" for c in value):
            return f"'''\n{value}'''"
    short = inline(value)
    if isinstance(value, list) and len(short) > _WIDTH:
        return "[\n" + "".join(f"    {inline(item)},\n" for item in value) + "]"
    return short


def inline(value: Any) -> str:
    """Return a value as TOML in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # a person would write 2 and not 2.0
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    return "{ " + ", ".join(f"{_key(name)} = {inline(v)}" for name, v in value.items()) + " }"


def _string(text: str) -> str:
    # JSON writes strings as TOML does, except for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
