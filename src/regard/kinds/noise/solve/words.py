"""Averages of values as formulas: (v_a + v_b)/2, (v_b + vbar_not_a)/2, in text and in LaTeX.

An average is given by how much of each value is in it. Keys without a name usually share alike,
and then the means of several values say it in fewer words. `regard.kinds.noise.spec` lists
the symbols.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.kinds.noise.solve.chances import Chance, factor, fraction_of
from regard.kinds.noise.solve.limit import LimitLaw, Outcome
from regard.language import parse
from regard.report import number
from regard.solving.latex_numbers import tex

Float64 = NDArray[np.float64]

TINY = 1e-12
FEW = 3  # values that are always named one by one
MOST_SHOWN = 4  # values of an output that are written out


@dataclass(frozen=True)
class Average:
    """A linear combination of values: terms (coefficient, symbol, LaTeX of the symbol)."""

    terms: tuple[tuple[float, str, str], ...]

    @property
    def formula(self) -> str:
        """As a formula of the language."""
        return self._write(latex=False)

    @property
    def latex(self) -> str:
        """As LaTeX."""
        return self._write(latex=True)

    def scaled(self, by: float) -> Average:
        """A multiple of it."""
        return Average(tuple((by * c, text, latex) for c, text, latex in self.terms))

    def _write(self, *, latex: bool) -> str:
        if not self.terms:
            return "0"
        fractions = [fraction_of(c) for c, _, _ in self.terms]
        exact = [f for f in fractions if f is not None]
        divisor = math.lcm(*(f.denominator for f in exact)) if len(exact) == len(fractions) else 0
        if not 0 < divisor <= 10_000:
            return _sum(
                [
                    (tex(abs(c)) if latex else f"{abs(c):.15g}", c < 0, x, y)
                    for c, x, y in self.terms
                ],
                latex=latex,
            )
        whole = [
            (str(abs(int(f * divisor))), f < 0, x, y)
            for f, (_, x, y) in zip(exact, self.terms, strict=True)
        ]
        top = _sum(whole, latex=latex)
        if divisor == 1:
            return top
        if latex:
            return rf"\frac{{{top}}}{{{divisor}}}"
        single = len(whole) == 1 and not whole[0][1]
        return f"{top}/{divisor}" if single else f"({top})/{divisor}"


def _sum(terms: list[tuple[str, bool, str, str]], *, latex: bool) -> str:
    out = ""
    for size, negative, text, symbol in terms:
        sign = (" - " if negative else " + ") if out else ("-" if negative else "")
        shown = "" if size == "1" else f"{size} "
        out += f"{sign}{shown}{symbol if latex else text}"
    return out


def average(shares: Float64, names: Mapping[str, int]) -> Average:
    """Return Σ_i shares_i v_i in the fewest words.

    Args:
        shares: (n,).
        names: rows by name.
    """
    each = _each(shares, names)
    rest = [i for i in range(len(shares)) if i not in names.values()]
    if rest and float(np.ptp(shares[rest])) > TINY:
        return Average(each)
    if len(rest) < 2 and len(each) <= FEW:
        return Average(each)
    # What most values have in common; those without a name share alike.
    _, first, counts = np.unique(np.round(shares, 12), return_index=True, return_counts=True)
    level = float(shares[rest[0] if rest else first[np.argmax(counts)]])
    if abs(level) <= TINY:
        return Average(each)
    candidates = [_around(shares, names, level, left_out=set(names))] if rest else [each]
    candidates.append(_around(shares, names, level, left_out=set()))
    candidates += [_around(shares, names, level, left_out={name}) for name in names]
    return Average(min(candidates, key=_awkward))


def _awkward(terms: tuple[tuple[float, str, str], ...]) -> tuple[int, int, int]:
    return sum(c < 0 for c, _, _ in terms), len(terms), _length(terms)


def _length(terms: tuple[tuple[float, str, str], ...]) -> int:
    """How long the coefficients are as fractions."""
    fractions = [fraction_of(c) for c, _, _ in terms]
    return sum(99 if f is None else f.denominator + abs(f.numerator) for f in fractions)


def _each(shares: Float64, names: Mapping[str, int]) -> tuple[tuple[float, str, str], ...]:
    by_row = {row: name for name, row in names.items()}
    order = [*names.values(), *(i for i in range(len(shares)) if i not in by_row)]
    return tuple(
        (float(shares[i]), *value_symbol(by_row.get(i, str(i + 1))))
        for i in order
        if abs(shares[i]) > TINY
    )


def _around(
    shares: Float64, names: Mapping[str, int], level: float, left_out: set[str]
) -> tuple[tuple[float, str, str], ...]:
    """With one mean of several values, of all keys but those left out."""
    n = len(shares)
    inside = [i for i in range(n) if i not in {names[name] for name in left_out}]
    extra = shares.copy()
    extra[inside] -= level
    terms = [
        (float(extra[row]), *value_symbol(name))
        for name, row in names.items()
        if abs(extra[row]) > TINY
    ]
    whole = level * len(inside)
    if not left_out:
        mean = ("vbar", r"\bar{v}")
    elif left_out == set(names):
        mean = ("vbar_rest", r"\bar{v}_{\mathrm{rest}}")
    else:
        (name,) = left_out
        mean = (f"vbar_not_{name}", rf"\bar{{v}}_{{-{subscript(name)}}}")
    if len(names) == 1 and len(left_out) == 1:
        (name,) = left_out
        mean = (f"vbar_not_{name}", rf"\bar{{v}}_{{-{subscript(name)}}}")
    return (*terms, (whole, *mean))


def value_symbol(name: str) -> tuple[str, str]:
    """The value of a key, in text and in LaTeX."""
    return f"v_{name}", f"v_{{{subscript(name)}}}"


def subscript(name: str) -> str:
    """A name as LaTeX below a letter."""
    return ",".join(
        part if len(part) == 1 or part.isdigit() else rf"\mathrm{{{part}}}"
        for part in name.split("_")
    )


def chance_latex(chance: Chance) -> str:
    """A probability as LaTeX, in a few digits where it is no fraction."""
    if not chance.symbolic and "/" not in chance.formula:
        return tex(chance.value, 4)
    return parse(chance.formula).to_latex()


def weighted(parts: list[tuple[Chance, Average]], *, latex: bool) -> str:
    """Write Σ chance · average, the averages as they are."""
    out = []
    for chance, value in parts:
        text = value.latex if latex else value.formula
        if text == "0":
            continue
        if not chance.symbolic:
            value = value.scaled(chance.value)
            out.append(value.latex if latex else value.formula)
            continue
        left = chance_latex(chance) if latex else chance.formula
        if latex:
            left = rf"\left({left}\right)" if factor(chance.formula)[0] == "(" else left
            right = text if text.startswith(r"\frac") or len(value.terms) == 1 else f"({text})"
            out.append(rf"{left}\, {right}")
        else:
            right = text if len(value.terms) == 1 or text.startswith("(") else f"({text})"
            out.append(f"{factor(left)} {right}")
    return " + ".join(out) or "0"


def outcome_latex(law: LimitLaw, names: Mapping[str, int]) -> str:
    """The values of the output with their probabilities, sampled ones in two digits."""
    shown = law.atoms
    if len(shown) == 1:
        return rf"c \to {average(shown[0].shares, names).latex}"
    lines = [
        rf"{average(atom.shares, names).latex} & \text{{with probability }} "
        + (_with_number(atom) if law.exact else tex(atom.chance.value, 2))
        for atom in shown[:MOST_SHOWN]
    ]
    if len(shown) > MOST_SHOWN:
        lines.append(rf"\ldots & \text{{{len(shown) - MOST_SHOWN} more}}")
    return r"c \to \begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"


def _with_number(atom: Outcome) -> str:
    latex = chance_latex(atom.chance)
    if atom.chance.symbolic and factor(atom.chance.formula) != atom.chance.formula:
        return rf"{latex} = {number(atom.chance.value)}"
    return latex


def means_named(names: Mapping[str, int], shown: str) -> str:
    """What the means of several values in a formula are."""
    said = []
    if re.search(r"\\bar\{v\}(?!_)", shown):
        said.append(r"$\bar{v}$ is the mean of all values")
    if r"\bar{v}_{\mathrm{rest}}" in shown:
        said.append(r"$\bar{v}_{\mathrm{rest}}$ is the mean of the values without a name")
    for name in names:
        mean = rf"\bar{{v}}_{{-{subscript(name)}}}"
        if mean in shown:
            said.append(f"${mean}$ is the mean of all values but $v_{{{subscript(name)}}}$")
    return f" Here {', '.join(said)}." if said else ""
