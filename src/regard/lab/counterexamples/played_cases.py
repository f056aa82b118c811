"""Where a counterexample can be played: the scene that it belongs to, and the state it opens in.

A case goes to a scene only if what the scene computes there is what the counterexample says.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from regard.lab.counterexamples.played_heads import in_steps, kept_as_written
from regard.lab.counterexamples.played_pictures import (
    Array,
    Scale,
    State,
    in_the_plane,
    positions,
    two_lines,
    with_new_key,
)


def scene_of(
    arrays: Mapping[str, Any], scale: Scale, given: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Return which scene can show a counterexample, and its state; None if none can.

    Args:
        arrays: those of the counterexample, by their names.
        scale: what the problem multiplies scores by; None: it does not say.
        given: numbers that stand in the problem and not in the counterexample.
    """
    from regard.lab import scenes

    written = dict(arrays)
    if any(name.endswith(" computed") for name in arrays):
        written = {**(given or {}), **arrays}
    found = {name: numbers for name in written if (numbers := _numbers(written[name])) is not None}
    found = dict(with_new_key(found))
    ways = {
        "where-to-look": in_the_plane,
        "split-subspaces": two_lines,
        "positions": positions,
        "step-by-step": in_steps,
    }
    for scene, way in ways.items():
        state = way(found, scale) if scene in scenes.names() else None
        if state is None:
            continue
        state |= {
            part: written[name] for part, name in kept_as_written(found).items() if part in state
        }
        if _can_be_shown(scene, state):
            return {"scene": scene, "state": state}
    return None


def _numbers(value: Any) -> Array | None:
    """An array of finite numbers, where "1/3" is one; None for anything else."""
    try:
        found = np.array(value)
        if found.dtype.kind in "US":
            found = np.array([float(Fraction(str(cell))) for cell in found.flat]).reshape(
                found.shape
            )
        numbers = found.astype(np.float64)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return numbers if np.all(np.isfinite(numbers)) else None


def _can_be_shown(scene: str, state: State) -> bool:
    """Whether every question of the scene is answered in that state."""
    from regard.lab import scenes
    from regard.lab.table import Refused, ask

    about = scenes.about(scene)
    whole = about["state"] | state
    try:
        for asked in about["asks"].values():
            given = {part: whole[part] for part in asked["from"] if whole[part] is not None}
            ask(asked["question"], given)
    except Refused:
        return False
    return True
