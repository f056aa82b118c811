"""Count what is asked for: list the parts, multiply their sizes out, put the numbers in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from regard.certify import Certificate, Claim
from regard.certify.claims.worked_examples import counts
from regard.certify.formulas.rational_functions import Field, Ratio
from regard.certify.formulas.written_ratio import at_known, written
from regard.kinds.count.solve.inventory import Inventory, Part, inventories
from regard.kinds.count.solve.shapes import Step, shape_steps
from regard.kinds.count.solve.totals import Total, total
from regard.kinds.count.spec import SHAPES, CountProblem
from regard.language import parse
from regard.solving.finding import Finding, Status

__all__ = ["Counted", "Counts", "Shaped", "solve"]

Numbers = Mapping[str, Fraction]


@dataclass(frozen=True, eq=False)
class Counted:
    """One quantity that is a number.

    Attributes:
        name: what the problem calls it.
        parts: what was counted, with the formula and the number of each.
        total: how the parts make up the quantity, in their names.
        formula: multiplied out, in the symbols.
        number: at the numbers of the problem; None where some are not given.
    """

    name: str
    parts: dict[str, tuple[Part, str, Fraction | None]]
    total: str
    formula: str
    number: Fraction | None


@dataclass(frozen=True, eq=False)
class Shaped:
    """One shape: the axes as formulas, the numbers if all are known, and the steps to it."""

    name: str
    axes: tuple[str, ...]
    numbers: tuple[int, ...] | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts(Finding):
    """Everything that was asked for.

    Attributes:
        found: quantities and shapes, in the order in which they were counted.
        same: for each quantity that is compared: whether all configurations agree.
        orders: for each order: the quantity, the symbol and its power.
        symbols: the symbols, with their numbers where they are given.
    """

    found: tuple[Counted | Shaped, ...]
    same: dict[str, bool]
    orders: dict[str, tuple[str, str, int]]
    symbols: dict[str, Fraction | None]


@dataclass(frozen=True, eq=False)
class _Book:
    """A problem with the field of its symbols."""

    problem: CountProblem
    names: tuple[str, ...]
    numbers: Numbers
    field: Field
    empty: dict[str, Inventory]

    def ratio(self, parts: Mapping[str, Part], text: str) -> tuple[Ratio, dict[str, Ratio]]:
        """Multiply a total out; return also what each part is."""
        known = {name: self.field.symbol(name) for name in self.names} | {"": self.field.number(0)}
        each = {name: self._part(part, known) for name, part in parts.items()}
        return self.field.value(parse(text).tree, known | each), each

    def _part(self, part: Part, known: Mapping[str, Ratio]) -> Ratio:
        value = self.field.value(parse(part["times"]).tree, known)
        sizes = [self.field.value(parse(size).tree, known) for size in part["sizes"]]
        if part["kind"] == "additions":
            sizes[1] = sizes[1] - self.field.number(fmpq(1))
        for size in sizes:
            value = value * size
        return value

    def text(self, ratio: Ratio) -> str:
        return written(ratio, self.names)

    def number(self, ratio: Ratio) -> Fraction | None:
        """Return the number, where those that matter are given."""
        return at_known(ratio, self.names, self.numbers)


def solve(problem: CountProblem) -> Counts:
    """Count everything that is asked for, exactly."""
    given, goal = problem.given, problem.goal
    names = given.symbols
    book = _Book(problem, names, given.numbers(), Field([], names), inventories(problem))
    found: dict[str, Counted | Shaped] = {}
    for name in goal.find:
        found[name] = (
            _shaped(book, name) if problem.split(name)[0] in SHAPES else _counted(book, name)
        )
    same: dict[str, bool] = {}
    for name in goal.same:
        every = [name, *(f"{name}_{other}" for other in given.others)]
        counts_of = [found.setdefault(one, _counted(book, one)) for one in every]
        first, *others = (one for one in counts_of if isinstance(one, Counted))
        same[f"same_{name}"] = all(_agree(first, other) for other in others)
    orders: dict[str, tuple[str, str, int]] = {}
    for name, order in goal.orders.items():
        one = found.setdefault(order.of, _counted(book, order.of))
        assert isinstance(one, Counted)
        orders[name] = (order.of, order.symbol, _power(book, one, order.symbol))
    answer: dict[str, Any] = {
        name: _answer(one, goal.form) for name, one in found.items() if name in goal.find
    }
    answer |= same
    answer |= {name: _order(symbol, power) for name, (_, symbol, power) in orders.items()}
    claims = tuple(_claim(book, one) for one in found.values())
    open_ = any(
        (one.number if isinstance(one, Counted) else one.numbers) is None for one in found.values()
    )
    return Counts(
        Status.PROVED if open_ or goal.form == "formula" else Status.COMPUTED,
        answer,
        Certificate({}, claims),
        reaches=tuple(range(len(claims))),
        found=tuple(found.values()),
        same=same,
        orders=orders,
        symbols={name: given.numbers().get(name) for name in names},
    )


def _counted(book: _Book, name: str) -> Counted:
    whole = _total(book, name)
    ratio, each = book.ratio(whole.parts, whole.text)
    parts = {
        key: (part, book.text(each[key]), book.number(each[key]))
        for key, part in whole.parts.items()
    }
    return Counted(name, parts, whole.text, book.text(ratio), book.number(ratio))


def _total(book: _Book, name: str) -> Total:
    """Return the parts of a quantity; of a defined one, those of all that it is made of."""
    define = book.problem.definitions
    if name not in define:
        quantity, other = book.problem.split(name)
        return total(book.empty[other], quantity)
    formula = parse(define[name])
    parts: dict[str, Part] = {}
    texts: dict[str, Any] = {}
    for place, used in enumerate(sorted(formula.names - set(book.names))):
        quantity, other = book.problem.split(used)
        empty = book.empty[other]
        # The same array may belong to two of them: each has parts of its own.
        one = total(Inventory(empty.given, empty.first, {}, f"{empty.mark}_{place + 1}"), quantity)
        parts |= one.parts
        texts[used] = parse(one.text)
    return Total(parts, str(formula.substitute(texts)))


def _shaped(book: _Book, name: str) -> Shaped:
    quantity, other = book.problem.split(name)
    inventory = book.empty[other]
    steps, _ = shape_steps(inventory, quantity.removeprefix("shape_"))
    axes = [book.ratio({}, text)[0] for text in _followed(steps)]
    numbers = [book.number(axis) for axis in axes]
    known = tuple(int(x) for x in numbers if x is not None)
    return Shaped(
        name,
        tuple(book.text(axis) for axis in axes),
        known if len(known) == len(numbers) else None,
        tuple(steps),
    )


def _followed(steps: list[Step]) -> list[str]:
    """Return the axes of the last step, as formulas."""
    found: dict[str, list[str]] = {}
    for name, how, *rest in steps:
        if how == "given":
            found[name] = list(rest[0])
        elif how == "split":
            *outer, length, width = found[rest[0]]
            found[name] = [*outer, rest[1], length, f"({width})/({rest[1]})"]
        elif how == "merge":
            *outer, heads, length, width = found[rest[0]]
            found[name] = [*outer, length, f"({heads}) ({width})"]
        else:
            other = found[rest[1]]
            found[name] = [*found[rest[0]][:-1], other[-2] if "transposed" in how else other[-1]]
    return found[steps[-1][0]]


def _claim(book: _Book, one: Counted | Shaped) -> Claim:
    if isinstance(one, Shaped):
        return counts.shape_claim(one.steps[-1][0], one.axes, one.steps)
    parts = {name: part for name, (part, _, _) in one.parts.items()}
    values = {name: str(x) for name, x in book.numbers.items() if name in book.names}
    number = None if one.number is None else str(one.number)
    return counts.claim(one.name, one.formula, parts, one.total, values, number)


def _agree(one: Counted, other: Counted) -> bool:
    if one.number is not None and other.number is not None:
        return one.number == other.number
    return one.formula == other.formula


def _power(book: _Book, one: Counted, symbol: str) -> int:
    """Return how fast a quantity grows: the degree above less the degree below."""
    ratio = book.field.value(
        parse(one.formula).tree, {name: book.field.symbol(name) for name in book.names}
    )
    place = book.names.index(symbol)
    above, below = (
        max((powers[place] for powers in poly.to_dict()), default=0)
        for poly in (ratio.above, ratio.below)
    )
    return int(above - below)


def _order(symbol: str, power: int) -> str:
    return "1" if power == 0 else symbol if power == 1 else f"{symbol}^{power}"


def _answer(one: Counted | Shaped, form: str) -> Any:
    if isinstance(one, Shaped):
        return list(one.numbers) if one.numbers is not None and form != "formula" else [*one.axes]
    if one.number is None or form == "formula":
        return one.formula
    if form == "both":
        return f"{one.formula} = {one.number}"
    return int(one.number) if one.number.denominator == 1 else str(one.number)
