"""Numbers printed elsewhere: which agree with what comes out, and what a wrong one would change.

A printed number agrees if it is what comes out, rounded to the digits that are printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from regard.analysis.exact_trace.decimals import decimal
from regard.analysis.exact_trace.numbers import (
    Exact,
    ExponentialQuotient,
    Exponentials,
    Surd,
    quotient,
)
from regard.analysis.exact_trace.trace import Trace, trace
from regard.kinds.compute.spec import fraction

FIELDS = {
    "q": "queries", "k": "keys", "v": "values", "z": "scores", "a": "weights", "c": "averages",
}  # fmt: skip
ENOUGH = 60  # digits in which a printed number and an irrational one are told apart
Rows = dict[tuple[str, int], tuple[Exact, ...]]


@dataclass(frozen=True)
class PrintedRow:
    """One printed row beside what comes out.

    Attributes:
        letter: q, k, v, z, a or c.
        token: whose, counted from 1.
        printed: the numbers as they are printed.
        values: those that come out.
        wrong: the places, from 0, of those that do not agree.
        cut: the places of those that were cut off instead of rounded.
        follows: what each quantity would be with the printed numbers, if some are wrong.
        carried: the name of a wrong printed row that these wrong numbers follow from.
    """

    letter: str
    token: int
    printed: tuple[Any, ...]
    values: tuple[Exact, ...]
    wrong: tuple[int, ...]
    cut: tuple[int, ...]
    follows: Rows
    carried: str = ""

    @property
    def name(self) -> str:
        """As the problem has it."""
        return f"{self.letter}_{self.token}"


def compare(found: Trace, printed: Mapping[str, Any]) -> tuple[PrintedRow, ...]:
    """Return every printed row, in the order of the computation."""
    rows: dict[tuple[str, int], Sequence[Any]] = {}
    for name, numbers in printed.items():
        if "_" in name:
            rows[name[0], int(name[2:])] = numbers
        else:
            rows |= {(name.lower(), i): row for i, row in enumerate(numbers, 1)}
    order = sorted(rows, key=lambda place: (list(FIELDS).index(place[0]), place[1]))
    compared: list[PrintedRow] = []
    for letter, token in order:
        numbers = tuple(rows[letter, token])
        values = tuple(getattr(found, FIELDS[letter])[token - 1])
        verdicts = [_agrees(*pair) for pair in zip(numbers, values, strict=True)]
        wrong = tuple(place for place, verdict in enumerate(verdicts) if verdict == "wrong")
        cut = tuple(place for place, verdict in enumerate(verdicts) if verdict == "cut")
        exact = [fraction(number) for number in numbers]
        follows = follow(found, letter, token, exact) if wrong else {}
        carried = _carried(compared, letter, token, numbers) if wrong else ""
        compared.append(PrintedRow(letter, token, numbers, values, wrong, cut, follows, carried))
    return tuple(compared)


def follow(found: Trace, letter: str, token: int, numbers: Sequence[Fraction]) -> Rows:
    """Compute what comes after a row, with other numbers in it."""
    i = token - 1
    values = found.values.tolist()
    if letter in "qkv":
        matrices = [getattr(found, FIELDS[one]).tolist() for one in "qkv"]
        matrices["qkv".index(letter)][i] = list(numbers)
        count = found.n
        axes = [[int(row == column) for column in range(count)] for row in range(count)]
        # The tokens become axes and the matrices queries, keys and values themselves.
        scale = "1/sqrt(d_k)" if isinstance(found.scale, Surd) else found.scale
        changed = trace(axes, *matrices, scale=scale)
        tokens = [i] if letter == "q" else range(count)
        letters = "c" if letter == "v" else "zac"
        return {
            (one, row + 1): tuple(getattr(changed, FIELDS[one])[row])
            for row in tokens
            for one in letters
        }
    if letter == "z":
        row = Exponentials(tuple(numbers))
        alone = ([Fraction(j == other) for other in range(found.n)] for j in range(found.n))
        weights = tuple(quotient(one, row) for one in alone)
        outputs = tuple(quotient(column, row) for column in zip(*values, strict=True))
        return {("a", token): weights, ("c", token): outputs}
    if letter == "a":
        columns = zip(*values, strict=True)
        sums = (sum(map(_product, numbers, column), Fraction(0)) for column in columns)
        return {("c", token): tuple(sums)}
    return {}


def _product(left: Fraction, right: Fraction) -> Fraction:
    return left * right


def _agrees(number: Any, value: Exact) -> str:
    """Say whether a printed number is a value "rounded", "cut" off, or "wrong"."""
    apart = abs(fraction(number) - _rational(value))
    text = str(number)
    unit = Fraction(0) if "/" in text else Fraction(10) ** int(Decimal(text).as_tuple().exponent)
    if apart <= unit / 2:
        return "rounded"
    shorter = abs(fraction(number)) < abs(_rational(value))
    return "cut" if apart < unit and shorter else "wrong"


def _rational(value: Exact) -> Fraction:
    if isinstance(value, Surd | ExponentialQuotient):
        return Fraction(decimal(value, ENOUGH))
    return value


def _carried(earlier: Sequence[PrintedRow], letter: str, token: int, numbers: Sequence[Any]) -> str:
    for row in earlier:
        values = row.follows.get((letter, token))
        if values and all(
            _agrees(number, value) != "wrong" for number, value in zip(numbers, values, strict=True)
        ):
            return row.name
    return ""
