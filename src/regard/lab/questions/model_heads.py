"""Read every head of a model: what each looks at and how clearly, the striking ones first.

Models are regard's own demonstration and those that the lab was started with, by their names.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from regard.lab.arguments import Arguments
from regard.lab.table import Answer

SECONDS = 600.0  # a model of many layers takes a while, once
MOST_HEADS = 400

ModelName = Annotated[str, Field(min_length=1, max_length=200)]


class Asked(Arguments):
    """The name of the model, and whether heads are read from weights or on repeated tokens."""

    model: ModelName = "demonstration"
    read: Literal["weights", "tokens"] = "tokens"


def answer(asked: Asked) -> Answer:
    """Return a row and a small map of each head, and how many have each label."""
    from regard.lab.models.offered_models import inspected, offered_models, path_of
    from regard.models.gallery import shade_paths

    found = inspected(asked.model, asked.read == "tokens")
    rows: list[dict[str, Any]] = [
        {
            "name": one.name,
            "label": one.label,
            "kind": one.verdict.name,
            "T": one.verdict.T,
            "strength": one.strength,
            "shades": shade_paths(_pattern(one)),
        }
        for one in found.striking[:MOST_HEADS]
    ]
    return Answer(
        {
            "models": offered_models(),
            "path": path_of(asked.model),
            "about": found.model,
            "heads": rows,
            "count": len(found.heads),
            "counts": found.counts,
            "tokens": found.tokens,
            "notes": found.notes,
            "cells": len(_pattern(found.heads[0])),
        },
        found,
    )


def _pattern(one: Any) -> Any:
    return one.pattern if one.seen_pattern is None else one.seen_pattern
