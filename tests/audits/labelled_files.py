"""The labelled answers: `labelled/KIND.toml`, and the problems that they change."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LIBRARY = HERE.parents[1] / "src" / "regard" / "problems" / "library"
KINDS = sorted(path.stem for path in (HERE / "labelled").glob("*.toml"))


def read(kind: str) -> dict[str, Any]:
    return tomllib.loads((HERE / "labelled" / f"{kind}.toml").read_text(encoding="utf-8"))


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
    return changed


def entries(kind: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return each answer of a kind with an id and its problem."""
    file = read(kind)
    return [
        (f"{number}-{entry['problem']}-{entry['label']}", problem(file, entry["problem"]), entry)
        for number, entry in enumerate(file["answers"])
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
