"""Which blocks an answer zeroes, found block by block, however it says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from regard.checking.answers import Answer, evaluate
from regard.checking.attempt import Attempt
from regard.checking.matrices import with_own_names
from regard.errors import InvalidAnswer
from regard.kinds.band.instance import Bools, Window, window_of
from regard.kinds.band.spec import BandProblem
from regard.language import Formula
from regard.problems.positions import Float64
from regard.report import number

SLACK = 1e-9  # of a phase: a border at π/4 exactly is in the range that begins there


@dataclass(frozen=True, eq=False)
class Asked(Attempt[BandProblem]):
    """A problem, and what an answer zeroes."""

    @property
    def here(self) -> Window:
        """The window of the problem."""
        return window_of(self.problem.given)

    @property
    def listed(self) -> bool:
        """Whether the answer is a list of blocks, and not a condition."""
        field = self.answer.fields["zeroed"]
        return not (isinstance(field, Formula) and field.is_condition)

    @property
    def varied(self) -> tuple[str, ...]:
        """What the answer is about any number of: d_model, B or T."""
        named = {"d_model": {"w_i", "omega_i", "d_model"}, "B": {"B"}, "T": {"T"}}
        used = frozenset[str]() if self.listed else self.answer.used
        return tuple(name for name, marks in named.items() if used & marks)

    def zeroed(self, window: Window, changed: Mapping[str, float] | None = None) -> Bools:
        """Return which blocks are zeroed, (d_model/2,); `changed` gives names other numbers."""
        if self.listed:
            return self._listed(window.d_model // 2)
        own = self.answer.beside("zeroed")
        found = []
        for i in range(window.d_model // 2):
            symbols = window.symbols | window.of_block("i", i) | dict(changed or {})
            names = with_own_names(self.answer, own, symbols)
            found.append(evaluate("zeroed", self.answer.fields["zeroed"], names))
        return np.array(found, dtype=bool)

    def _listed(self, count: int) -> Bools:
        numbers = _indices(self.answer)
        for x in numbers.tolist():
            if not (0 <= x < count and x == int(x)):
                raise InvalidAnswer(
                    f"answer: zeroed: {number(x)} is no block. Blocks are numbered from 0 to "
                    f"{count - 1}, each of two rows and two columns of A."
                )
        return np.isin(np.arange(count), numbers)

    def borders(self, window: Window) -> tuple[int, int]:
        """Return the fewest and the most blocks, from the fastest on, that may be zeroed."""
        low, high = self.problem.goal.accept
        phases = window.phases
        return int(np.sum(phases > high * (1 + SLACK))), int(np.sum(phases > low * (1 - SLACK)))

    def error(self, window: Window) -> float:
        """Return how many blocks are zeroed or kept and should not be."""
        return self.off(window, self.zeroed(window))

    def off(self, window: Window, zeroed: Bools) -> float:
        """Return by how many blocks a choice is away from the nearest right one."""
        return float(np.sum(zeroed != self.nearest(window, zeroed)))

    def nearest(self, window: Window, zeroed: Bools) -> Bools:
        """Return the right choice that differs from this one in the fewest blocks."""
        fewest, most = self.borders(window)
        options = [np.arange(len(zeroed)) < m for m in range(fewest, most + 1)]
        return min(options, key=lambda right: int(np.sum(zeroed != right)))


def _indices(answer: Answer) -> Float64:
    """Return the numbers of a list of blocks; InvalidAnswer where it is none."""
    field = answer.fields["zeroed"]
    if isinstance(field, Formula) and not field.names:
        field = evaluate("zeroed", field, {})
    if isinstance(field, float):
        field = np.array([field])
    if isinstance(field, list) and not field:
        field = np.zeros(0)
    if not isinstance(field, np.ndarray) or field.ndim != 1:
        raise InvalidAnswer(
            "answer: zeroed must be a condition on i such as w_i B/2 > pi/2, or a list of blocks."
        )
    return field


def read(problem: BandProblem, answer: Answer) -> Asked:
    """Return what an answer zeroes; InvalidAnswer where it does not say."""
    answer.need("zeroed")
    return Asked(problem, answer)
