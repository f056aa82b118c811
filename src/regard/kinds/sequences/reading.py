"""The matrices of an answer, and what they do to the worst sequences, in floats."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from regard.checking.answers import Answer, evaluate
from regard.checking.attempt import Attempt
from regard.checking.factors.open_factor import FACTOR, settled
from regard.checking.factors.stated_factor import said_of_factor, within
from regard.checking.matrices import matrix, shape_words, with_own_names
from regard.errors import InvalidAnswer
from regard.kinds.sequences.instance import Float64, Row, Setting, rows, wanted
from regard.kinds.sequences.spec import SequencesProblem

RESOLVED = 1e10  # a score up to which scores that are equal do not differ by rounding
LARGEST = 1e15  # of a score: beyond it float64 tells no two scores apart
LONGEST = 1e150  # entries of values whose squares are finite
FEW = 4.0  # times the length of a token: errors that are not large
NAMES = {"K": "W_K", "Q": "W_Q", "V": "W_V"}


@dataclass(frozen=True, eq=False)
class Heads:
    """K, Q and V on columns, for one length."""

    K: Float64
    Q: Float64
    V: Float64

    def tables(self, setting: Setting) -> tuple[Float64, Float64]:
        """Return scores [x, t, y, j] of token y at j for the query x at t, and values [y, j, :]."""
        x = setting.inputs
        with np.errstate(all="ignore"):
            keys, queries = x @ self.K.T, x @ self.Q.T
            return np.einsum("xtd,yjd->xtyj", queries, keys), x @ self.V.T


@dataclass(frozen=True, eq=False)
class Asked(Attempt[SequencesProblem]):
    """A problem and the matrices that an answer gives.

    Attributes:
        factors: what an open factor C is tried with; () where there is none.
        bounded: whether the answer says bounds of C.
    """

    factors: tuple[float, ...] = ()
    bounded: bool = False
    known: dict[tuple[int, float], Heads] = field(default_factory=dict, repr=False)

    def setting(self, length: int) -> Setting:
        """Return the setting with another length."""
        return Setting(self.problem.given.model_copy(update={"length": length}))

    def heads(self, length: int, factor: float) -> Heads:
        """Return the matrices for sequences up to a length; InvalidAnswer where they do not fit."""
        if (length, factor) not in self.known:
            self.known[length, factor] = self._heads(length, factor)
        return self.known[length, factor]

    def _heads(self, length: int, factor: float) -> Heads:
        setting = self.setting(length)
        d = len(setting.U)
        symbols = setting.symbols()
        if self.factors:
            symbols[FACTOR] = factor
        fields = [short if self.answer.has(short) else long for short, long in NAMES.items()]
        own = self.answer.beside(*fields)
        symbols = with_own_names(self.answer, own, symbols)
        found = []
        for short, name in zip(NAMES, fields, strict=True):
            array = matrix(name, self.answer.need(name), symbols, d)
            turned = array if name == short else array.T
            if array.ndim != 2 or turned.shape[1] != d:
                side = "columns" if name == short else "rows"
                raise InvalidAnswer(
                    f"answer: {name} is {shape_words(array)} and must have {d} {side}, as x has."
                )
            found.append(np.asarray(turned, float))
        K, Q, V = found
        if len(K) != len(Q):
            raise InvalidAnswer(
                f"answer: K has {len(K)} rows and Q has {len(Q)}: they must have as many."
            )
        if len(V) != d:
            raise InvalidAnswer(
                f"answer: V must have {d} rows, as what is wanted does. It has {len(V)}."
            )
        return Heads(K, Q, V)


def read(problem: SequencesProblem, answer: Answer) -> Asked:
    """Return the matrices of an answer; InvalidAnswer where some are missing."""
    for short, long in NAMES.items():
        answer.need(short, long)
    answer, bounds = said_of_factor(answer)
    asked = Asked(problem, answer)
    open_factor = FACTOR in answer.used and not answer.has(FACTOR)
    if not open_factor:
        asked.heads(problem.given.length, 1.0)
        return asked
    tried = replace(asked, factors=(1.0,))

    def right(factors: tuple[float, ...]) -> bool:
        return all(proved(tried, factor) <= problem.goal.tolerance for factor in factors)

    of_all = partial(size, tried)
    if bounds is not None:
        symbols = tried.setting(problem.given.length).symbols()
        evaluated = partial(evaluate, symbols=symbols)
        return replace(asked, factors=within(bounds, of_all, RESOLVED, evaluated), bounded=True)
    found = settled(right, of_all, RESOLVED, LARGEST)
    return replace(asked, factors=found or (1.0,))


def size(asked: Asked, factor: float, row: Row | None = None) -> float:
    """Return the largest score, of a row or of all; infinite where numbers are too large."""
    length = asked.problem.given.length
    scores, values = asked.heads(length, factor).tables(asked.setting(length))
    if row is not None:
        scores = scores[dict(row.fixed)[row.t], row.t]
    usable = np.all(np.isfinite(scores)) and np.all(np.abs(values) < LONGEST)
    return float(np.max(np.abs(scores))) if usable else float("inf")


def bound(problem: SequencesProblem, setting: Setting, heads: Heads, row: Row) -> float:
    """Return an F that the error of this row never exceeds, over all sequences.

    The root of e^{s*}(d* − F) + Σ_j max(0, max_y e^{s}(d − F)) by halving an interval, of ln F
    where F is large: values may grow with a factor. Infinite where a number is not finite.
    """
    scores, values = heads.tables(setting)
    x = dict(row.fixed)[row.t]
    if not (np.all(np.isfinite(scores[x, row.t])) and np.all(np.isfinite(values))):
        return float("inf")
    goal = wanted(problem, setting, row)
    distances = np.linalg.norm(values - goal, axis=-1)
    z = dict(row.fixed)[row.target]
    s = scores[x, row.t] - scores[x, row.t, z, row.target]
    low, high = 0.0, float(np.max(distances))
    for _ in range(60):
        middle = (low + high) / 2 if high <= FEW else math.sqrt(max(low, 1.0) * high)
        total = distances[z, row.target] - middle
        for j in range(row.seen):
            if j != row.target:
                ys = row.allowed(j, setting.M)
                total += max(
                    0.0,
                    float(np.max(np.exp(np.minimum(s[ys, j], 700)) * (distances[ys, j] - middle))),
                )
        low, high = (low, middle) if total <= 0 else (middle, high)
    return high


def error(
    setting: Setting, heads: Heads, sequence: tuple[int, ...], t: int, seen: int, goal: Float64
) -> float:
    """Return ‖c_t − wanted‖ for one sequence."""
    scores, values = heads.tables(setting)
    places = np.arange(seen)
    tokens = np.array(sequence[:seen])
    s = scores[sequence[t], t, tokens, places]
    weights = np.exp(s - np.max(s))
    weights /= np.sum(weights)
    return float(np.linalg.norm(weights @ values[tokens, places] - goal))


def candidates(
    setting: Setting, heads: Heads, row: Row, goal: Float64
) -> Iterator[tuple[int, ...]]:
    """Yield sequences that may be the worst for a row: leaks where they hurt, or to one token."""
    scores, values = heads.tables(setting)
    x = dict(row.fixed)[row.t]
    distances = np.linalg.norm(values - goal, axis=-1)
    hurt = scores[x, row.t] + np.log(np.maximum(distances, 1e-300))
    length = max(row.seen, row.t + 1)
    yield tuple(max(row.allowed(j, setting.M), key=lambda y: hurt[y, j]) for j in range(length))
    for one in range(setting.M):
        chosen = [row.allowed(j, setting.M) for j in range(length)]
        yield tuple(
            one if one in ys else max(ys, key=lambda y: hurt[y, j]) for j, ys in enumerate(chosen)
        )


def worst(asked: Asked, length: int, factor: float) -> tuple[float, tuple[int, ...], Row] | None:
    """Return the largest error found in sequences of a length, the sequence and the row."""
    problem, setting, heads = asked.problem, asked.setting(length), asked.heads(length, factor)
    found = None
    for row in rows(problem, length):
        goal = wanted(problem, setting, row)
        for sequence in candidates(setting, heads, row, goal):
            off = error(setting, heads, sequence, row.t, row.seen, goal)
            off = float("inf") if np.isnan(off) else off
            if found is None or off > found[0]:
                found = off, sequence, row
    return found


def proved(asked: Asked, factor: float) -> float:
    """Return a bound on the error over all sequences up to the length of the problem."""
    length = asked.problem.given.length
    setting, heads = asked.setting(length), asked.heads(length, factor)
    return max(bound(asked.problem, setting, heads, row) for row in rows(asked.problem, length))
