"""A statement that an answer is wrong about, and whether it is right once it is repaired.

A repair puts something else for a function: all ones for the causal mask, the scores for their
softmax. The statement is then computed in floats on drawn numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.sampling import generator
from regard.errors import FormulaError
from regard.kinds.choice.spec import ChoiceProblem, Statement
from regard.language import parse
from regard.language.formula.evaluation.evaluator import evaluate
from regard.language.formula.tree import Node, Tree, apply, names, operands
from regard.problems.assertions import Assertion
from regard.problems.symbols import Values

DRAWS = 5
CLOSE = 1e-7
Change = Callable[[Tree], Tree]


@dataclass(frozen=True, eq=False)
class Case:
    """A statement that an answer is wrong about.

    Attributes:
        problem: what is asked.
        statement: the one that the answer is wrong about.
        called: what the answer calls it.
    """

    problem: ChoiceProblem
    statement: Statement
    called: bool

    @property
    def parts(self) -> list[Assertion]:
        """What the statement asserts."""
        return self.problem.parts(self.statement)

    @property
    def trees(self) -> list[Tree]:
        """The formulas of the statement, also those that its names stand for."""
        texts = {x for part in self.parts for x in (part.left, part.right, *part.where.values())}
        return [parse(text).tree for text in sorted(texts)]

    @property
    def moved(self) -> bool:
        """Whether the statement is about a permutation."""
        used = {name for tree in self.trees for name in names(tree)}
        return bool(used & set(self.problem.given.permutations))

    def added(self, name: str) -> bool:
        """Whether a symbol is added to something."""
        return any(
            (Node("name", 0, name),) in operands(tree, at)
            for tree in self.trees
            for at, node in enumerate(tree)
            if node.op == "+"
        )

    def draws(self) -> Iterator[Values]:
        """Return numbers for all symbols."""
        given = self.problem.given
        for seed in range(DRAWS):
            yield given.draw(generator(700 + seed), given.sizes(seed % 3 * 2), 2)

    def right(self, change: Change | None = None, values: Values | None = None) -> bool | None:
        """Say whether the statement holds on drawn numbers, with its formulas changed.

        None: a change has nothing to act on.
        """
        changed = False
        for some in [values] if values is not None else self.draws():
            for part in self.parts:
                sides, acted = sides_of(part, some, change)
                changed = changed or acted
                if sides is None or not holds(part.relation, *sides):
                    return False if changed or change is None else None
        return True if changed or change is None else None


def sides_of(
    part: Assertion, values: Values, change: Change | None
) -> tuple[tuple[Any, Any] | None, bool]:
    """Return both sides in floats, and whether the change acted on something."""
    known, acted = dict(values), False

    def value(text: str) -> Any:
        nonlocal acted
        tree = parse(text).tree
        new = tree if change is None else change(tree)
        acted = acted or new != tree
        return evaluate(new, "", known)

    try:
        with np.errstate(all="ignore"):
            for name, text in part.where.items():
                known[name] = value(text)
            return (value(part.left), value(part.right)), acted
    except FormulaError:
        return None, acted


def holds(relation: str, left: Any, right: Any) -> bool:
    """Say whether a relation holds between two arrays, up to rounding."""
    one, other = np.asarray(left, float), np.asarray(right, float)
    if not (np.all(np.isfinite(one)) and np.all(np.isfinite(other))):
        return False
    if relation == "rank <=":
        return bool(np.linalg.matrix_rank(np.atleast_2d(one)) <= other)
    room = CLOSE * max(1.0, float(np.max(np.abs(one))), float(np.max(np.abs(other))))
    if relation in (">", ">="):
        return bool(np.all(one - other >= -room))
    return bool(np.all(np.abs(one - other) <= room)) == (relation == "=")


def _replaced(called: str, put: Callable[[list[Tree]], Tree | None]) -> Change:
    """Put something for every call of a function."""

    def change(tree: Tree) -> Tree:
        at = 0
        while at < len(tree):
            node = tree[at]
            new = None
            if node.op == "call" and node.value == called:
                parts = operands(tree, at)
                new = put(parts)
            if new is None:
                at += 1
                continue
            begin = at - sum(len(part) for part in parts)
            tree = (*tree[:begin], *new, *tree[at + 1 :])
            at = begin + len(new)
        return tree

    return change


def _all_ones(parts: list[Tree]) -> Tree:
    return apply("call", parts[0], parts[0], value="ones")


WITHOUT_MASK = _replaced("causal", _all_ones)
WITHOUT_SOFTMAX = _replaced("softmax", lambda parts: parts[0] if len(parts) == 1 else None)
WITHOUT_SUM = _replaced(
    "softmax",
    lambda parts: (
        apply("call", parts[0], value="exp")
        if len(parts) == 1
        else apply("call", apply("call", parts[0], value="exp"), parts[1], value="hadamard")
    ),
)
WITHOUT_RELU = _replaced("relu", lambda parts: parts[0])
WITHOUT_NORM = _replaced("layernorm", lambda parts: parts[0])
