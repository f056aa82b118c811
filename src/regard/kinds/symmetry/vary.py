"""The same question with other letters."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from regard.kinds.symmetry.spec import SymmetryProblem
from regard.problems import to_dict

LETTERS = ("A", "B", "G", "H", "J", "R", "T", "Z")
_MATH = re.compile(r"\$[^$]*\$|`[^`]*`")
SMALL = ("a", "b", "g", "h", "r", "t", "v", "z")


def vary(problem: SymmetryProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return the problem with other letters for symbols of one letter, wherever they stand."""
    data = to_dict(problem)
    parts = {"given": data["given"], "goal": data["goal"]}
    text = json.dumps(parts)
    used = set(re.findall(r"[A-Za-z]+", f"{text} {problem.statement}"))
    # A letter that stands in the text by itself, as in "which W", cannot be told from a word.
    plain = set(re.findall(r"[A-Za-z]+", _MATH.sub(" ", problem.statement)))
    short = [
        name
        for name in (*problem.given.shapes, problem.unknown)
        if len(name) == 1 and name not in plain
    ]
    names: dict[str, str] = {}
    for name in short:
        pool = [one for one in (LETTERS if name.isupper() else SMALL) if one not in used]
        pool = [one for one in pool if one not in names.values()]
        if pool and rng.random() < 0.7:
            names[name] = str(rng.choice(pool))
    if not names:
        return parts
    word = re.compile(rf"(?<![A-Za-z0-9_\\])({'|'.join(names)})(?![A-Za-z0-9_])")
    found: dict[str, Any] = json.loads(word.sub(lambda match: names[match[1]], text))

    def renamed(formula: re.Match[str]) -> str:
        return word.sub(lambda match: names[match[1]], formula[0])

    return {**found, "statement": _MATH.sub(renamed, problem.statement)}
