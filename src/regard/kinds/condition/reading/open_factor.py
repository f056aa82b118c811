"""An open C in a condition: it has to do for every C that is large enough, however it grows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.kinds.condition.reading import Asked
from regard.kinds.condition.reading.trials import asked_gap, is_right

LADDER = tuple(float(10.0**k) for k in (0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 300))
OF_KEYS = LADDER[:7]
ORDINARY = 100.0
FINE = 6  # steps between two rungs, to tell from which C on it does


def with_factor(asked: Asked) -> tuple[Asked, float | None]:
    """Return the condition with a number for an open C, and from which C on it is right, or None.

    Where it is right for every large C that it can be met with, the number is the smallest of
    those; otherwise it is one for which it is wrong. The ladder ends where gaps pass 1e15.
    """
    if asked.factor is None:
        return asked, None
    ladder = OF_KEYS if asked.about_keys else LADDER
    options = [replace(asked, factor=C) for C in ladder]
    if not asked.about_keys:
        options = [one for one in options if asked_gap(one) is not None] or options[:1]
    if not is_right(_plain(options[-1])):
        # Shown with an ordinary number, if it is wrong with that as well.
        ordinary = next((one for one in options if one.factor == ORDINARY), options[-1])
        return (options[-1] if is_right(_plain(ordinary)) else ordinary), None
    low, high = -1, len(options) - 1  # wrong at low, or below the first; right from high on
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_right(_plain(options[middle])) else (middle, high)
    if low < 0:
        return options[0], options[0].factor
    chosen = options[high]
    between = np.geomspace(options[low].factor or 1.0, chosen.factor or 1.0, FINE + 2)[1:-1]
    for C in between[::-1].tolist():
        option = replace(asked, factor=C)
        if not is_right(_plain(option)):
            break
        chosen = option
    return chosen, chosen.factor


def _plain(asked: Asked) -> Asked:
    """The same with sufficiency alone in question: an open C is no exact number."""
    goal = asked.problem.goal.model_copy(update={"exact": False})
    return replace(asked, problem=asked.problem.model_copy(update={"goal": goal}))
