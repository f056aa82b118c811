"""Answers to bundled problems that show a mistake, for those mistakes that no rule makes.

A file in `shown/` holds them for a kind. They are candidates: what a rubric lists is what the judge
calls by its tag when the rubric is made.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any

from regard.problems import Problem

_FUNCTION = re.compile(r"^def (\w+)\(", re.MULTILINE)
MOST_OF_OTHERS = 40  # answers to other problems that are tried where a problem has none of its own


def shown_mistakes(problem: Problem, right: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield tags, each with the fields of an answer that may show it.

    A problem that is not bundled is tried with the answers to the bundled ones of its kind that
    have the same fields.
    """
    entries = _read(problem.kind)
    own = [one for one in entries if one["problem"] == problem.id]
    others = (one for one in entries if _fits(one, right))
    for entry in own or islice(others, MOST_OF_OTHERS):
        if "instead" in entry:
            yield entry["tag"], {"file": f"{right['file'].rstrip()}\n\n\n{entry['instead']}"}
        else:
            yield entry["tag"], entry["answer"]


def _fits(entry: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Whether an answer to another problem has the fields, or the function, that are asked for."""
    if "instead" in entry:
        names = _FUNCTION.findall(entry["instead"])
        return any(f"def {name}(" in right["file"] for name in names)
    return set(entry["answer"]) <= set(right)


@cache
def _read(kind: str) -> list[dict[str, Any]]:
    path = resources.files("regard.grading") / "shown" / f"{kind}.toml"
    if not path.is_file():
        return []
    found: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["shown"]
    return found
