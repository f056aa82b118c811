"""One hint for each misconception: what to look at next, out of `hints.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources


def hint(tag: str) -> str:
    """Return what to try after an answer with this misconception; "" where nothing is known.

    >>> hint("rounded-too-early")
    'Keep six digits until the last line, and round only there.'
    """
    return _hints().get(tag, "")


@cache
def _hints() -> dict[str, str]:
    text = (resources.files("regard.checking") / "hints.toml").read_text("utf-8")
    return {tag: one["say"] for one in tomllib.loads(text)["hint"] for tag in one["tags"]}
