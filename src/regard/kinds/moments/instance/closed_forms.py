"""Closed forms of the moments of a score, in the formula language.

D is the number of entries, m_q and v_q are the mean and the variance of an entry of q, m_k and v_k
of k. They are put into the symbols of a problem as sums of terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from regard.language import parse
from regard.language.polynomials import Polynomial, exact, factored, polynomial, root


class Closed(NamedTuple):
    """Mean and variance of a score."""

    mean: str
    variance: str


# A sum of D independent products has D times the mean and the variance of one. For independent
# factors these are m m' and (v + m²)(v' + m'²) − m²m'²; for a normal factor with itself, m² + v
# and 2v² + 4m²v.
INDEPENDENT = Closed("D m_q m_k", "D (v_q v_k + m_q^2 v_k + m_k^2 v_q)")
SAME = Closed("D (m_q^2 + v_q)", "D (2 v_q^2 + 4 m_q^2 v_q)")
# With positions, by how the text is read: the mean, and the variances of the contents' product, of
# the cross terms and of the products of positions.
READINGS = {
    "hint": ("1", "0", "D", "D/4"),
    "sphere": ("1", "0", "1", "D/4"),
    "gaussian": ("D", "2 D", "D", "D/4"),
    "literal": ("1", "0", "D/2", "D/8"),
}


@dataclass(frozen=True, eq=False)
class Formulas:
    """Moments of a score in the symbols of a problem, as sums of terms and as they are written.

    Attributes:
        size: the name of the number of entries.
        mean: of the score.
        variance: of the score.
        wanted: the variance after dividing by s.
        names: what the closed forms are made of, such as m_q.
    """

    size: str
    mean: Polynomial
    variance: Polynomial
    wanted: float
    names: Mapping[str, Polynomial]

    @property
    def mean_text(self) -> str:
        """The mean as a formula."""
        return factored(self.mean, self.size)

    @property
    def variance_text(self) -> str:
        """The variance as a formula."""
        return factored(self.variance, self.size)

    @property
    def s_text(self) -> str:
        """What to divide by, as a formula."""
        return self.divisor(self.variance)

    def divisor(self, variance: Polynomial) -> str:
        """Write what to divide by where this is the variance."""
        return root(variance * Polynomial.number(1 / exact(self.wanted)), self.size)

    @property
    def varies(self) -> bool:
        """Whether there is anything to divide."""
        return bool(self.variance.terms)

    def answer(self, find: Iterable[str]) -> dict[str, str]:
        """Return the formulas that are asked for; no s where nothing varies."""
        fields = {"mean": self.mean_text, "variance": self.variance_text}
        if self.varies:
            fields["s"] = self.s_text
        return {name: text for name, text in fields.items() if name in find}

    def put_in(self, text: str) -> Polynomial:
        """Return a closed form in the symbols of the problem; M, V and s are those of the score."""
        own = {"M": self.mean, "V": self.variance, "w": Polynomial.number(exact(self.wanted))}
        s = {"s": Polynomial.symbol(self.s_text)} if self.varies else {}
        return polynomial(parse(text), {**self.names, **own, **s})


def formulas_of(
    size: str, closed: Closed, wanted: float, names: Mapping[str, Polynomial]
) -> Formulas:
    """Put formulas for the names of a closed form into it."""
    known = {"D": Polynomial.symbol(size), **names}
    mean, variance = (polynomial(parse(text), known) for text in closed)
    return Formulas(size, mean, variance, wanted, known)


def reading_formulas(size: str, reading: str, wanted: float = 1.0) -> Formulas:
    """Return the moments of a score with positions in one reading, for uniform phases."""
    mean, *parts = READINGS[reading]
    D = {"D": Polynomial.symbol(size)}
    names = dict(zip(("V_k", "V_c", "V_p"), (polynomial(parse(p), D) for p in parts), strict=True))
    return formulas_of(size, Closed(mean, "V_k + V_c + V_p"), wanted, names)
