"""How keys, numbers and weights are shown in solutions about queries."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.language import Formula, parse
from regard.problems.keys import Keys
from regard.report import Plot, Series, Table, number
from regard.report.numbers import listing as listing
from regard.report.numbers import short
from regard.solving.latex_numbers import tex

Float64 = NDArray[np.float64]

MOST_KEYS = 12  # that a table or a plot of weights shows
MOST_SPELLED = 6  # terms of an average that a sentence spells out
ALIKE = 12  # digits up to which weights are compared


def symbol(name: str) -> str:
    """Return a name of the formula language as LaTeX."""
    return parse(name).to_latex()


def formula_tex(text: str, digits: int = 4) -> str:
    """Return a formula as LaTeX, its numbers in a few digits, whole ones in all of theirs."""
    formula = parse(text)
    tree = tuple(
        replace(node, value=float(short(node.value, digits))) if node.op == "number" else node
        for node in formula.tree
    )
    return Formula(tree, text).to_latex()


def tex_vector(x: ArrayLike, digits: int = 4, most: int = 8) -> str:
    """Return a vector as LaTeX, its middle left out where it is long."""
    entries = [tex(entry, digits) for entry in np.asarray(x, float).tolist()]
    if len(entries) > most:
        entries = [*entries[: most - 1], r"\ldots", entries[-1]]
    return f"({', '.join(entries)})"


KNOWN = 1e-6  # the square root of what integrals in float64 know of squares


def below(x: float, limit: float) -> str:
    """A number, or that it is below what rounding leaves."""
    return short(x, 4) if x > limit else f"below {number(limit, 1)}"


def error_in_digits(x: float) -> str:
    """A root mean square from float64 integrals, which know squares to rounding only."""
    return short(x, 4) if x > KNOWN else f"below {short(KNOWN, 4)}"


def variance_in_digits(x: float) -> str:
    """A variance from the same integrals."""
    return short(x, 4) if x > KNOWN**2 else f"below {short(KNOWN**2, 4)}"


def drawn(errors: Float64, known: float = KNOWN) -> tuple[float, ...]:
    """Such root mean squares as heights of a curve: 0 where they are rounding only."""
    return tuple(float(x) if x > known else 0.0 for x in errors)


def the_others(count: int, verb: str) -> str:
    """The keys that are not wanted, with a verb: "the other key keeps", "the other 4 keys keep"."""
    return f"the other key {verb}s" if count == 1 else f"the other {count} keys {verb}"


def how_many(n: int, wanted: int) -> str:
    """How many keys there are, and how many of them are wanted."""
    return f"{n}, of which {wanted} {'is' if wanted == 1 else 'are'} wanted"


def key_name(given: Keys, row: int, prefix: str = "k") -> str:
    """What the key in a row is called: its name, or its number, counted from 1."""
    return f"{prefix}_{given.label(row)}"


def averaged(given: Keys, weights: Any) -> str:
    """Spell out an average of keys as LaTeX; weights may be fractions in text."""
    exact = [Fraction(w) if isinstance(w, str) else Fraction(float(w)) for w in weights]
    total = sum(exact)
    shares = [w / total for w in exact]
    used = [i for i, w in enumerate(shares) if w > Fraction(1, 10**12)]
    terms = []
    for i in sorted(used, key=lambda i: -shares[i])[:MOST_SPELLED]:
        share = shares[i].limit_denominator(1000)
        close = abs(share - shares[i]) < Fraction(1, 10**12)
        amount = (
            rf"\frac{{{share.numerator}}}{{{share.denominator}}}"
            if close and share.denominator > 1
            else tex(float(shares[i]))
        )
        key = symbol(key_name(given, i))
        terms.append(key if share == 1 and close else f"{amount} {key}")
    more = r" + \ldots" if len(used) > MOST_SPELLED else ""
    return " + ".join(terms) + more


def softmax(scores: ArrayLike) -> Float64:
    """The weights of scores (..., n)."""
    s = np.asarray(scores, float)
    powers = np.exp(s - np.max(s, axis=-1, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=-1, keepdims=True))


def weights_table(
    given: Keys, wanted: Float64, weights: Float64, prefix: str = "k", caption: str = "weights"
) -> Table:
    """The wanted keys and those of largest weight beside them; the rest in one row."""
    shown = shown_rows(wanted, weights)
    rows = [
        (
            f"${symbol(key_name(given, i, prefix))}$",
            number(float(wanted[i])),
            number(float(weights[i])),
        )
        for i in shown
    ]
    left = [i for i in range(len(wanted)) if i not in shown]
    if left:
        name = f"{len(left)} others together" if len(left) > 1 else "the other one"
        rows.append((name, "0", number(float(np.sum(weights[left])))))
    return Table(("key", "wanted", "weight"), tuple(rows), caption)


def weights_plot(
    given: Keys, wanted: Float64, weights: Float64, caption: str, prefix: str = "k"
) -> Plot:
    """Bars of what is wanted and what is given."""
    shown = shown_rows(wanted, weights)
    left = [i for i in range(len(wanted)) if i not in shown]
    labels = [f"${symbol(key_name(given, i, prefix))}$" for i in shown]
    labels += ["others"] if left else []

    def heights(all_of: Float64) -> tuple[float, ...]:
        rest = [float(np.sum(all_of[left]))] if left else []
        return (*(float(all_of[i]) for i in shown), *rest)

    series = (
        Series("wanted", tuple(labels), heights(wanted)),
        Series("given", tuple(labels), heights(weights)),
    )
    return Plot("bars", caption, "key", "weight", series)


def shown_rows(wanted: Float64, weights: Float64) -> list[int]:
    """Return which keys a table has: those wanted, then those of largest weight."""
    # Weights that are equal but for rounding stay in the order of the keys.
    a, b = np.round(wanted, ALIKE), np.round(weights, ALIKE)
    order = sorted(range(len(wanted)), key=lambda i: (-a[i], -b[i], i))
    return order[:MOST_KEYS]


def nice(x: float) -> float:
    """A number of one or two digits near x, for tables."""
    if x <= 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(x))
    return round(x / unit * 2) / 2 * unit
