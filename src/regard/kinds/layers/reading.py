"""The matrices of an answer, with an open factor tried at large numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from regard.checking.answers import Answer, without_name
from regard.checking.matrices import matrix, shape_words, with_own_names
from regard.checking.open_factor import FACTOR, settled
from regard.errors import InvalidAnswer
from regard.kinds.layers.instance import NAMES, Float64, Stream
from regard.kinds.layers.spec import LayersProblem

RESOLVED = 1e10  # an entry up to which scores that are equal do not differ by rounding
LARGEST = 1e15  # of an entry of the scores: beyond it float64 tells no two of them apart


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem and the matrices that an answer gives.

    Attributes:
        stream: the sequences.
        answer: what was answered.
        factors: what an open factor C is tried with; () where there is none.
    """

    stream: Stream
    answer: Answer
    factors: tuple[float, ...] = ()

    def matrices(self, factor: float) -> dict[str, Float64]:
        """Return the matrices by name; InvalidAnswer where they do not fit."""
        d, symbols = self.stream.d, self.stream.symbols()
        if self.factors:
            symbols[FACTOR] = factor
        known = with_own_names(self.answer, self.answer.beside(*NAMES), symbols)
        found = {}
        for name in NAMES:
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


def read(problem: LayersProblem, answer: Answer) -> Asked:
    """Return the matrices of an answer; InvalidAnswer where some are missing or do not fit."""
    for name in NAMES:
        answer.need(name)
    asked = Asked(Stream(problem), answer)
    if FACTOR not in answer.used or answer.has(FACTOR):
        asked.matrices(1.0)
        return asked
    tried = replace(asked, factors=(1.0,))

    def right(factors: tuple[float, ...]) -> bool:
        errors = [np.max(tried.stream.errors(tried.matrices(factor))) for factor in factors]
        return bool(np.all(np.array(errors) <= problem.goal.tolerance))

    found = settled(right, lambda factor: _size(tried, factor), RESOLVED, LARGEST)
    return replace(asked, factors=found or (1.0,))


def _size(asked: Asked, factor: float) -> float:
    """Return a bound on the size of a score; infinite where a number is not finite."""
    with np.errstate(all="ignore"):
        found = asked.matrices(factor)
        sizes = [float(np.sum(np.abs(m))) for m in found.values()]
        scores = max(sizes[0] * sizes[1], sizes[3] * sizes[4])
    return scores if np.all(np.isfinite(sizes)) else float("inf")
