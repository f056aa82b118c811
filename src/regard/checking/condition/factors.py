"""An open C in a condition: it has to do for every C that is large enough, however it grows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.checking.condition.reading import Asked
from regard.checking.condition.scores import asked_gap
from regard.checking.condition.truth import is_right

LADDER = tuple(float(10.0**k) for k in (0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 300))
OF_KEYS = LADDER[:7]
FINE = 12  # steps between two rungs, to tell from which C on it does


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
    first = len(options)
    while first and is_right(_plain(options[first - 1])):
        first -= 1
    if first == len(options):
        return options[-1], None
    high = options[first].factor or 1.0
    if first == 0:
        return options[0], high
    for C in np.geomspace(options[first - 1].factor or 1.0, high, FINE).tolist()[1:-1]:
        if is_right(_plain(replace(asked, factor=C))):
            return replace(asked, factor=C), C
    return options[first], high


def _plain(asked: Asked) -> Asked:
    """The same with sufficiency alone in question: an open C is no exact number."""
    goal = asked.problem.goal.model_copy(update={"exact": False})
    return replace(asked, problem=asked.problem.model_copy(update={"goal": goal}))
