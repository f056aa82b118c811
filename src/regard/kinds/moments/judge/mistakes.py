"""What wrong moments come from: an answer beside the numbers that misconceptions lead to."""

from __future__ import annotations

import math

import numpy as np

from regard.checking.misconceptions import misconception
from regard.checking.verdict import Misconception
from regard.kinds.moments.judge.asked import EXACT, Asked
from regard.kinds.moments.judge.laws import Symbols

FIRST, DRAWN = 1000, 12  # seeds of the values of the symbols on which a misconception has to show


def recognise(asked: Asked, wrong: list[str]) -> Misconception | None:
    """Name the first misconception that leads to the numbers of a field that is wrong."""
    for name in wrong:
        places = [asked.law.plain(), *asked.drawn(name, FIRST, DRAWN)]
        values = np.array([asked.value(name, at) for at in places])
        if not np.all(np.isfinite(values)):
            return misconception("not-finite")
        tag = _mistaken(asked, name, places) or _by_a_factor(asked, name, values, places)
        if tag is not None:
            return misconception(tag)
        if asked.compared(name, places[0]).agrees and np.all(values == values[0]):
            return misconception("numbers-instead-of-formula")
    return None


def _mistaken(asked: Asked, name: str, places: list[Symbols]) -> str | None:
    """Return the first tag whose numbers the answer has everywhere."""
    found = [asked.law.mistaken(at) for at in places]
    for row, (tag, first) in enumerate(found[0]):
        if name in first and all(
            math.isfinite(one[row][1][name]) and asked.compared(name, at, one[row][1][name]).agrees
            for at, one in zip(places, found, strict=True)
        ):
            return tag
    return None


def _by_a_factor(asked: Asked, name: str, values: np.ndarray, places: list[Symbols]) -> str | None:
    """Return a tag where a field is the same multiple of what is right everywhere."""
    if len(places) < 2:
        return None
    right = np.array([asked.law.right(at)[name] for at in places])
    with np.errstate(all="ignore"):
        ratios = values / right
    if not np.all(np.isfinite(ratios)) or not ratios[0]:
        return None
    if not np.all(np.abs(ratios / ratios[0] - 1) <= EXACT):
        return None
    return "sign-error" if abs(ratios[0] + 1) <= EXACT else "extra-factor"
