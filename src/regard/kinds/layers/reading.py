"""The matrices of an answer, with an open factor tried at large numbers.

One layer may grow much later than the other. Once its scores are as large as float64 tells apart,
the earlier one has got where it gets to: it stays there while C grows on in the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from regard.checking.answers import Answer, evaluate, without_name
from regard.checking.factors.open_factor import FACTOR, largest, lower, settled
from regard.checking.factors.stated_factor import said_of_factor, within
from regard.checking.matrices import matrix, shape_words, with_own_names
from regard.errors import InvalidAnswer
from regard.kinds.layers.instance import NAMES, Float64, Stream
from regard.kinds.layers.spec import LayersProblem

FIRST = ("K_1", "Q_1")
RESOLVED = 1e10  # an entry up to which scores that are equal do not differ by rounding
LARGEST = 1e15  # of an entry of the scores: beyond it float64 tells no two of them apart


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem and the matrices that an answer gives.

    Attributes:
        stream: the sequences.
        answer: what was answered.
        factors: what an open factor C is tried with; () where there is none.
        most: the largest C in the scores of layer 1, and in all else.
        bounded: whether the answer says which C is meant.
    """

    stream: Stream
    answer: Answer
    factors: tuple[float, ...] = ()
    most: tuple[float | None, float | None] = (None, None)
    bounded: bool = False

    def matrices(self, factor: float) -> dict[str, Float64]:
        """Return the matrices by name; InvalidAnswer where they do not fit."""
        d = self.stream.d
        first, rest = (self._known(lower(factor, most)) for most in self.most)
        found = {}
        for name in NAMES:
            known = first if name in FIRST else rest
            array = matrix(name, without_name(name, self.answer.need(name)), known, d)
            if array.ndim == 1 and len(array) == d:
                array = array[None]  # p_1 for p_1'
            if array.ndim != 2 or array.shape[1] != d:
                raise InvalidAnswer(
                    f"answer: {name} is {shape_words(array)} and must have {d} columns, as x has "
                    "rows."
                )
            if name.startswith("V") and len(array) != d:
                raise InvalidAnswer(f"answer: {name} must have {d} rows. It has {len(array)}.")
            found[name] = np.asarray(array, float)
        for layer in (1, 2):
            K, Q = found[f"K_{layer}"], found[f"Q_{layer}"]
            if len(K) != len(Q):
                raise InvalidAnswer(
                    f"answer: K_{layer} has {len(K)} rows and Q_{layer} has {len(Q)}: they must "
                    "have as many."
                )
        return found

    def _known(self, factor: float) -> dict[str, Any]:
        symbols = self.stream.symbols()
        if self.factors:
            symbols[FACTOR] = factor
        return dict(with_own_names(self.answer, self.answer.beside(*NAMES), symbols))


def read(problem: LayersProblem, answer: Answer) -> Asked:
    """Return the matrices of an answer; InvalidAnswer where some are missing or do not fit."""
    for name in NAMES:
        answer.need(name)
    answer, bounds = said_of_factor(answer)
    asked = Asked(Stream(problem), answer)
    if FACTOR not in answer.used or answer.has(FACTOR):
        asked.matrices(1.0)
        return asked
    tried = replace(asked, factors=(1.0,))

    if bounds is not None:
        evaluated = partial(evaluate, symbols=asked.stream.symbols())
        found = within(bounds, lambda C: max(_sizes(tried, C)), RESOLVED, evaluated)
        return replace(asked, factors=found, bounded=True)

    def right(factors: tuple[float, ...]) -> bool:
        return _right(tried, factors)

    found = settled(right, lambda factor: max(_sizes(tried, factor)), RESOLVED, LARGEST)
    if found and not right(found):
        ends = [largest(partial(_size, tried, layer), RESOLVED, 2) for layer in (0, 1)]
        if all(ends):
            one, two = (end[-1] for end in ends)
            apart = replace(tried, most=(one, two))
            later = ends[0] if lower(one, two) is two else ends[1]
            if _right(apart, later):
                return replace(apart, factors=later)
    return replace(asked, factors=found or (1.0,))


def _right(asked: Asked, factors: tuple[float, ...]) -> bool:
    errors = [np.max(asked.stream.errors(asked.matrices(factor))) for factor in factors]
    return bool(np.all(np.array(errors) <= asked.stream.problem.goal.tolerance))


def _size(asked: Asked, layer: int, factor: float) -> float:
    return _sizes(asked, factor)[layer]


def _sizes(asked: Asked, factor: float) -> tuple[float, float]:
    """Return bounds on the scores of each layer; infinite where a number is not finite."""
    with np.errstate(all="ignore"):
        found = asked.matrices(factor)
        sizes = {name: float(np.sum(np.abs(found[name]))) for name in NAMES}
        first, second = (sizes[f"K_{layer}"] * sizes[f"Q_{layer}"] for layer in (1, 2))
        values = sizes["V_1"] + sizes["V_2"]
    first, second = (one if np.isfinite(one) else float("inf") for one in (first, second))
    return first, second if np.isfinite(values) else float("inf")
