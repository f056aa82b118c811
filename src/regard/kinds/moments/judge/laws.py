"""Scores of random vectors at given values of their symbols: their moments, right and mistaken.

The mistaken ones are the numbers that a misconception leads to, so that an answer can be compared
with them as with the right ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from regard.analysis import dot_product_moments, interference
from regard.analysis.positions.interference import READINGS
from regard.kinds.moments.spec import DotProductGiven, Entries, PositionsScoreGiven
from regard.language import Formula, parse
from regard.report import number

Symbols = dict[str, float]
Names = frozenset[str]
Moments = dict[str, float]  # "mean", "variance" and "s"; some may be missing
Mistakes = list[tuple[str, Moments]]  # tags, each with what it leads to

FAR = 1e40  # means and variances of entries that are drawn: products of four are still float64s


@lru_cache(64)
def _parsed(text: str) -> Formula:
    """A formula of the problem, which is evaluated many times."""
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

    def plain(self) -> Symbols:
        """The numbers of the problem."""
        return {**self.given.parameters, **self.given.assume}

    def free(self, fixed: Names) -> tuple[str, ...]:
        """The parameters that may have other numbers: neither assumed nor fixed."""
        return tuple(p for p in self.given.parameters if p not in fixed | set(self.given.assume))

    def draw(self, rng: np.random.Generator, fixed: Names = frozenset()) -> Symbols:
        """Other numbers; what is assumed stays, and what a variance is made of keeps its sign."""
        dimension, result = self.given.dimension, self.plain()
        free = self.free(fixed)
        for _ in range(20):
            for name in free:
                value = self.given.parameters[name]
                size = math.exp(rng.uniform(-1, 1)) * (abs(value) or 1.0)
                sign = 1.0 if value >= 0 or name not in self._in_variances else -1.0
                if name not in self._in_variances:
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
    def _in_variances(self) -> frozenset[str]:
        laws = [law for law in (self.given.q, self.given.k) if law is not None]
        return frozenset().union(*(_parsed(law.variance).names for law in laws))

    def _entries(self, law: Entries, symbols: Mapping[str, float]) -> tuple[float, float]:
        mean, variance = (_parsed(text).evaluate(symbols) for text in (law.mean, law.variance))
        return float(mean), float(variance)

    def _proper(self, symbols: Symbols) -> bool:
        laws = [law for law in (self.given.q, self.given.k) if law is not None]
        found = np.array([self._entries(law, symbols) for law in laws])
        size = np.abs(found[found != 0])
        return bool(np.all((size >= 1 / FAR) & (size <= FAR)) and np.all(found[:, 1] >= 0))

    def _laws(self, symbols: Mapping[str, float]) -> tuple[float, float, float, float, float]:
        q = self._entries(self.given.q, symbols)
        k = q if self.given.k is None else self._entries(self.given.k, symbols)
        return (symbols[self.given.dimension], *q, *k)

    def right(self, symbols: Mapping[str, float]) -> Moments:
        """The moments: those of one product of entries, times the number of entries."""
        D, mq, vq, mk, vk = self._laws(symbols)
        cross = [[vq]] if self.given.same else None
        one = dot_product_moments([mq], [[vq]], [mk], [[vk]], cross)
        return moments(D * float(one.mean), D * float(one.variance), self.wanted)

    def steps(self, symbols: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
        """How the right numbers come about."""
        D, mq, vq, mk, vk = self._laws(symbols)
        found = self.right(symbols)
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

    def mistaken(self, symbols: Mapping[str, float]) -> Mistakes:
        """What misconceptions lead to."""
        D, mq, vq, mk, vk = self._laws(symbols)
        right = self.right(symbols)
        M, V = right["mean"], right["variance"]
        sq, sk = math.sqrt(vq), math.sqrt(vk)
        found: Mistakes = [
            ("missing-dimension", moments(M / D, V / D, self.wanted)),
            ("variance-read-as-standard-deviation", {"variance": math.sqrt(V)}),
            ("variance-read-as-standard-deviation", {"s": V / self.wanted}),
            ("divided-instead-of-multiplied", {"s": 1 / right["s"] if V else math.inf}),
        ]
        own = (D * (mq**2 + vq), 2 * D * vq**2 + 4 * D * mq**2 * vq)
        apart = (D * mq * mk, D * (vq * vk + mq**2 * vk + mk**2 * vq))
        # What is right for another law is said of it; the rest is about this law alone.
        if self.given.same:
            found.append(("independence-assumed", moments(*apart, self.wanted)))
            fourth = mq**4 + 6 * mq**2 * vq + 3 * vq**2
            means = []
            variances = [("cross-terms-forgotten", 2 * D * vq**2)]
            variances += [("mean-squared-forgotten", x) for x in (D * fourth, V + M**2)]
        else:
            found.append(("k-taken-as-q", moments(*own, self.wanted)))
            means = [
                ("added-instead-of-multiplied", D * (mq + mk)),
                ("one-mean-only", D * mq),
                ("one-mean-only", D * mk),
                ("variance-for-mean", D * vq),
            ]
            variances = [
                ("cross-terms-forgotten", D * vq * vk),
                ("cross-terms-forgotten", D * (vq * vk + mq**2 * vk)),
                ("cross-terms-forgotten", D * (vq * vk + mk**2 * vq)),
                ("mean-squared-forgotten", D * (vq + mq**2) * (vk + mk**2)),
                ("mean-squared-forgotten", V + M**2),
                ("variance-read-as-standard-deviation", D * (sq * sk + mq**2 * sk + mk**2 * sq)),
                ("added-instead-of-multiplied", D * (vq + vk)),
                ("added-instead-of-multiplied", vq + vk),
            ]
        means += [("variance-for-mean", V), ("dimension-squared", M * D)]
        variances.append(("dimension-squared", V * D))
        found += [(tag, {"mean": x}) for tag, x in means]
        for tag, x in variances:
            found.append((tag, {"variance": x, "s": moments(0.0, x, self.wanted)["s"]}))
        return [*found, ("mean-taken-as-zero", {"mean": 0.0})]

    def remarks(self, symbols: Mapping[str, float]) -> tuple[str, ...]:
        """What else is worth saying."""
        return ()


@dataclass(frozen=True)
class Positions:
    """The score of equal contents with positions added to both."""

    given: PositionsScoreGiven
    wanted: float

    def plain(self) -> Symbols:
        """The numbers of the problem."""
        return dict(self.given.parameters)

    def free(self, fixed: Names) -> tuple[str, ...]:
        """The width, unless it is fixed."""
        return () if self.given.dimension in fixed else (self.given.dimension,)

    def draw(self, rng: np.random.Generator, fixed: Names = frozenset()) -> Symbols:
        """Another width."""
        width = float(2 * rng.integers(1, 200))
        return {**self.plain(), **dict.fromkeys(self.free(fixed), width)}

    def hard(self, fixed: Names = frozenset()) -> list[Symbols]:
        """The smallest width, and a large one."""
        return [{**self.plain(), name: x} for name in self.free(fixed) for x in (2.0, 4096.0)]

    def small(self, fixed: Names = frozenset()) -> Iterator[Symbols]:
        """Small widths."""
        for size in (2.0, 4.0, 6.0):
            yield {**self.plain(), **dict.fromkeys(self.free(fixed), size)}

    def _width(self, symbols: Mapping[str, float]) -> int:
        return int(symbols[self.given.dimension])

    def _reading(self, name: str, symbols: Mapping[str, float]) -> Moments:
        found = interference(self._width(symbols), content=name)
        return moments(found.mean, found.variance, self.wanted)

    def right(self, symbols: Mapping[str, float]) -> Moments:
        """The moments in the reading that the problem gives."""
        return self._reading(self.given.reading, symbols)

    def steps(self, symbols: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
        """The three sums."""
        found = interference(self._width(symbols), content=self.given.reading)
        return tuple(
            (
                f"The {term.count} products of {term.name} have mean {number(term.mean)} and "
                f"variance {number(term.variance)} in all.",
                "",
            )
            for term in found.terms
        )

    def mistaken(self, symbols: Mapping[str, float]) -> Mistakes:
        """What misconceptions lead to; other readings of the text first."""
        found: Mistakes = [
            ("other-reading", self._reading(name, symbols))
            for name in READINGS
            if name != self.given.reading
        ]
        d = float(self._width(symbols))
        whole = interference(int(d), content=self.given.reading)
        _, cross, place = (term.variance for term in whole.terms)
        M, V = whole.mean, whole.variance
        right = self.right(symbols)
        variances = [
            ("missing-dimension", V / d),
            ("position-terms-forgotten", V - place),
            ("cross-terms-forgotten", V - cross),
            ("counts-half-the-terms", V - cross / 2),
            ("counts-half-the-terms", V - place / 2),
            ("counts-half-the-terms", V - cross / 2 - place / 2),
            ("one-sine-for-two", V + place),
            ("mean-squared-forgotten", V + M**2),
            ("dimension-squared", V * d),
        ]
        for tag, x in variances:
            found.append((tag, {"variance": x, "s": moments(0.0, x, self.wanted)["s"]}))
        return [
            *found,
            ("variance-read-as-standard-deviation", {"variance": math.sqrt(V)}),
            ("variance-read-as-standard-deviation", {"s": V / self.wanted}),
            ("divided-instead-of-multiplied", {"s": 1 / right["s"]}),
            ("content-forgotten", {"mean": 0.0}),
            ("positions-taken-as-equal", {"mean": M + d / 2}),
            ("positions-taken-as-equal", {"mean": d / 2}),
        ]

    def remarks(self, symbols: Mapping[str, float]) -> tuple[str, ...]:
        """The other readings, with their numbers."""
        others = []
        for name, words in READINGS.items():
            if name != self.given.reading:
                found = self._reading(name, symbols)
                others.append(f"{words}: {number(found['mean'])}, {number(found['variance'])}")
        size = number(symbols[self.given.dimension])
        return (
            f"Other readings of the text, with mean and variance for {self.given.dimension} = "
            f"{size}: {'; '.join(others)}.",
        )
