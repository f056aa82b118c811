"""Statements about formulas as data: equations, inequalities and bounds on ranks, for all inputs.

`S(P X) = P S(X)`, `rank(W_Q W_K') <= D_K`, `rowsum(A) = ones(N) and A >= 0`, `S(P X) != S(X)`. What
has no quantifier holds for all arrays of the shapes that are declared; `!=` says that the sides are
not always the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from regard.errors import FormulaError
from regard.language import parse
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, apply, operands
from regard.problems.symbols import SymbolsGiven

Relation = Literal["=", "!=", ">=", ">", "rank <="]
_NUMERIC = frozenset(["number", "neg", "+", "-", "*", "/", "^"])
_TURNED = {"<": ">", "<=": ">=", ">": ">", ">=": ">="}
MOST_PARTS = 6


@dataclass(frozen=True)
class Assertion:
    """One relation between two formulas, without functions of the problem.

    Attributes:
        relation: "=", "!=" (not always the same), ">=", ">" in every entry, or "rank <=".
        left: a formula; with "rank <=" the matrix whose rank is meant.
        right: a formula; with "rank <=" the bound, in sizes.
        where: what names in them stand for, in order.
    """

    relation: Relation
    left: str
    right: str
    where: Mapping[str, str]

    def fields(self, given: SymbolsGiven) -> dict[str, Any]:
        """Return the symbols that it uses, as claims have them."""
        used = set(parse(self.left).names | parse(self.right).names)
        for name, text in reversed(list(self.where.items())):
            used |= parse(text).names if name in used else set()
        shapes = {n: list(s) for n, s in given.free_shapes().items() if n in used}
        sizes = {size for shape in shapes.values() for size in shape if isinstance(size, str)}
        if self.relation == "rank <=":  # a witness tells the sizes
            shapes |= {size: [] for size in sorted(sizes)}
        return {
            "shapes": shapes,
            "where": {name: text for name, text in self.where.items() if name in used},
            "permutations": [name for name in given.permutations if name in shapes],
            "positive": [name for name in given.positive if name in shapes],
        }


class Decided(Protocol):
    """What is known of one part of a statement."""

    @property
    def truth(self) -> bool | None:
        """Whether it is true; None where that is not known."""


D = TypeVar("D", bound=Decided)


def in_the_way(parts: Iterable[D]) -> D | None:
    """Return the part that keeps a statement from being true: a false one before an undecided one.

    A statement is true if all its parts are, and false if one is.
    """
    other = [part for part in parts if not part.truth]
    return next((part for part in other if part.truth is False), other[0] if other else None)


def assertions(given: SymbolsGiven, text: str, where: str = "says") -> list[Assertion]:
    """Return the parts of a statement, all of which have to hold.

    Raises:
        ValueError: it is no statement about formulas, or its shapes do not fit.
    """
    try:
        plain, definitions = given.written(text)
        tree = parse(plain).tree
        shapes = given.free_shapes()
        for name, one in definitions.items():
            shapes[name] = parse(one).shape(shapes)
        parse(plain).shape(shapes)
    except FormulaError as error:
        raise ValueError(f"{where}: {error}") from None
    found: list[Assertion] = []
    for compared in _conjuncts(tree, where):
        sides = operands(compared)
        for relation, left, right in zip(compared[-1].value, sides, sides[1:], strict=False):
            found.append(_one(relation, left, right, definitions, where, shapes))
    if len(found) > MOST_PARTS:
        raise ValueError(f"{where}: at most {MOST_PARTS} relations go into one statement")
    return found


def _conjuncts(tree: Tree, where: str) -> list[Tree]:
    node = tree[-1]
    if node.op == "and":
        return [one for part in operands(tree) for one in _conjuncts(part, where)]
    if node.op != "compare":
        raise ValueError(
            f"{where}: a statement is an equation or an inequality, such as S(P X) = P S(X), or "
            "several joined by `and`"
        )
    return [tree]


def _one(
    relation: str,
    left: Tree,
    right: Tree,
    definitions: Mapping[str, str],
    where: str,
    shapes: Mapping[str, tuple[int | str, ...]],
) -> Assertion:
    if relation in ("<", "<="):
        left, right = right, left
    turned = _TURNED.get(relation, relation)
    ranks = [side[-1].op == "call" and side[-1].value == "rank" for side in (left, right)]
    anywhere = any(node.value == "rank" for side in (left, right) for node in side)
    if not anywhere:
        number = all(node.op in _NUMERIC for node in left)
        if turned in (">", ">=") and (number or (_single(left, shapes) > _single(right, shapes))):
            left, right = apply("neg", right), apply("neg", left)  # a number stands on the right
        return Assertion(turned, to_text(left), to_text(right), definitions)  # type: ignore[arg-type]
    if ranks != [False, True] or turned != ">=":
        raise ValueError(f"{where}: of a rank it is asked how large it is at most: rank(A) <= D")
    (matrix,) = operands(right)
    return Assertion("rank <=", to_text(matrix), to_text(left), definitions)


def _single(side: Tree, shapes: Mapping[str, tuple[int | str, ...]]) -> bool:
    """Whether a side is one number."""
    return parse(to_text(side)).shape(shapes) == ()
