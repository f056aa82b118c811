"""What a factor C is tried with: the largest numbers there are, or all that an answer allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.checking.offset.asked import Asked, holds
from regard.checking.offset.positions import Place, missed
from regard.errors import InvalidAnswer
from regard.language import Formula

LARGEST = 1e15  # of an entry of A: beyond it float64 tells no two scores apart
OPEN = 10.0 ** np.arange(16)
RANGE = 10.0 ** np.linspace(-3, 15, 181)


def largest(asked: Asked) -> tuple[float, ...]:
    """Return the two largest factors with which A is not too large: C, exp(C) and C^0.1 differ."""
    found = [factor for factor in OPEN.tolist() if _usable(asked, factor)]
    return tuple(found[-2:]) or (float(OPEN[0]),)


def within(asked: Asked, bounds: Formula) -> tuple[float, ...]:
    """Return factors within bounds such as C >= 10: the ends, the middle, and one that fails.

    Raises:
        InvalidAnswer: no number is within them.
    """
    place = _small(asked)
    inside = np.array([holds(bounds, place, factor) for factor in RANGE.tolist()])
    factors = RANGE[inside].tolist()
    for at in np.flatnonzero(inside[1:] != inside[:-1]).tolist():
        factors.append(_edge(bounds, place, float(RANGE[at]), float(RANGE[at + 1])))
    tried = sorted(factor for factor in factors if _usable(asked, factor))
    if not tried:
        raise InvalidAnswer("answer: C: no number is within these bounds.")
    failing = [f for f in tried if missed(asked.matrix(place, f), place) != 0]
    return tuple(sorted({tried[0], tried[len(tried) // 2], tried[-1], *failing[:1]}))


def is_linear(asked: Asked, place: Place) -> bool:
    """Whether A grows with the factor C as C itself does."""
    once = asked.matrix(place, 1.0)
    many = [np.allclose(asked.matrix(place, f), f * once, rtol=1e-9) for f in asked.factors]
    return all(many)


def _edge(bounds: Formula, place: Place, low: float, high: float) -> float:
    """Return the last number within the bounds, between one that is and one that is not."""
    wanted = holds(bounds, place, low)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(bounds, place, middle) == wanted else (low, middle)
    return low if wanted else high


def _usable(asked: Asked, factor: float) -> bool:
    with np.errstate(all="ignore"):
        entries = np.abs(asked.matrix(_small(asked), factor))
    return bool(np.all(entries <= LARGEST))


def _small(asked: Asked) -> Place:
    """A place with few blocks, in which every formula can be evaluated."""
    here = asked.here
    if asked.listed:
        return here
    return replace(here, d_model=min(4, here.d_model), n=max(here.n, abs(here.T) + 2))
