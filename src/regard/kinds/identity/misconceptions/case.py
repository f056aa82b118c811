"""A wrong formula of an answer, and whether it is right once it is repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from regard.checking.numbers.stated_numbers import stated
from regard.checking.tags.softmax_substitutes import Weigh
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.identity.instance import (
    Float64,
    Values,
    drawn_numbers,
    error_of,
    expected,
    indexed,
)
from regard.kinds.identity.reading import Asked, Misfit
from regard.kinds.identity.spec import IdentityClaim
from regard.language import Formula
from regard.language.formula.tree import Node, Tree, operands, starts

CLOSE = 1e-9  # whole numbers are exact, softmax is not
SEEDS = range(5)
Turn = Callable[[Values], Values]


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong formula, or wrong sizes of one.

    Attributes:
        asked: the problem and all formulas of the answer.
        claim: which of them.
        stated: the sizes that are wrong; none where it is the formula.
    """

    asked: Asked
    claim: IdentityClaim
    stated: tuple[str, ...] = ()

    @property
    def field(self) -> Any:
        """The formula, or what stands in its place."""
        return self.asked.answer.need(self.claim.name)

    @cached_property
    def indices(self) -> list[str]:
        """The names of rows and entries that the formula uses."""
        used = self.field.names if isinstance(self.field, Formula) else frozenset()
        return sorted(used & set(self.asked.given.indexed()))

    @cached_property
    def drawn(self) -> list[tuple[Values, Float64]]:
        """Numbers, and what the formula must come to, wherever that is defined."""
        tried = [drawn_numbers(self.asked.given, seed) for seed in SEEDS]
        found = [(values, self.wanted(values)) for values in tried]
        return [(values, wanted) for values, wanted in found if np.all(np.isfinite(wanted))]

    @property
    def beside(self) -> tuple[Case, ...]:
        """The formulas of the answer for everything that is asked for."""
        return tuple(Case(self.asked, claim) for claim in self.asked.problem.goal.claims)

    @property
    def whole(self) -> bool:
        """Whether it is about a formula for the whole, which can be tried on numbers."""
        numbers = isinstance(self.field, np.ndarray)
        return not (self.stated or numbers or self.indices) and bool(self.drawn)

    def wanted(self, values: Values, weigh: Weigh | None = None) -> Float64:
        """Return what it must come to, or would with something else in place of softmax."""
        return expected(self.claim, self.asked.given, values, weigh)

    def value(self, values: Values, wanted: Float64) -> Any:
        """Return what it comes to; NaN where it is a part only. Misfit where sizes do not fit."""
        return np.nan if self.indices else self.asked.value(self.claim.name, values, wanted.shape)

    def found(self, values: Values, wanted: Float64, tree: Tree | None = None) -> Any:
        """Return what it comes to, or None where it does not fit."""
        try:
            return self.asked.value(self.claim.name, values, wanted.shape, tree)
        except (Misfit, InvalidAnswer):
            return None

    def right(
        self, turn: Turn | None = None, *, turned: bool = False, tree: Tree | None = None
    ) -> bool:
        """Whether it is right once it is repaired, on all numbers tried.

        Args:
            turn: changes what the symbols stand for.
            turned: whether the result is to be transposed.
            tree: another formula.
        """
        for values, wanted in self.drawn:
            if turned and wanted.ndim < 2:
                return False
            there = values if turn is None else turn(values)
            found = self.found(there, wanted.T if turned else wanted, tree)
            if found is None:
                return False
            if not error_of(np.transpose(found) if turned else found, wanted) <= CLOSE:
                return False
        return True

    def repaired(self, tag: str) -> bool:
        """Whether it is right with the repair of this mistake, somewhere in it."""
        trees = repairs(self.field.tree) if isinstance(self.field, Formula) else ()
        return any(one == tag and self.right(tree=tree) for one, tree in trees)

    @property
    def matrices(self) -> list[str]:
        """The names of all symbols and sizes."""
        return list(self.asked.given.whole_shapes())

    def names_sizes(self, wanted: Iterable[str]) -> bool:
        """Whether the sizes that are stated are these, by name or by a number that is told."""
        names = tuple(wanted)
        known = self.asked.given.known_sizes()
        told = stated(self.asked.problem.statement, {n: known[n] for n in names if n in known})
        sizes = {n: known[n] for n in told}
        return len(self.stated) == len(names) and all(
            part in (name, str(sizes.get(name)))
            for part, name in zip(self.stated, names, strict=True)
        )

    def numbers_of_example(self) -> bool:
        """Whether the sizes that are stated are numbers of the example, which nobody is told."""
        sizes, names = self.asked.given.known_sizes(), tuple(self.claim.shape or ())
        return (
            len(self.stated) == len(names) > 0
            and all(part.isdigit() for part in self.stated)
            and all(str(sizes.get(n)) == s for n, s in zip(names, self.stated, strict=True))
        )

    @property
    def asks_for_weights(self) -> bool:
        """Whether what is asked for are weights: positive, with the sum 1, or rows of these."""
        return bool(self.drawn) and all(
            wanted.ndim > 0 and np.all(wanted > 0) and np.allclose(wanted.sum(axis=-1), 1)
            for _, wanted in self.drawn
        )


def part_is_right(case: Case) -> bool:
    """Whether an answer with an index is that row or entry of what is asked for."""
    for values, wanted in case.drawn:
        for i, j in ((0, 0), (0, 1), (1, 0)):
            there = indexed(case.asked.given, values, i, j)
            try:
                found = case.field.evaluate(case.asked.symbols(there, case.claim.name))
            except FormulaError:
                return False
            part = wanted[i, j] if np.ndim(found) == 0 and wanted.ndim == 2 else wanted[i]
            if not error_of(found, np.asarray(part)) <= CLOSE:
                return False
    return True


def repairs(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Return the formula with one product turned round, one transpose changed, or one sum."""
    first = starts(tree)
    for end, node in enumerate(tree):
        before, part, after = tree[: first[end]], tree[first[end] : end + 1], tree[end + 1 :]
        if node.op in ("*", "·"):
            left, right = operands(part)
            yield "matrix-on-the-wrong-side", before + right + left + (node,) + after
            if left[-1].op == node.op:  # in a row of factors also the next two
                one, two = operands(left)
                row = one + right + (node,) + two + (node,)
                yield "matrix-on-the-wrong-side", before + row + after
        if node.op == "'":
            yield "transpose-forgotten", before + part[:-1] + after
        else:
            yield "transpose-forgotten", before + part + (Node("'", 1),) + after
        if node.op in ("+", "-") and node.arity == 2:
            left, right = operands(part)
            yield "sum-instead-of-product", before + left + right + (Node("*", 2),) + after
            yield "sum-instead-of-product", before + right + left + (Node("*", 2),) + after
