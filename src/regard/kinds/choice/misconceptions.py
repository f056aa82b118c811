"""What is believed about attention and is not so, seen from what an answer calls true.

A belief is recognised by repairing the statement: if it is wrong as it stands and right without the
mask, that was overlooked. So the sentence of a tag has been tried on the very statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.mistakes import Mistake
from regard.checking.sampling import generator
from regard.errors import FormulaError
from regard.kinds.choice.spec import ChoiceProblem, Statement
from regard.language import parse
from regard.language.formula.evaluation import evaluate
from regard.language.formula.tree import Node, Tree, apply, names, operands
from regard.problems.assertions import Assertion
from regard.problems.symbols import Values

__all__ = ["MISTAKES", "OFTEN", "Case"]

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
                sides, acted = _sides(part, some, change)
                changed = changed or acted
                if sides is None or not _holds(part.relation, *sides):
                    return False if changed or change is None else None
        return True if changed or change is None else None


def _sides(
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


def _holds(relation: str, left: Any, right: Any) -> bool:
    one, other = np.asarray(left, float), np.asarray(right, float)
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


def _right_if(change: Change) -> Callable[[Case], bool]:
    return lambda case: case.right(change) is True


def _rows_move_along(case: Case) -> bool:
    """Whether one side is the other with its rows moved by a permutation of the statement."""
    for name in case.problem.given.permutations:
        for part in case.parts:
            right = Assertion(part.relation, part.left, f"{name} ({part.right})", part.where)
            sides = [_sides(right, values, None)[0] for values in case.draws()]
            if part.relation == "=" and all(one is not None and _holds("=", *one) for one in sides):
                return True
    return False


def _right_without_positions(case: Case) -> bool:
    """Whether it holds once an array that is added to the tokens is 0, and says something then."""
    given = case.problem.given
    if not given.permutations:
        return False
    rows = {given.shapes[name][0] for name in given.permutations}
    for name, shape in given.shapes.items():
        if len(shape) != 2 or shape[0] not in rows or not case.added(name):
            continue
        without = [{**values, name: 0 * values[name]} for values in case.draws()]
        if all(case.right(values=values) for values in without) and _says_something(case, without):
            return True
    return False


def _says_something(case: Case, draws: list[Values]) -> bool:
    """Whether the sides of an equation are not 0 wherever they are computed."""
    for values in draws:
        for part in case.parts:
            sides, _ = _sides(part, values, None)
            if sides is not None and float(np.max(np.abs(sides[0]))) > CLOSE:
                return True
    return False


def _is_rank(case: Case) -> bool:
    return any(part.relation == "rank <=" for part in case.parts)


def _by_positions(case: Case) -> bool:
    shared = case.statement.shared_positions
    return shared is not None and shared.over == "integers"


def _mistake(
    tag: str,
    sentence: str,
    shows: Callable[[Case], bool],
    idea: str = "",
    *,
    called: bool = True,
) -> Mistake[ChoiceProblem, Case]:
    """A wrong word about a statement of this form."""

    def spoiled(problem: ChoiceProblem, right: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        for statement in problem.goal.statements:
            label = statement.label
            if right.get(label) is called or label not in right:
                continue
            if shows(Case(problem, statement, called)):
                yield {n: x for n, x in {**right, label: called}.items() if n != f"reason_{label}"}

    def seen(case: Case) -> bool:
        return case.called is called and shows(case)

    return Mistake(tag, sentence, seen, idea=idea, spoiled=spoiled)


MISTAKES: tuple[Mistake[ChoiceProblem, Case], ...] = (
    _mistake(
        "positions-repeat",
        "Sines and cosines come back after a multiple of 2 pi, and no whole number but 0 is one: "
        "whole positions never share an embedding.",
        _by_positions,
        "Sines repeat, so positions do",
    ),
    _mistake(
        "mask-overlooked",
        "The statement would hold without the causal mask. With it a row sees only what stands "
        "before it, so the order of the tokens matters.",
        lambda case: case.moved and case.right(WITHOUT_MASK) is True,
        "The causal mask changes nothing",
    ),
    _mistake(
        "positions-overlooked",
        "The statement would hold without what is added to each position: that stays where it is "
        "when the tokens move.",
        _right_without_positions,
        "Positions change nothing",
    ),
    _mistake(
        "equivariant-taken-for-invariant",
        "The rows of the output move along with the tokens: it is the same up to that "
        "permutation, and not the same.",
        _rows_move_along,
        "Permuted tokens give the same output",
    ),
    _mistake(
        "softmax-keeps-rank",
        "The bound holds for the scores. Softmax acts on each of them and does not keep the rank.",
        lambda case: _is_rank(case) and case.right(WITHOUT_SOFTMAX) is True,
        "Softmax keeps the rank",
    ),
    _mistake(
        "softmax-taken-for-linear",
        "The statement would hold without softmax. Softmax is not linear: sums and products do "
        "not pass through it.",
        _right_if(WITHOUT_SOFTMAX),
        "Softmax lets products through",
    ),
    _mistake(
        "relu-taken-for-linear",
        "The statement would hold without the ReLU, which cuts what is below 0 and is not linear.",
        _right_if(WITHOUT_RELU),
        "A ReLU is linear",
    ),
    _mistake(
        "layer-norm-overlooked",
        "The statement would hold without the layer norm, which takes away the mean and the "
        "length of what it is given.",
        _right_if(WITHOUT_NORM),
        "The layer norm changes nothing",
    ),
    _mistake(
        "product-rank-overlooked",
        "The rank of a product is at most that of each factor, so the sizes of the factors bound "
        "it.",
        _is_rank,
        "A large product has full rank",
        called=False,
    ),
    _mistake(
        "normaliser-overlooked",
        "The statement holds because weights are divided by their sum: a factor that a whole row "
        "has in common cancels.",
        lambda case: case.right(WITHOUT_SUM) is False,
        "What is added to the scores changes the weights",
        called=False,
    ),
)
OFTEN = (
    "equivariant-taken-for-invariant",
    "mask-overlooked",
    "positions-overlooked",
    "softmax-taken-for-linear",
    "normaliser-overlooked",
    "product-rank-overlooked",
    "positions-repeat",
)
BY_EXAMPLE = True
