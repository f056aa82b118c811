"""Scores of random vectors at given values of their symbols: moments, and numbers to try."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from regard.analysis import dot_product_moments, interference
from regard.analysis.positions.interference import READINGS, Interference
from regard.kinds.moments.instance.closed_forms import (
    INDEPENDENT,
    SAME,
    Formulas,
    formulas_of,
    reading_formulas,
)
from regard.kinds.moments.spec import DotProductGiven, Entries, MomentsProblem, PositionsScoreGiven
from regard.language import Formula, parse
from regard.language.polynomials import Polynomial, polynomial, with_numbers
from regard.report import number

Symbols = dict[str, float]
Names = frozenset[str]
Moments = dict[str, float]  # "mean", "variance" and "s"

LONG = 400  # characters of a formula that is multiplied out
FAR = 1e40  # means and variances of entries that are drawn: products of four are still float64s


@lru_cache(256)
def parsed(text: str) -> Formula:
    """Return a formula that is evaluated many times."""
    return parse(text)


def moments(mean: float, variance: float, wanted: float) -> Moments:
    """Return mean, variance, and what to divide by for the variance that is wanted."""
    s = math.sqrt(variance / wanted) if variance >= 0 else math.nan
    return {"mean": mean, "variance": variance, "s": s}


@dataclass(frozen=True)
class DotProduct:
    """The score q'k of vectors with independent entries.

    Attributes:
        given: what the problem says about them.
        wanted: the variance wanted after dividing by s.
    """

    given: DotProductGiven
    wanted: float

    @property
    def names(self) -> tuple[str, ...]:
        """What closed forms of this law are listed under."""
        return ("any", "products", "same" if self.given.same else "independent")

    def plain(self) -> Symbols:
        """The numbers of the problem."""
        return {**self.given.parameters, **self.given.assume}

    def free(self, fixed: Names) -> tuple[str, ...]:
        """The parameters that may have other numbers: neither assumed nor fixed."""
        return tuple(p for p in self.given.parameters if p not in fixed | set(self.given.assume))

    def draw(self, rng: np.random.Generator, fixed: Names = frozenset()) -> Symbols:
        """Other numbers; what is assumed stays, and what a variance is made of keeps its sign."""
        dimension, result = self.given.dimension, self.plain()
        in_variances = frozenset[str]().union(*(parsed(law.variance).names for law in self._both))
        free = self.free(fixed)
        for _ in range(20):
            for name in free:
                value = self.given.parameters[name]
                size = math.exp(rng.uniform(-1, 1)) * (abs(value) or 1.0)
                sign = 1.0 if value >= 0 else -1.0
                if name not in in_variances:
                    sign = float(rng.choice([-1.0, 1.0]))
                result[name] = sign * size
            if dimension in free:
                result[dimension] = float(rng.integers(2, 300))
            if self._proper(result):
                return result
        return self.plain()

    def hard(self, fixed: Names = frozenset()) -> list[Symbols]:
        """One entry, very many, and entries that hardly vary."""
        name, plain = self.given.dimension, self.plain()
        free = self.free(fixed)
        found = [{**plain, name: size} for size in (1.0, 1e5) if name in free]
        found += [{**plain, p: s * plain[p]} for p in free if p != name for s in (1e-2, 1e2)]
        return [symbols for symbols in found if self._proper(symbols)]

    def small(self, fixed: Names = frozenset()) -> Iterator[Symbols]:
        """Small whole numbers, for counterexamples."""
        free = sorted(self.free(fixed), key=lambda p: p != self.given.dimension)[:4]
        for values in product((1.0, 2.0, 3.0), repeat=len(free)):
            symbols = {**self.plain(), **dict(zip(free, values, strict=True))}
            if self._proper(symbols):
                yield symbols

    @property
    def _both(self) -> tuple[Entries, Entries]:
        """The laws of the entries of q and of k."""
        return self.given.q, self.given.q if self.given.k is None else self.given.k

    def _proper(self, symbols: Symbols) -> bool:
        found = np.array(self._entries(symbols))
        size = np.abs(found[found != 0])
        return bool(np.all((size >= 1 / FAR) & (size <= FAR)) and np.all(found[1::2] >= 0))

    def _entries(self, symbols: Mapping[str, float]) -> list[float]:
        """Return m_q, v_q, m_k and v_k."""
        texts = [text for law in self._both for text in (law.mean, law.variance)]
        return [float(parsed(text).evaluate(symbols)) for text in texts]

    def right(self, symbols: Mapping[str, float]) -> Moments:
        """The moments: those of one product of entries, times the number of entries."""
        mq, vq, mk, vk = self._entries(symbols)
        cross = [[vq]] if self.given.same else None
        one = dot_product_moments([mq], [[vq]], [mk], [[vk]], cross)
        D = symbols[self.given.dimension]
        return moments(D * float(one.mean), D * float(one.variance), self.wanted)

    def numbers(self, symbols: Mapping[str, float]) -> Symbols:
        """What closed forms may use."""
        entries = zip(("m_q", "v_q", "m_k", "v_k"), self._entries(symbols), strict=True)
        return {"D": symbols[self.given.dimension], **dict(entries)}

    def formulas(self, *, expanded: bool = True) -> Formulas:
        """The moments as formulas; where they would be long, the laws' own stay as they are."""
        texts = [text for law in self._both for text in (law.mean, law.variance)]
        own = [with_numbers(parsed(text), self.given.assume) for text in texts]
        laws = [polynomial(f) if expanded else Polynomial.symbol(f"({f})") for f in own]
        names = dict(zip(("m_q", "v_q", "m_k", "v_k"), laws, strict=True))
        closed = SAME if self.given.same else INDEPENDENT
        found = formulas_of(self.given.dimension, closed, self.wanted, names)
        too_long = max(len(found.mean_text), len(found.s_text)) > LONG
        return self.formulas(expanded=False) if expanded and too_long else found

    def steps(self, symbols: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
        """How the right numbers come about."""
        mq, vq, mk, vk = self._entries(symbols)
        found, D = self.right(symbols), symbols[self.given.dimension]
        what = "q_i q_i" if self.given.same else "q_i k_i"
        return (
            (f"An entry of q has mean {number(mq)} and variance {number(vq)}.", ""),
            (f"An entry of k has mean {number(mk)} and variance {number(vk)}.", ""),
            (
                f"One product {what} has mean {number(found['mean'] / D)} and variance "
                f"{number(found['variance'] / D)}; the score is the sum of {number(D)} of them.",
                "",
            ),
        )

    def remarks(self, symbols: Mapping[str, float]) -> tuple[str, ...]:
        """What else is worth saying."""
        return ()


@dataclass(frozen=True)
class PositionScore:
    """The score of equal contents with positions added to both."""

    given: PositionsScoreGiven
    wanted: float

    @property
    def names(self) -> tuple[str, ...]:
        """What closed forms of this law are listed under."""
        return ("any", "positions", self.given.reading)

    def plain(self) -> Symbols:
        """The numbers of the problem."""
        return dict(self.given.parameters)

    def free(self, fixed: Names) -> tuple[str, ...]:
        """The width, unless it is fixed."""
        return () if self.given.dimension in fixed else (self.given.dimension,)

    def draw(self, rng: np.random.Generator, fixed: Names = frozenset()) -> Symbols:
        """Numbers with another width, even and below 400, unless it is fixed."""
        width = float(2 * rng.integers(1, 200))
        return {**self.plain(), **dict.fromkeys(self.free(fixed), width)}

    def hard(self, fixed: Names = frozenset()) -> list[Symbols]:
        """The smallest width, and a large one."""
        return [{**self.plain(), name: x} for name in self.free(fixed) for x in (2.0, 4096.0)]

    def small(self, fixed: Names = frozenset()) -> Iterator[Symbols]:
        """Numbers with the widths 2, 4 and 6, for which sums can be written out."""
        for size in (2.0, 4.0, 6.0):
            yield {**self.plain(), **dict.fromkeys(self.free(fixed), size)}

    def _at(self, symbols: Mapping[str, float], reading: str | None = None) -> Interference:
        width = int(symbols[self.given.dimension])
        return interference(width, content=reading or self.given.reading)

    def right(self, symbols: Mapping[str, float]) -> Moments:
        """The moments in the reading that the problem gives."""
        found = self._at(symbols)
        return moments(found.mean, found.variance, self.wanted)

    def numbers(self, symbols: Mapping[str, float]) -> Symbols:
        """What closed forms may use: the variances of the cross terms and of e·e, V_c and V_p."""
        _, cross, places = (term.variance for term in self._at(symbols).terms)
        return {"D": symbols[self.given.dimension], "V_c": cross, "V_p": places}

    def formulas(self) -> Formulas:
        """The moments as formulas, in the reading that the problem gives."""
        return reading_formulas(self.given.dimension, self.given.reading, self.wanted)

    def steps(self, symbols: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
        """The three sums that a score consists of, each with mean and variance, in sentences."""
        return tuple(
            (
                f"The {term.count} products of {term.name} have mean {number(term.mean)} and "
                f"variance {number(term.variance)} in all.",
                "",
            )
            for term in self._at(symbols).terms
        )

    def remarks(self, symbols: Mapping[str, float]) -> tuple[str, ...]:
        """The other readings, with their numbers."""
        others = []
        for name, words in READINGS.items():
            if name != self.given.reading:
                found = self._at(symbols, name)
                others.append(f"{words}: {number(found.mean)}, {number(found.variance)}")
        size = number(symbols[self.given.dimension])
        return (
            f"Other readings of the text, with mean and variance for {self.given.dimension} = "
            f"{size}: {'; '.join(others)}.",
        )


def law_of(problem: MomentsProblem) -> DotProduct | PositionScore:
    """Return the law of the score of a problem."""
    given, wanted = problem.given, problem.goal.variance
    if isinstance(given, DotProductGiven):
        return DotProduct(given, wanted)
    return PositionScore(given, wanted)
