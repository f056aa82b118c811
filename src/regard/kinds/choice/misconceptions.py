"""What is believed about attention and is not so, seen from what an answer calls true.

A belief is recognised by repairing the statement: if it is wrong as it stands and right without the
mask, that was overlooked. So the sentence of a tag has been tried on the very statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from regard.checking.mistakes import Mistake
from regard.kinds.choice.repairs import (
    CLOSE,
    WITHOUT_MASK,
    WITHOUT_NORM,
    WITHOUT_RELU,
    WITHOUT_SOFTMAX,
    WITHOUT_SUM,
    Case,
    Change,
    holds,
    sides_of,
)
from regard.kinds.choice.spec import ChoiceProblem
from regard.problems.assertions import Assertion
from regard.problems.symbols import Values

__all__ = ["MISTAKES", "OFTEN", "Case"]


def _right_if(change: Change) -> Callable[[Case], bool]:
    """Whether an equation is right with a change, at drawn numbers: they tell little of bounds."""

    def right(case: Case) -> bool:
        equations = all(part.relation in ("=", "!=") for part in case.parts)
        return equations and case.right(change) is True

    return right


def _rows_move_along(case: Case) -> bool:
    """Whether one side is the other with its rows moved by a permutation of the statement."""
    for name in case.problem.given.permutations:
        for part in case.parts:
            right = Assertion(part.relation, part.left, f"{name} ({part.right})", part.where)
            sides = [sides_of(right, values, None)[0] for values in case.draws()]
            if part.relation == "=" and all(one is not None and holds("=", *one) for one in sides):
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
            sides, _ = sides_of(part, values, None)
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

    return Mistake(tag, sentence, seen, idea=idea, spoiled=spoiled, numbers=_which)


def _which(case: Case) -> str:
    return f"That is about statement {case.statement.label}."


MISTAKES: tuple[Mistake[ChoiceProblem, Case], ...] = (
    _mistake(
        "positions-repeat",
        "Whole positions never share an embedding.\n"
        "Sines and cosines come back after a multiple of 2 pi, and no whole number but 0 is "
        "one.",
        _by_positions,
        "Sines repeat, so positions do",
    ),
    _mistake(
        "mask-overlooked",
        "The statement would hold without the causal mask.\n"
        "With it a row sees only what stands before it, so the order of the tokens matters.",
        lambda case: case.moved and case.right(WITHOUT_MASK) is True,
        "The causal mask changes nothing",
    ),
    _mistake(
        "positions-overlooked",
        "The statement would hold without what is added to each position:\n"
        "that stays where it is when the tokens move.",
        _right_without_positions,
        "Positions change nothing",
    ),
    _mistake(
        "equivariant-taken-for-invariant",
        "The rows of the output move along with the tokens:\n"
        "it is the same up to that permutation, and not the same.",
        _rows_move_along,
        "Permuted tokens give the same output",
    ),
    _mistake(
        "softmax-keeps-rank",
        "The bound holds for the scores.\nSoftmax acts on each of them and does not keep the rank.",
        lambda case: _is_rank(case) and case.right(WITHOUT_SOFTMAX) is True,
        "Softmax keeps the rank",
    ),
    _mistake(
        "softmax-taken-for-linear",
        "The statement would hold without softmax.\n"
        "Softmax is not linear: sums and products do not pass through it.",
        _right_if(WITHOUT_SOFTMAX),
        "Softmax lets products through",
    ),
    _mistake(
        "relu-taken-for-linear",
        "The statement would hold without the ReLU.\nIt cuts what is below 0 and is not linear.",
        _right_if(WITHOUT_RELU),
        "A ReLU is linear",
    ),
    _mistake(
        "layer-norm-overlooked",
        "The statement would hold without the layer norm.\n"
        "It takes away the mean and the length of what it is given.",
        _right_if(WITHOUT_NORM),
        "The layer norm changes nothing",
    ),
    _mistake(
        "product-rank-overlooked",
        "The sizes of the factors bound the rank.\n"
        "The rank of a product is at most that of each factor.",
        _is_rank,
        "A large product has full rank",
        called=False,
    ),
    _mistake(
        "normaliser-overlooked",
        "The statement holds because weights are divided by their sum:\n"
        "a factor that a whole row has in common cancels.",
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
