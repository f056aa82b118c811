r"""What an entry of a formula is, written out in symbols, as LaTeX.

>>> from regard.certify.formulas.symbolic import evaluate
>>> from regard.certify.formulas.tensors import free
>>> from regard.language import parse
>>> norm = evaluate(parse("norm(q - k)^2"), {"q": free("q", ["d"]), "k": free("k", ["d"])}, {})
>>> to_latex(norm())
'\\sum_{a} k_{a}^{2} + \\sum_{a} q_{a}^{2} - 2 \\sum_{a} k_{a} q_{a}'
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from regard.certify.formulas.indices import Index, Place
from regard.certify.formulas.monomials import WIDTH, Exponent, Factor, Monomial, factors_of, places
from regard.certify.formulas.monomials import inner as parts_of
from regard.certify.formulas.polynomials import Poly
from regard.language import parse

MOST_TERMS = 6
MOST_LETTERS = 260
_LETTERS = "abcdefgh"
_INDICES = {1: "i", 2: "j"}


def to_latex(poly: Poly) -> str:
    """Return a polynomial as LaTeX; "" where that is too long, or holds what has no notation."""
    if len(poly.terms) > MOST_TERMS or not all(map(_shown, factors_of(poly))):
        return ""
    found = _sum(poly)
    return found if len(found) <= MOST_LETTERS else ""


def _shown(factor: Factor) -> bool:
    if factor[0] in ("i", "cis", "w", "delta", "seen") or factor[:2] == ("f", "^"):
        return False
    return all(_shown(one) for part in parts_of(factor) for one in factors_of(part))


def _sum(poly: Poly) -> str:
    written = [
        (_product(monomial, Fraction(str(c))), bool(c > 0)) for monomial, c in poly.terms.items()
    ]
    written.sort(key=lambda one: (not one[1], len(one[0]), one[0]))
    found = ""
    for text, plus in written:
        sign = (" + " if plus else " - ") if found else ("" if plus else "-")
        found += f"{sign}{text}"
    return found or "0"


def _product(monomial: Monomial, c: Fraction) -> str:
    """Write a product, without the sign of its coefficient."""
    powers = Poly()
    above: list[str] = []
    below: list[str] = []
    for factor, exponent in monomial:
        if factor[0] == "exp":
            times = Fraction(exponent)
            powers += Poly({factor[1]: _rational(times)})
        elif exponent > 0:
            above.append(_power(factor, exponent))
        else:
            below.append(_power(factor, -exponent))
    above.sort(key=lambda text: ("sum" in text, text))
    if powers:
        above.append(f"e^{{{_sum(powers)}}}")
    top, bottom = abs(c.numerator), c.denominator
    if top != 1 or not above:
        above.insert(0, str(top))
    if bottom != 1:
        below.insert(0, str(bottom))
    text = " ".join(above)
    return rf"\frac{{{text}}}{{{' '.join(sorted(below))}}}" if below else text


def _rational(value: Fraction) -> Any:
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)


def _power(factor: Factor, exponent: Exponent) -> str:
    text = _factor(factor)
    if exponent == 1:
        return text
    if factor[0] not in ("x", "n"):
        text = rf"\left({text}\right)"
    return f"{text}^{{{exponent}}}"


def _factor(factor: Factor) -> str:
    kind = factor[0]
    if kind == "x":
        base = parse(factor[1]).to_latex()
        return _at(base, factor[2:])
    if kind == "n":
        return parse(factor[1]).to_latex()
    if kind == "sum":
        own = ", ".join(_place(index) for index in sorted(_own(factor), reverse=True))
        return rf"\sum_{{{own}}} {_product(factor[1], Fraction(1))}"
    if kind == "root":
        return rf"\sqrt{{{_sum(factor[1])}}}"
    if kind == "poly":
        return rf"\left({_sum(factor[1])}\right)"
    inside = ", ".join(_sum(part) for part in factor[2:])
    return rf"\operatorname{{{factor[1]}}}\left({inside}\right)"


def _own(factor: Factor) -> Iterator[Index]:
    """Return the indices that a sum is over."""
    bound = [place for place in places(factor) if place.label < 0]
    depth = max(-place.label // WIDTH for place in bound)
    return (place for place in bound if -place.label // WIDTH == depth)


def _at(base: str, at: tuple[Place, ...]) -> str:
    if not at:
        return base
    spots = ", ".join(_place(place) for place in at)
    return rf"{base}_{{{spots}}}" if "_" not in base else rf"\left({base}\right)_{{{spots}}}"


def _place(place: Place) -> str:
    if isinstance(place, int):
        return str(place + 1)
    if place.word:
        (name, power), *others = place.word
        letter = parse(name).to_latex() + ("" if power > 0 else "^{-1}")
        return f"{letter}({_place(place._replace(word=tuple(others)))})"
    if place.label > 0:
        return _INDICES.get(place.label, "l")
    depth, number = divmod(-place.label, WIDTH)
    return _LETTERS[(number + 3 * (depth - 1)) % len(_LETTERS)]
