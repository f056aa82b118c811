"""Numbers that are printed elsewhere, beside what comes out.

A printed number agrees if it is what comes out, rounded to the digits that are printed. Of one that
does not, what follows from it is computed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from regard.analysis.exact_trace.pipeline import Inexact, Pipeline, Traced, in_digits
from regard.kinds.compute.spec import ComputeProblem, Quantity, fraction, quantity, sizes

ENOUGH = 60  # digits in which a printed number and an irrational one are told apart
FOLLOWS = ("Q", "K", "V", "Z", "A", "C", "O", "R", "Y")  # what is worth telling
Place = tuple[str, int]
Rows = dict[Place, tuple[Traced, ...]]


@dataclass(frozen=True)
class PrintedRow:
    """One printed row, or a part of it, beside what comes out.

    Attributes:
        name: as the problem has it, such as q_2.
        place: the matrix, and the row counted from 1.
        printed: the numbers as they are printed.
        values: those that come out.
        wrong: the places, from 0, of those that do not agree.
        cut: whether some agree only as cut off instead of rounded.
        follows: what each quantity would be with the printed numbers, if some are wrong; only
            what changes.
        carried: the name of a wrong printed row that these wrong numbers follow from.
    """

    name: str
    place: Place
    printed: tuple[Any, ...]
    values: tuple[Traced, ...]
    wrong: tuple[int, ...]
    cut: bool
    follows: Rows
    carried: str

    @property
    def only_signs(self) -> bool:
        """Whether what is wrong has the right size."""
        pairs = [(fraction(self.printed[p]), rational(self.values[p])) for p in self.wrong]
        return all(printed == -value for printed, value in pairs)


def compared(problem: ComputeProblem, pipeline: Pipeline) -> tuple[PrintedRow, ...]:
    """Return every printed row, in the order of the computation."""
    given, found = problem.given, list[tuple[str, Place, tuple[Any, ...], int | None]]()
    known = sizes(given)
    order = list(known)
    for name, stated in problem.goal.printed.items():
        asked = quantity(name, given)
        rows: list[Any] = stated if asked.row is None else [stated]  # type: ignore[assignment]
        for i, row in enumerate(rows, asked.row or 1):
            listed = tuple(row) if isinstance(row, list) else (row,)
            found.append((row_name(asked.name, i), (asked.name, i), listed, asked.column))
    found.sort(key=lambda one: (order.index(one[1][0]), one[1][1]))
    compared_rows: list[PrintedRow] = []
    for name, place, numbers, column in found:
        values = tuple(pipeline.matrix(place[0])[place[1] - 1])
        if column is not None:
            values = values[column - 1 : column]
        verdicts = _agreement(numbers, values)
        wrong = tuple(at for at, verdict in enumerate(verdicts) if verdict == "wrong")
        follows, carried = Rows(), ""
        if wrong:
            if column is None:
                follows = _followed(pipeline, place, numbers, order)
            carried = _carried(compared_rows, place, numbers)
        cut = "cut" in verdicts
        compared_rows.append(PrintedRow(name, place, numbers, values, wrong, cut, follows, carried))
    return tuple(compared_rows)


def row_name(name: str, row: int) -> str:
    """Return the name of a row: q_2 of Q."""
    whole = Quantity(name)
    return f"{whole.other(whole.symbol.lower())}_{row}"


def _agreement(
    numbers: Sequence[Any], values: Sequence[Traced]
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


def rational(value: Traced) -> Fraction:
    """Return a number, or one that is so near that no printed one is between."""
    return value if isinstance(value, Fraction) else Fraction(in_digits(value, ENOUGH))


def _carried(earlier: Sequence[PrintedRow], place: Place, numbers: Sequence[Any]) -> str:
    """Return the name of the wrong row that numbers follow from, or ""."""
    for row in earlier:
        follows = row.follows.get(place, ())
        if len(numbers) == len(follows) and "wrong" not in _agreement(numbers, follows):
            return row.name
    return ""


def _followed(pipeline: Pipeline, place: Place, numbers: Sequence[Any], order: list[str]) -> Rows:
    """Compute what comes after a row, with other numbers in it: what is not as it was."""
    name, row = place
    changed = pipeline.with_row(name, row - 1, numbers)
    found: Rows = {}
    for other in order[order.index(name) + 1 :]:
        depends = any(step.name == name for step in pipeline.needed(other))
        if Quantity(other).symbol not in FOLLOWS or not depends:
            continue
        new, old = changed.matrix(other), pipeline.matrix(other)
        for i in range(len(new)):
            if not all(map(_same, new[i], old[i])):
                found[other, i + 1] = tuple(new[i])
    return found


def _same(one: Traced, other: Traced) -> bool:
    if isinstance(one, Inexact) or isinstance(other, Inexact):
        return in_digits(one, 30) == in_digits(other, 30)
    return one == other
