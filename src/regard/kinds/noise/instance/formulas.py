"""Laws of outputs as formulas: averages of values, probabilities, means and variances.

An average is given by how much of each value is in it. Keys without a name usually share alike,
and then the means of several values say it in fewer words: (v_b + vbar_not_a)/2. The symbols are
those of `regard.kinds.noise.spec.value_symbols`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from regard.problems.instances import Float64

SIMPLE = 1000  # the largest denominator of a number that is written as a fraction
CLOSE = 1e-12
TINY = 1e-12
FEW = 3  # values that are always named one by one


def fraction_of(x: float, most: int = SIMPLE, close: float = CLOSE) -> Fraction | None:
    """The simple fraction that x is, if it is one."""
    if not math.isfinite(x):
        return None
    near = Fraction(x).limit_denominator(most)
    return near if abs(float(near) - x) <= close * max(1.0, abs(x)) else None


def number_text(x: float, *, roots: bool = True) -> str:
    """Write x ≥ 0 as a fraction, the root of one, or in 15 digits."""
    if math.isinf(x):
        return "inf"
    simple, square = fraction_of(x), fraction_of(x * x)
    if simple is None and roots and square is not None:
        return f"sqrt({square})"
    return f"{x:.15g}" if simple is None else str(simple)


@dataclass(frozen=True)
class Chance:
    """A probability.

    Attributes:
        value: as a number.
        formula: as a formula.
        symbolic: whether the formula has a function or a name in it.
    """

    value: float
    formula: str
    symbolic: bool = False

    def times(self, other: Chance) -> Chance:
        """The probability of two independent cases."""
        value = self.value * other.value
        if not (self.symbolic and other.symbolic):
            if self.value == 1:
                return other
            if other.value == 1:
                return self
        if not self.symbolic and not other.symbolic:
            return plain(value)
        first, second = (other, self) if other.symbolic < self.symbolic else (self, other)
        return Chance(value, f"{factor(first.formula)} {factor(second.formula)}", True)

    def plus(self, other: Chance) -> Chance:
        """The probability of one of two cases that exclude each other."""
        value = self.value + other.value
        if abs(value - 1) <= 1e-14 or not (self.symbolic or other.symbolic):
            return plain(value)
        return Chance(value, f"{self.formula} + {other.formula}", True)

    def over(self, condition: Chance) -> Chance:
        """The probability given a case that contains this one."""
        if condition.value == 1:
            return self
        if condition.value <= 0:
            return plain(0.0)
        if self.formula == condition.formula or abs(self.value / condition.value - 1) <= 1e-14:
            return plain(1.0)
        value = self.value / condition.value
        return Chance(value, f"({self.formula})/({condition.formula})", True)


def plain(value: float, *, exact: bool = True) -> Chance:
    """A probability that is only known as a number."""
    simple = fraction_of(value, 64, CLOSE if exact else 1e-5)
    if simple is not None:
        return Chance(float(simple), str(simple))
    return Chance(value, f"{value:.15g}" if exact else f"{value:.5g}")


def factor(text: str) -> str:
    """A formula in brackets where it has to be a factor of a product."""
    depth = 0
    if all(character in "0123456789./e" for character in text):
        return text
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth == 0 and character in "+-/":
            return f"({text})"
    return text


@dataclass(frozen=True)
class Average:
    """A linear combination of values: terms (coefficient, symbol)."""

    terms: tuple[tuple[float, str], ...]

    @property
    def formula(self) -> str:
        """As a formula of the language, over a common denominator where that is a small one."""
        if not self.terms:
            return "0"
        fractions = [fraction_of(c) for c, _ in self.terms]
        exact = [f for f in fractions if f is not None]
        divisor = math.lcm(*(f.denominator for f in exact)) if len(exact) == len(fractions) else 0
        if not 0 < divisor <= 10_000:
            return _sum((c, f"{abs(c):.15g}", symbol) for c, symbol in self.terms)
        pairs = zip(exact, self.terms, strict=True)
        top = _sum((c, str(abs(int(f * divisor))), symbol) for f, (c, symbol) in pairs)
        if divisor == 1:
            return top
        single = len(self.terms) == 1 and self.terms[0][0] > 0
        return f"{top}/{divisor}" if single else f"({top})/{divisor}"

    def scaled(self, by: float) -> Average:
        """The average with every coefficient multiplied by a number."""
        return Average(tuple((by * c, symbol) for c, symbol in self.terms))


def _sum(terms: Iterable[tuple[float, str, str]]) -> str:
    """Write a sum of (sign, size, symbol)."""
    out = ""
    for sign, size, symbol in terms:
        joint = (" - " if sign < 0 else " + ") if out else ("-" if sign < 0 else "")
        out += f"{joint}{'' if size == '1' else f'{size} '}{symbol}"
    return out


def average(shares: Float64, names: Mapping[str, int]) -> Average:
    """Return Σ_i shares_i v_i in the fewest words.

    Args:
        shares: (n,).
        names: rows by name.
    """
    by_row = {row: name for name, row in names.items()}
    rest = [i for i in range(len(shares)) if i not in by_row]
    each = Average(
        tuple(
            (float(shares[i]), f"v_{by_row.get(i, str(i + 1))}")
            for i in [*names.values(), *rest]
            if abs(shares[i]) > TINY
        )
    )
    if rest and float(np.ptp(shares[rest])) > TINY:
        return each
    if len(rest) < 2 and len(each.terms) <= FEW:
        return each
    # What most values have in common; those without a name share alike.
    _, first, counts = np.unique(np.round(shares, 12), return_index=True, return_counts=True)
    level = float(shares[rest[0] if rest else first[np.argmax(counts)]])
    if abs(level) <= TINY:
        return each
    several = rest and len(names) > 1
    means: dict[str, set[int]] = {"vbar_rest": set(names.values())} if several else {}
    alone = {f"vbar_not_{name}": {row} for name, row in names.items()}
    means |= {**alone, "vbar": set()} if len(names) == 1 else {"vbar": set(), **alone}
    candidates = [] if rest else [each]
    candidates += [_around(shares, names, level, mean, left) for mean, left in means.items()]
    return min(candidates, key=_awkward)


def _around(
    shares: Float64, names: Mapping[str, int], level: float, mean: str, left_out: set[int]
) -> Average:
    """Write an average with one mean of several values, that of all keys but those left out."""
    extra = {
        f"v_{name}": float(shares[row] - (0.0 if row in left_out else level))
        for name, row in names.items()
    }
    terms = tuple((c, symbol) for symbol, c in extra.items() if abs(c) > TINY)
    return Average((*terms, (level * (len(shares) - len(left_out)), mean)))


def _awkward(one: Average) -> tuple[int, int, int]:
    """How hard a combination is to read: minus signs, terms, and how long its fractions are."""
    fractions = [fraction_of(c) for c, _ in one.terms]
    length = sum(99 if f is None else f.denominator + abs(f.numerator) for f in fractions)
    return sum(c < 0 for c, _ in one.terms), len(one.terms), length


Outcomes = Sequence[tuple[Chance, Float64]]  # probabilities, and how much of each value (n,)


def mean_formula(outcomes: Outcomes, names: Mapping[str, int], digits: int | None = None) -> str:
    """Write Σ p x; what has probabilities without symbols is summed up, perhaps to some digits."""
    still = sum((c.value * s for c, s in outcomes if not c.symbolic), 0 * outcomes[0][1])
    still = still if digits is None else np.round(still, digits)
    parts = [(c, average(s, names)) for c, s in outcomes if c.symbolic]
    texts = [_times(chance, value) for chance, value in parts if value.terms]
    rest = average(still, names)
    return " + ".join([*texts, *([rest.formula] if rest.terms else [])]) or "0"


def _times(chance: Chance, value: Average) -> str:
    text = value.formula
    right = text if len(value.terms) == 1 or text.startswith("(") else f"({text})"
    return f"{factor(chance.formula)} {right}"


def variance_formula(parts: Iterable[Outcomes], names: Mapping[str, int]) -> str:
    """Write Σ p_i p_j ‖x_i - x_j‖² over pairs of outcomes of each part; parts are independent."""
    pairs = [
        (one, two)
        for outcomes in parts
        for place, one in enumerate(outcomes)
        for two in outcomes[place + 1 :]
    ]
    return " + ".join(_square(*one, *two, names) for one, two in pairs) or "0"


def _square(p: Chance, x: Float64, q: Chance, y: Float64, names: Mapping[str, int]) -> str:
    """Write p q ‖x - y‖², with the difference in whole numbers."""
    away = average(x - y, names)
    size = away.terms[0][0]
    symbols = [chance for chance in (p, q) if chance.symbolic]
    front = size**2 * math.prod(chance.value for chance in (p, q) if not chance.symbolic)
    texts = [factor(chance.formula) for chance in symbols]
    if len(symbols) == 2 and p.formula == q.formula:
        texts = [f"{texts[0]}^2"]
    number = number_text(front, roots=False)
    return " ".join(
        [*([] if number == "1" else [number]), *texts, f"norm({away.scaled(1 / size).formula})^2"]
    )
