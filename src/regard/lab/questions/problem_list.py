"""List the problems that an answer can be checked for, by collection."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from regard.lab.arguments import Arguments
from regard.lab.table import Answer


class Asked(Arguments):
    """One collection by its name; without it, all."""

    collection: Annotated[str, Field(min_length=1, max_length=80)] | None = None


def answer(asked: Asked) -> Answer:
    """Return titles and ids; a problem whose answer is code is left out."""
    from regard.problems import load
    from regard.problems.problem_sets import collection, collections

    names = collections() if asked.collection is None else (asked.collection,)
    found = [collection(name) for name in names]
    data = {
        "collections": [
            {
                "name": one.name,
                "title": one.title,
                "problems": [
                    {"label": part.label, "id": part.problem, "title": load(part.problem).title}
                    for part in one.parts
                    if load(part.problem).kind != "code"
                ],
            }
            for one in found
        ]
    }
    return Answer(data, tuple(one.name for one in found))
