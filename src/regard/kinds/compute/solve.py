"""Compute a worked example exactly, and compare what is printed elsewhere with it.

A printed number agrees if it is what comes out, rounded to the digits that are printed. Of one that
does not, what follows from it is computed too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from operator import mul
from typing import Any, Literal

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.numbers import Exact, Exponentials, Surd, quotient, share
from regard.analysis.exact_trace.trace import Trace, trace
from regard.certify import Certificate, Claim
from regard.certify.claims import computed
from regard.kinds.compute.instance import FIELDS, LETTERS, Example, exact_row
from regard.kinds.compute.spec import (
    INPUTS,
    ROOT,
    ComputeGiven,
    ComputeProblem,
    fraction,
    fractions,
    quantity,
)
from regard.solving.finding import Finding, Status

ENOUGH = 60  # digits in which a printed number and an irrational one are told apart
Place = tuple[str, int]  # a letter, and a token counted from 1
Rows = dict[Place, tuple[Exact, ...]]


@dataclass(frozen=True)
class PrintedRow:
    """One printed row beside what comes out.

    Attributes:
        letter: q, k, v, z, a or c.
        token: whose, counted from 1.
        printed: the numbers as they are printed.
        values: those that come out.
        wrong: the places, from 0, of those that do not agree.
        cut: whether some agree only as cut off instead of rounded.
        follows: what each quantity would be with the printed numbers, if some are wrong.
        carried: the name of a wrong printed row that these wrong numbers follow from.
    """

    letter: str
    token: int
    printed: tuple[Any, ...]
    values: tuple[Exact, ...]
    wrong: tuple[int, ...]
    cut: bool
    follows: Rows
    carried: str

    @property
    def name(self) -> str:
        """As the problem has it."""
        return f"{self.letter}_{self.token}"

    @property
    def only_signs(self) -> bool:
        """Whether what is wrong has the right size."""
        pairs = [(fraction(self.printed[p]), rational(self.values[p])) for p in self.wrong]
        return all(printed == -value for printed, value in pairs)


@dataclass(frozen=True, eq=False, kw_only=True)
class Numbers(Finding):
    """Every number of a worked example.

    Attributes:
        found: the whole computation.
        places: what is asked for, row by row, each once and in the order of the computation.
        printed: every row that is printed, in that order.
    """

    found: Trace
    places: tuple[Place, ...]
    printed: tuple[PrintedRow, ...]

    @property
    def wrong(self) -> list[PrintedRow]:
        """The printed rows that do not agree."""
        return [row for row in self.printed if row.wrong]


def solve(problem: ComputeProblem) -> Numbers:
    """Compute what is asked for in exact numbers."""
    given, goal = problem.given, problem.goal
    found = Example(given).found
    asked = map(quantity, goal.find)
    places = _ordered((one.letter, token) for one in asked for token in one.tokens(found.n))
    certificate = _certificate(found, given, places)
    return Numbers(
        Status.COMPUTED,
        {name: _answer(found, name) for name in goal.find},
        certificate,
        reaches=tuple(range(len(certificate.claims))),  # one for each place that is asked for
        found=found,
        places=tuple(places),
        printed=_compared(found, goal.printed),
    )


def _ordered(places: Iterable[Place]) -> list[Place]:
    """Return each place once, in the order of the computation."""
    return sorted(set(places), key=lambda place: (LETTERS.index(place[0]), place[1]))


def _answer(found: Trace, name: str) -> list[Any]:
    letter, token = quantity(name)
    rows = _plain(getattr(found, FIELDS[letter]))
    return rows if token is None else rows[token - 1]


def _plain(rows: Iterable[Iterable[Exact]]) -> list[Any]:
    """Write numbers as an answer file does: exactly if they are rational."""

    def plain(value: Exact) -> int | float | str:
        if not isinstance(value, Fraction):
            return float(value)
        return value.numerator if value.denominator == 1 else str(value)

    return [[plain(value) for value in row] for row in rows]


def _certificate(found: Trace, given: ComputeGiven, places: Sequence[Place]) -> Certificate:
    """Claim every row that is asked for: rationals exactly, others to the last bit of a float."""
    inputs = {name: fractions(getattr(given, name)) for name in INPUTS}
    over = {
        name: math.lcm(*(x.denominator for x in rows.reshape(-1).tolist()))
        for name, rows in inputs.items()
    }
    arrays = {name: (rows * over[name]).astype(float) for name, rows in inputs.items()}
    surd = isinstance(found.scale, Surd)
    root = found.scale.root if isinstance(found.scale, Surd) else found.scale.denominator**2
    claims: list[Claim] = []
    for letter, field in FIELDS.items():
        tokens = [token for one, token in places if one == letter]
        name, matrix = "outputs" if letter == "c" else field, getattr(found, field)
        if len(tokens) == found.n:
            entries, bound = _stated(letter, matrix)
            claims.append(computed.claim(name, entries, bound=bound, over=over, root=root))
            continue
        for token in tokens:
            (row,), bound = _stated(letter, matrix[token - 1 : token])
            claims.append(
                computed.claim(name, row, row=token - 1, bound=bound, over=over, root=root)
            )
    return Certificate(arrays, tuple(claims), 1.0 if surd else float(found.scale.numerator))


def _stated(letter: str, rows: Any) -> tuple[list[list[Any]], float]:
    """Return entries for a claim, and how near they are."""
    entries = _plain(rows)
    if all(isinstance(value, Fraction) for row in rows for value in row):
        # Balls around exponentials shrink to a rational weight, and never are that number.
        return entries, 1e-50 if letter in "ac" else 0
    floats = [[float(value) for value in row] for row in rows]
    return floats, 2.0**-52 * max(1.0, max(abs(value) for row in floats for value in row))


def _compared(found: Trace, printed: Mapping[str, Any]) -> tuple[PrintedRow, ...]:
    """Return every printed row, in the order of the computation."""
    rows: dict[Place, Sequence[Any]] = {}
    for name, numbers in printed.items():
        letter, token = quantity(name)
        listed = [numbers] if token else numbers
        rows |= {(letter, token or i): row for i, row in enumerate(listed, 1)}
    compared: list[PrintedRow] = []
    for letter, token in _ordered(rows):
        numbers = tuple(rows[letter, token])
        values = exact_row(found, letter, token)
        verdicts = _agreement(numbers, values)
        wrong = tuple(place for place, verdict in enumerate(verdicts) if verdict == "wrong")
        follows, carried = {}, ""
        if wrong:
            follows = _followed(found, letter, token, [fraction(number) for number in numbers])
            carried = _carried(compared, (letter, token), numbers)
        row = PrintedRow(letter, token, numbers, values, wrong, "cut" in verdicts, follows, carried)
        compared.append(row)
    return tuple(compared)


def _agreement(
    numbers: Sequence[Any], values: Sequence[Exact]
) -> list[Literal["rounded", "cut", "wrong"]]:
    """Say of each printed number whether it is its value rounded, cut off, or wrong."""
    found: list[Literal["rounded", "cut", "wrong"]] = []
    for number, value in zip(numbers, values, strict=True):
        printed, right, text = fraction(number), rational(value), str(number)
        exponent = 0 if "/" in text else int(Decimal(text).as_tuple().exponent)
        unit = Fraction(0) if "/" in text else Fraction(10) ** exponent
        apart = abs(printed - right)
        cut = apart < unit and abs(printed) < abs(right)
        found.append("rounded" if apart <= unit / 2 else "cut" if cut else "wrong")
    return found


def rational(value: Exact) -> Fraction:
    """Return a number, or one that is so near that no printed one is between."""
    return value if isinstance(value, Fraction) else Fraction(decimal(value, ENOUGH))


def _carried(earlier: Sequence[PrintedRow], place: Place, numbers: Sequence[Any]) -> str:
    """Return the name of the wrong row that numbers follow from, or ""."""
    for row in earlier:
        if place in row.follows and "wrong" not in _agreement(numbers, row.follows[place]):
            return row.name
    return ""


def _followed(found: Trace, letter: str, token: int, numbers: Sequence[Fraction]) -> Rows:
    """Compute what comes after a row, with other numbers in it."""
    columns = found.values.T.tolist()
    if letter in "qkv":
        matrices = {one: getattr(found, FIELDS[one]).tolist() for one in "qkv"}
        matrices[letter][token - 1] = list(numbers)
        axes = [[int(i == j) for j in range(found.n)] for i in range(found.n)]
        # The tokens become axes and the matrices queries, keys and values themselves.
        scale = ROOT if isinstance(found.scale, Surd) else found.scale
        changed = trace(axes, *matrices.values(), scale=scale)
        tokens = [token] if letter == "q" else range(1, found.n + 1)
        after = "c" if letter == "v" else "zac"
        return {(one, row): exact_row(changed, one, row) for row in tokens for one in after}
    if letter == "z":
        row = Exponentials(tuple(numbers))
        weights = tuple(share(j, row) for j in range(found.n))
        return {("a", token): weights, ("c", token): tuple(quotient(v, row) for v in columns)}
    if letter == "a":
        sums = (sum(map(mul, numbers, column), Fraction(0)) for column in columns)
        return {("c", token): tuple(sums)}
    return {}
