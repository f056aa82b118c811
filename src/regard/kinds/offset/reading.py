"""The blocks that an answer gives, put together to a matrix A wherever they are tried.

A factor C that is left open is tried with the largest numbers there are, one with bounds with what
they allow.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from regard.checking.answers import Answer, evaluate, without_name
from regard.checking.attempt import Attempt
from regard.checking.factors.open_factor import FACTOR, largest
from regard.checking.matrices import matrix, shape_words, with_own_names
from regard.checking.numbers.stated_numbers import stated
from regard.errors import InvalidAnswer
from regard.kinds.offset.instance import Place, missed
from regard.kinds.offset.spec import OffsetProblem
from regard.language import Formula
from regard.problems.positions import Float64

FIELDS = ("block", "off_block")
MOST_BLOCKS, SOME = 1024, 32  # off the diagonal
LARGEST = 1e15  # of an entry of A: beyond it float64 tells no two scores apart
RANGE = 10.0 ** np.linspace(-3, 15, 181)


@dataclass(frozen=True, eq=False)
class Asked(Attempt[OffsetProblem]):
    """A problem, and the blocks that an answer gives.

    Attributes:
        told: the symbols whose numbers the statement tells.
        factors: what an open factor C is tried with; () where there is none.
        known: matrices that were put together before.
    """

    told: frozenset[str]
    factors: tuple[float, ...] = ()
    known: dict[tuple[Place, float], Float64] = field(default_factory=dict, repr=False)

    @property
    def here(self) -> Place:
        """The positions of the problem."""
        given = self.problem.given
        return Place(given.d_model, given.n, given.T, given.base)

    @property
    def listed(self) -> bool:
        """Whether the blocks are listed one by one, and so belong to one d_model."""
        block = self.answer.fields["block"]
        return isinstance(block, np.ndarray) and block.ndim == 3

    @property
    def one_width(self) -> bool:
        """Whether the answer is made for one d_model."""
        used = self.answer.used
        return self.listed or ("i" in used and "d_model" not in used)

    @property
    def any_width(self) -> bool:
        """Whether it has to do for any d_model: one that is not told is a symbol."""
        return not (self.one_width and "d_model" in self.told)

    @property
    def any_shift(self) -> bool:
        """Whether it has to do for any T."""
        return "T" in self.answer.used or "T" not in self.told

    def fits(self, place: Place) -> bool:
        """Whether there are as many blocks as a place has."""
        return not self.listed or place.d_model == self.here.d_model

    def matrix(self, place: Place, factor: float | None = None) -> Float64:
        """Return A (d_model, d_model), with the largest factor where none is said."""
        if factor is None:
            factor = self.factors[-1] if self.factors else 1.0
        about = place if "n" in self.answer.used else replace(place, n=0)
        if (about, factor) not in self.known:
            self.known[about, factor] = self._assembled(place, factor)
        return self.known[about, factor]

    def error(self, place: Place) -> float:
        """Return the weight that misses its key, for the worst query and factor."""
        if not self.fits(place):
            return 1.0
        found = [missed(self.matrix(place, factor), place) for factor in self.factors or (1.0,)]
        return float("nan") if np.any(np.isnan(found)) else max(found)

    def _assembled(self, place: Place, factor: float) -> Float64:
        count = place.d_model // 2
        blocks = np.zeros((count, count, 2, 2))
        blocks[:] = self._off(place, factor)
        for i, one in enumerate(self._diagonal(place, factor)):
            blocks[i, i] = one
        return blocks.transpose(0, 2, 1, 3).reshape(place.d_model, place.d_model)

    def _diagonal(self, place: Place, factor: float) -> list[Float64]:
        count = place.d_model // 2
        if not self.listed:
            return [self._block("block", place, factor, i, i) for i in range(count)]
        blocks = self.answer.fields["block"]
        if blocks.shape != (count, 2, 2):
            raise InvalidAnswer(
                f"answer: block must be one 2 × 2 matrix, or {count} of them. It is "
                f"{' × '.join(map(str, blocks.shape))}."
            )
        return list(blocks)

    def _off(self, place: Place, factor: float) -> Float64:
        """Return what stands off the diagonal, (1 or count, 1 or count, 2, 2)."""
        count = place.d_model // 2
        names = frozenset[str]().union(*(one.names for one in self.answer.behind("off_block")))
        rows = count if names & {"i", "w_i", "omega_i"} else 1
        columns = count if names & {"j", "w_j", "omega_j"} else 1
        many = rows * columns > MOST_BLOCKS
        # Of very many blocks some are evaluated, and each stands for its neighbours.
        near = np.linspace(0, count - 1, SOME).round().astype(int) if many else np.arange(count)
        found = np.array(
            [
                [self._block("off_block", place, factor, i, j) for j in near[:columns].tolist()]
                for i in near[:rows].tolist()
            ]
        )
        if many:
            nearest = np.argmin(np.abs(np.arange(count)[:, None] - near), axis=1)
            found = found[nearest][:, nearest]
        return found

    def _block(self, name: str, place: Place, factor: float, i: int, j: int) -> Float64:
        symbols = place.symbols | place.of_block("i", i) | place.of_block("j", j)
        own = self.answer.beside(*FIELDS)
        if FACTOR not in own:
            symbols[FACTOR] = factor
        names = with_own_names(self.answer, own, symbols)
        found = matrix(name, self.answer.fields[name], names, 2)
        if name == "off_block" and found.shape == () and found == 0:
            return np.zeros((2, 2))
        if found.shape != (2, 2):
            raise InvalidAnswer(
                f"answer: {name} must be a 2 × 2 matrix. It is {shape_words(found)}."
            )
        return found


def read(problem: OffsetProblem, answer: Answer) -> Asked:
    """Return the blocks of an answer; InvalidAnswer where some are missing."""
    for name in FIELDS:
        answer.need(name)
    fields: dict[str, Any] = {
        name: without_name(name, said) for name, said in answer.fields.items()
    }
    bounds = fields.get(FACTOR)
    has_bounds = isinstance(bounds, Formula) and bounds.is_condition
    if has_bounds:
        del fields[FACTOR]
    numbers = {"T": float(problem.given.T), "d_model": float(problem.given.d_model)}
    asked = Asked(problem, Answer(fields), stated(problem.statement, numbers))
    if isinstance(bounds, Formula) and has_bounds:
        return replace(asked, factors=_within(asked, bounds))
    is_open = FACTOR in asked.answer.used and FACTOR not in fields
    return replace(asked, factors=_largest(asked)) if is_open else asked


def _largest(asked: Asked) -> tuple[float, ...]:
    """Return large factors with which A is not too large: C, exp(C) and C^0.1 differ."""
    return largest(lambda factor: _size(asked, factor), LARGEST, 2) or (1.0,)


def _within(asked: Asked, bounds: Formula) -> tuple[float, ...]:
    """Return factors within bounds such as C >= 10: the ends, the middle, and one that fails.

    Raises:
        InvalidAnswer: no number is within them.
    """
    place = _small(asked)
    inside = np.array([_holds(bounds, place, factor) for factor in RANGE.tolist()])
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
    wanted = _holds(bounds, place, low)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _holds(bounds, place, middle) == wanted else (low, middle)
    return low if wanted else high


def _usable(asked: Asked, factor: float) -> bool:
    return _size(asked, factor) <= LARGEST


def _size(asked: Asked, factor: float) -> float:
    """Return the largest entry of A; NaN or infinite where one is not finite."""
    with np.errstate(all="ignore"):
        return float(np.max(np.abs(asked.matrix(_small(asked), factor))))


def _small(asked: Asked) -> Place:
    """A place with few blocks, in which every formula can be evaluated."""
    here = asked.here
    if asked.listed:
        return here
    return replace(here, d_model=min(4, here.d_model), n=max(here.n, abs(here.T) + 2))


def _holds(condition: Formula, place: Place, factor: float) -> bool:
    """Whether a factor is within the bounds that an answer says."""
    return bool(evaluate(FACTOR, condition, {**place.symbols, FACTOR: factor}))
