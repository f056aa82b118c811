"""What a scene is: `static/scenes/NAME.json` says what it is about, `NAME.js` draws it.

The JSON has `title`, `sentence`, `order` (on the first page), `state` (how it begins), `asks`
(which questions it asks: the name of the question, and which parts of the state are its arguments)
and `story` (texts, each with the parts of the state that differ from the beginning).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from regard.errors import ParameterError
from regard.lab.table import Answer, Refused, ask

STATIC: Traversable = resources.files("regard.lab") / "static"


@cache
def names() -> tuple[str, ...]:
    """Return the names of all scenes, in the order of the first page."""
    folder = STATIC / "scenes"
    found = [p.name.removesuffix(".json") for p in folder.iterdir() if p.name.endswith(".json")]
    return tuple(sorted(found, key=lambda name: (_read(name)["order"], name)))


@cache
def _read(name: str) -> Mapping[str, Any]:
    told: dict[str, Any] = json.loads((STATIC / "scenes" / f"{name}.json").read_text("utf-8"))
    return told | {"name": name}


def about(name: str) -> dict[str, Any]:
    """Return what the JSON of a scene says, and its name.

    Raises:
        ParameterError: there is no such scene.
    """
    if name not in names():
        raise ParameterError(
            f"lab.Scene: there is no scene {name!r}. Use one of {', '.join(names())}."
        )
    return json.loads(json.dumps(_read(name)))  # a copy, that nobody shares


def asked(
    told: Mapping[str, Any], state: Mapping[str, Any]
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the questions that a scene asks in a state: by label, the name and the arguments.

    A part of the state that is missing or null is left out, so that the question's default counts.
    `kit/ask.js` does the same.
    """
    return {
        label: (
            one["question"],
            {part: state[part] for part in one["from"] if state.get(part) is not None},
        )
        for label, one in told["asks"].items()
    }


def answered(told: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Answer | Refused]:
    """Ask what a scene asks in a state; what is refused is there with its sentence."""
    found: dict[str, Answer | Refused] = {}
    for label, (question, arguments) in asked(told, state).items():
        try:
            found[label] = ask(question, arguments)
        except Refused as refused:
            found[label] = refused
    return found


def recorded(told: Mapping[str, Any], state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a page without an engine needs: each question of a state with its answer."""
    found = answered(told, state)
    records = []
    for label, (question, arguments) in asked(told, state).items():
        said = found[label]
        told_as = {"problem": str(said)} if isinstance(said, Refused) else {"answer": said.data}
        records.append({"ask": question, "arguments": arguments, **told_as})
    return records


def story_states(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the state that each step of the story shows."""
    return [{**told["state"], **step.get("state", {})} for step in told["story"]]
