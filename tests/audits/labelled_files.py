"""The labelled answers, and the problems that they change.

Those of `labelled/KIND.toml` are said once more in NumPy; those of `labelled_unseen/KIND.toml` are
labelled from the statements of the problems alone; those of `labelled_typed/KIND.toml` are written
as people type: LaTeX, NumPy, Greek letters, words; those of `labelled_class/KIND.toml` are what a
class hands in, for all kinds but code; those of `labelled_edges/KIND.toml` are right in unusual ways
and wrong by little; those of `labelled_hard/KIND.toml` grow late, cancel, lie at the very edge or are
spelled in other ways.
"""

from __future__ import annotations

import copy
import functools
import tomllib
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LIBRARY = HERE.parents[1] / "src" / "regard" / "problems" / "library"
FOLDERS = (
    "labelled",
    "labelled_unseen",
    "labelled_typed",
    "labelled_class",
    "labelled_edges",
    "labelled_hard",
)
KINDS = sorted({path.stem for folder in FOLDERS for path in (HERE / folder).glob("*.toml")})


@functools.cache
def read(kind: str, folder: str = FOLDERS[0]) -> dict[str, Any]:
    """The file of a kind; not every folder has every kind."""
    path = HERE / folder / f"{kind}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {"answers": []}


@functools.cache
def bundled(name: str) -> dict[str, Any]:
    return tomllib.loads((LIBRARY / f"{name}.toml").read_text(encoding="utf-8"))


def problem(file: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a bundled problem, or one that the file makes of it: given and goal with changes."""
    change = file.get("problems", {}).get(name)
    if change is None:
        return bundled(name)
    changed = copy.deepcopy(bundled(change["base"]))
    changed["id"] = name
    for part in ("given", "goal"):
        changed[part].update(change.get(part, {}))
    for path in change.get("drop", []):
        part, key = path.split(".")
        changed[part].pop(key)
    changed["statement"] = change.get("statement", changed["statement"])
    return changed


def entries(kind: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return each answer of a kind with an id and its problem."""
    files = {folder: read(kind, folder) for folder in FOLDERS}
    return [
        (
            f"{folder}-{at}-{entry['problem']}-{entry['label']}",
            problem(file, entry["problem"]),
            entry,
        )
        for folder, file in files.items()
        for at, entry in enumerate(file["answers"])
    ]


def cases(*kinds: str, needs: str = "why") -> list[Any]:
    """Return (problem, entry) for each answer; one of 24 in the ordinary suite, all in the slow one."""
    return [
        pytest.param(
            problem, entry, id=f"{kind}-{name}", marks=[pytest.mark.slow] if number % 24 else []
        )
        for kind in kinds
        for number, (name, problem, entry) in enumerate(entries(kind))
        if needs in entry
    ]
