"""The sizes that an answer names, such as N × D_K."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.verdict import GoalResult
from regard.errors import InvalidAnswer
from regard.kinds.identity.spec import IdentityProblem
from regard.language import Formula

WEIGHT = 0.5  # of sizes, beside a formula
Stated = dict[str, tuple[str, ...]]
_BETWEEN = re.compile(r"\s*(?:\bx\b|×|\*|\\times|\bby\b|,)\s*")


@dataclass(frozen=True)
class ShapeResult:
    """What was found about the sizes of one formula.

    Attributes:
        name: of the formula.
        stated: the sizes that the answer names; none if it leaves them out.
        goal: whether they are right.
        tag: what they look like if not, or "".
    """

    name: str
    stated: tuple[str, ...]
    goal: GoalResult
    tag: str


def read_shapes(problem: IdentityProblem, answer: Answer) -> Stated:
    """Return the sizes that an answer names, by formula.

    Raises:
        InvalidAnswer: they cannot be read, or are about something that is not asked for.
    """
    claims = [claim.name for claim in problem.goal.claims]
    known = problem.given.size_names
    found: Stated = {}
    if answer.has("shape"):
        if len(claims) > 1:
            raise InvalidAnswer(f"answer: shape of which of {', '.join(claims)}? Use shapes.")
        found[claims[0]] = _sizes("shape", answer.need("shape"), known)
    if answer.has("shapes"):
        table = answer.need("shapes")
        if not isinstance(table, Mapping):
            raise InvalidAnswer('answer: shapes must be a table, such as { Q = ["N", "D"] }.')
        for name, field in table.items():
            if name not in claims:
                raise InvalidAnswer(
                    f"answer: shapes.{name} is not asked for: use {', '.join(claims)}."
                )
            found[name] = _sizes(f"shapes.{name}", field, known)
    return found


def _sizes(name: str, field: Any, known: set[str]) -> tuple[str, ...]:
    if isinstance(field, Formula):
        text = field.text.strip().strip("()[]")
        parts = [part for part in _BETWEEN.split(text) if part]
    elif isinstance(field, np.ndarray) and field.ndim == 1:
        parts = [f"{size:g}" for size in field]
    elif isinstance(field, float):
        parts = [f"{field:g}"]
    elif isinstance(field, list):
        parts = [str(part) if isinstance(part, Formula) else f"{part:g}" for part in field]
    else:
        raise InvalidAnswer(f'answer: {name} must be a list of sizes, such as ["N", "D"].')
    parts = [re.sub(r"[{}$\\]", "", part).strip() for part in parts]
    for part in parts:
        if part not in known and not part.isdigit():
            raise InvalidAnswer(
                f"answer: {name}: {part} is no size here. Sizes are {', '.join(sorted(known))}."
            )
    return tuple(parts)


def judge_shapes(problem: IdentityProblem, stated: Stated) -> list[ShapeResult]:
    """Judge the sizes of each formula; numbers are those of the example."""
    given = problem.given
    sizes = given.known_sizes()
    results = []
    for claim in problem.goal.claims:
        if claim.shape is None:
            continue
        name = f"the sizes of {claim.name}"
        if claim.name not in stated:
            sentence = "they are asked for, and the answer does not say them"
            missing = GoalResult(name, "this", False, sentence, weight=WEIGHT)
            results.append(ShapeResult(claim.name, (), missing, ""))
            continue
        parts, wanted = stated[claim.name], tuple(claim.shape)

        def fits(
            parts: tuple[str, ...] = parts, wanted: tuple[str, ...] = wanted, turn: int = 1
        ) -> bool:
            there = parts[::turn]
            return len(there) == len(wanted) and all(
                part == name or part == str(sizes.get(name))
                for part, name in zip(there, wanted, strict=True)
            )

        passed = fits()
        shown = " × ".join(parts)
        sentence = shown if passed else f"{shown} is stated, and it is {' × '.join(wanted)}"
        goal = GoalResult(name, "this", passed, sentence, weight=WEIGHT)
        tag = "shape-swapped" if fits(turn=-1) else "other-shape"
        results.append(ShapeResult(claim.name, parts, goal, tag))
    return results
