"""What an answer says: formulas in the symbols, numbers with units and digits, shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from regard.certify.certificate import Unusable
from regard.certify.formulas.rational_functions import Ratio
from regard.checking.answers import Answer
from regard.checking.typed.names import meant
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.count.instance.sizes import Symbols
from regard.kinds.count.spec import SHAPES, SIZES, CountProblem
from regard.kinds.count.units import is_prefix, unit
from regard.language import Formula, parse
from regard.language.formula.tree import Node

_LITERAL = re.compile(r"[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?")
_BETWEEN = r",|×|\\times|\bby\b"
_TIMES = ("x", "X", "times", "fold")  # after a ratio: 8x
_INSTEAD_OF_TIMES = " A ratio is a number by itself, and a product is written with *."


@dataclass(frozen=True, eq=False)
class Side:
    """One side of what is said under a name, such as 4 d^2 or 1.05M.

    Attributes:
        text: as it is written.
        ratio: what it is, as a function of the symbols; None where it is not rational.
        formula: with run-together names parted; None for a plain number.
        uses: the symbols that it names.
        unit: half a unit of its last digit, where it may be rounded; 0 where it is exact.
    """

    text: str
    ratio: Ratio | None
    formula: Formula | None
    uses: frozenset[str]
    unit: Fraction = Fraction(0)


@dataclass(frozen=True, eq=False)
class Names:
    """What names in an answer stand for.

    Attributes:
        symbols: of the problem.
        known: symbols and sizes as functions.
        of_bytes: whether bytes are counted.
        binary: whether MB is 2²⁰ bytes.
    """

    symbols: Symbols
    known: Mapping[str, Ratio]
    of_bytes: bool
    binary: bool

    def side(self, name: str, formula: Formula) -> Side:
        """Read one side."""
        formula = _parted(formula, self.known, self)
        _one_number(name, formula)
        units: dict[str, Ratio] = {}
        symbols = set(self.known)
        if self.of_bytes and formula.names & symbols == {"bytes"}:
            symbols -= {"bytes"}  # 2621440 bytes: a unit, and not the size of a number
        words = {"byte"} if name.startswith("intensity") else set()  # 8 FLOPs/byte
        for one in sorted(formula.names - symbols):
            factor = unit(one, of_bytes=self.of_bytes, binary=self.binary)
            if one in words:
                factor = Fraction(1)
            if factor is None:
                ratio_only = _INSTEAD_OF_TIMES if one in _TIMES else ""
                raise InvalidAnswer(
                    f"answer: {name}: {one} is no symbol, size or unit here."
                    f"{ratio_only or meant(one, self.known)} Symbols and sizes are "
                    f"{', '.join(sorted(self.known))}."
                )
            units[one] = self.symbols.number(factor)
        uses = frozenset(formula.names & symbols)
        known = {**self.known, **units}
        try:
            ratio: Ratio | None = self.symbols.value(formula, known)
        except Unusable:
            ratio = None
        except (KeyError, ZeroDivisionError):
            raise InvalidAnswer(f"answer: {name} must be a formula of one number.") from None
        last = Fraction(0) if uses or ratio is None else self._last_digit(formula, known, ratio)
        return Side(formula.text.strip(), ratio, formula, uses, last)

    def _last_digit(self, formula: Formula, known: Mapping[str, Ratio], ratio: Ratio) -> Fraction:
        """Return half a unit of the last digit written; of three digits or more a whole one."""
        places = [i for i, node in enumerate(formula.tree) if node.op == "number"]
        texts = {i: _literal(formula, formula.tree[i]) for i in places}
        rounded = [i for i in places if "." in texts[i] or "e" in texts[i].lower()]
        if not rounded and any(is_prefix(one) for one in formula.names):
            rounded = places[:1]
        if len(rounded) != 1:
            return Fraction(0)
        (at,) = rounded
        digits, step = _digits(texts[at])
        node = formula.tree[at]
        moved = Node(node.op, node.arity, float(Fraction(repr(node.value)) + step), node.column)
        tree = (*formula.tree[:at], moved, *formula.tree[at + 1 :])
        other = self.symbols.field.value(tree, {"": self.symbols.number(0), **known})
        here, there = (self.symbols.here(one) for one in (ratio, other))
        if here is None or there is None:
            return Fraction(0)
        return abs(there - here) / (1 if digits > 2 else 2)

    def plain(self, value: float, whole: bool) -> Side:
        """Read a number that is no text."""
        exact = Fraction(repr(value)) if np.isfinite(value) else Fraction(0)
        ratio = self.symbols.number(exact) if np.isfinite(value) else None
        if whole and abs(exact) < 2**53:
            return Side(f"{value:g}", ratio, None, frozenset())
        digits, step = _digits(repr(value))
        last = abs(step) / (1 if digits > 2 else 2) if not whole else abs(exact) / 2**52
        return Side(f"{value:.12g}", ratio, None, frozenset(), last)


def _one_number(name: str, formula: Formula) -> None:
    try:
        shape = formula.shape(dict.fromkeys(formula.names, ()))
    except FormulaError as error:
        raise InvalidAnswer(f"answer: {name}: {error}") from None
    if shape != () or formula.is_condition:
        raise InvalidAnswer(f"answer: {name} must be a formula of one number.")


def _digits(text: str) -> tuple[int, Fraction]:
    """Return how many digits a number has, and a unit of the last; 1.05e6 has 3."""
    _, digits, exponent = Decimal(text).as_tuple()
    if not isinstance(exponent, int):
        return 0, Fraction(0)
    found = "".join(map(str, digits)).lstrip("0")
    if exponent > 0 or text.endswith(".0"):  # zeros that Python added
        stripped = found.rstrip("0") or "0"
        exponent += len(found) - len(stripped)
        found = stripped
    return len(found), Fraction(10) ** exponent


def _literal(formula: Formula, node: Node) -> str:
    found = _LITERAL.match(formula.text, node.column)
    return "0" if found is None or not found[0] else found[0]


def _parted(formula: Formula, known: Mapping[str, Any], names: Names) -> Formula:
    """Return a formula with names that were run together, such as 12Ld^2, as products."""
    text = formula.text
    for one in sorted(formula.names - set(known), key=len, reverse=True):
        if unit(one, of_bytes=names.of_bytes, binary=names.binary) is not None:
            continue
        parts = _segments(one, sorted(known, key=len, reverse=True))
        if parts:
            text = re.sub(rf"(?<![A-Za-z_]){re.escape(one)}(?![A-Za-z_])", " ".join(parts), text)
    if text == formula.text:
        return formula
    try:
        return parse(text)
    except FormulaError:
        return formula


def _segments(word: str, names: list[str]) -> list[str]:
    """Return names that make up a word side by side; [] where none do."""
    if not word:
        return []
    for name in names:
        if word == name:
            return [name]
        if word.startswith(name):
            rest = _segments(word[len(name) :], names)
            if rest:
                return [name, *rest]
    return []


def names_for(
    problem: CountProblem, symbols: Symbols, sizes: Mapping[str, Ratio], name: str
) -> Names:
    """Return what names stand for in a field."""
    of_bytes = "bytes" in name or "bytes" in problem.definitions.get(name, "")
    binary = problem.given.conventions.prefixes == "binary"
    known = {one: ratio for one, ratio in sizes.items() if one in SIZES}
    known |= {one: symbols.symbol(one) for one in symbols.names}
    return Names(symbols, known, of_bytes, binary)


def sides(answer: Answer, name: str, names: Names) -> list[Side]:
    """Return every side of a field: `P = 4 d^2 = 1.05M` has two."""
    said = answer.need(name)
    if isinstance(said, bool | dict | list) or (isinstance(said, np.ndarray) and said.size != 1):
        raise InvalidAnswer(f"answer: {name} must be a formula or a number.")
    if isinstance(said, Formula) and len(said.tree) == 1:
        (one,) = said.names or {""}
        if one != name and one in answer.fields and one not in names.known:
            rest = {other: field for other, field in answer.fields.items() if other != name}
            return sides(replace(answer, fields=rest), one, names)  # the same as another field
    if not isinstance(said, Formula):
        whole = answer.decimals.get(name) in (0, [0])
        return [names.plain(float(np.asarray(said).reshape(())), whole)]
    parts = _as_written(said) if set(said.relations) == {"="} else [said]
    if said.is_condition and set(said.relations) != {"="}:
        raise InvalidAnswer(f"answer: {name} must be a formula or a number, and no comparison.")
    first = parts[0]
    is_name = len(parts) > 1 and len(first.tree) == 1 and first.tree[0].op == "name"
    if is_name and (first.names - set(names.known) or str(first) == name):
        parts = parts[1:]
    return [names.side(name, one) for one in parts]


def _as_written(said: Formula) -> list[Formula]:
    """Return the sides of an equation with their numbers as they are written, such as 1.7e11."""
    texts = said.text.split("=")
    if len(texts) != len(said.sides):
        return list(said.sides)
    return [parse(text) for text in texts]


def axes(answer: Answer, name: str, names: Names) -> list[Side]:
    """Return the axes that a field names: (4, 10, 64), ["B", "n", "d"] or B × n × d."""
    said = answer.need(name)
    if isinstance(said, np.ndarray):
        return [names.plain(float(one), True) for one in said.reshape(-1)]
    if isinstance(said, float):
        return [names.plain(said, True)]
    if isinstance(said, list):
        parts = said
    elif isinstance(said, Formula):
        text = re.sub(r"(?<=[0-9])\s*x\s*(?=[0-9])", ",", said.text.strip().strip("()[]"))
        between = _BETWEEN if "x" in names.known else _BETWEEN + r"|\bx\b"
        if not re.search(between, text):
            between = r"\*"  # B*n*d; in (B, n, h*k) it is a product
        try:
            parts = [parse(part) for part in re.split(between, text) if part.strip()]
        except FormulaError:
            raise InvalidAnswer(
                f"answer: {name} must be a list of sizes, as (4, 10, 64)."
            ) from None
    else:
        raise InvalidAnswer(f"answer: {name} must be a list of sizes, as (4, 10, 64).")
    found = []
    for one in parts:
        if isinstance(one, Formula):
            found.append(names.side(name, one))
        elif isinstance(one, float):
            found.append(names.plain(one, True))
        else:
            raise InvalidAnswer(f"answer: {name} must be a list of sizes, as (4, 10, 64).")
    return found


def truth(answer: Answer, name: str) -> bool:
    """Return true or false, also where it is written as a word."""
    said = answer.need(name)
    if isinstance(said, bool):
        return said
    word = str(said).strip().lower() if isinstance(said, Formula) else ""
    if word in ("true", "yes", "t", "false", "no", "f"):
        return word in ("true", "yes", "t")
    raise InvalidAnswer(f"answer: {name} must be true or false.")


def is_shape(problem: CountProblem, name: str) -> bool:
    """Whether a field asks for a shape."""
    return problem.split(name)[0] in SHAPES
