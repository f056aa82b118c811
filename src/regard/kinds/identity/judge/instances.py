"""Numbers that formulas are tried on, and what they must come to there, from the definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checking.answers import Answer, Value, evaluate
from regard.checking.sampling import generator
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven, IdentityProblem
from regard.language import Formula, parse
from regard.language.formula.evaluation import evaluate as evaluate_tree
from regard.language.formula.tree import Node, Tree, operands, starts

Float64 = NDArray[np.float64]
Values = dict[str, Any]
Softmax = Callable[[Float64], Float64]

PRIMES = (3, 2, 5, 7, 11, 13, 17, 19, 23, 29)  # a size of its own for every named size
CLOSE = 1e-9  # whole numbers are exact, softmax is not
STANDS_FOR = "softmax_of_scores"


class Misfit(Exception):
    """A formula cannot be computed with these sizes, or comes to another shape."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem and the formulas of an answer.

    Attributes:
        problem: what is asked.
        answer: its fields, in their order: each may use those above it.
    """

    problem: IdentityProblem
    answer: Answer

    @property
    def given(self) -> IdentityGiven:
        """The symbols."""
        return self.problem.given

    def symbols(self, values: Values, before: str) -> dict[str, Value]:
        """Return what a field may use: what is given, and the fields above it."""
        names: dict[str, Value] = dict(values)
        for name, field in self.answer.fields.items():
            if name == before:
                break
            if name not in values and isinstance(field, Formula | float | np.ndarray):
                try:
                    names[name] = _value(name, field, names)
                except InvalidAnswer:
                    continue  # what is wrong with it is told where it is judged or used
        return names

    def value(
        self, name: str, values: Values, shape: tuple[int, ...], tree: Tree | None = None
    ) -> Any:
        """Return what a field comes to; as another tree, where one is given.

        Raises:
            Misfit: it cannot be computed with these sizes.
            InvalidAnswer: it uses a name that is not declared.
        """
        field = self.answer.need(name)
        names = self.symbols(values, name)
        if not isinstance(field, Formula):
            return np.asarray(field, float)
        unknown = _unknown(field, names)
        if unknown:
            return evaluate(name, field, names)  # which says what is declared
        for expected in (shape, None):
            try:
                found = evaluate_tree(tree or field.tree, field.text, names, expected)
            except FormulaError as error:
                reason = error
                continue
            if isinstance(found, bool):
                raise InvalidAnswer(f"answer: {name} must be a formula and not a condition.")
            return np.asarray(found, float)
        raise Misfit(f"answer: {name}: {reason}")


def _unknown(field: Any, names: Values) -> list[str]:
    return sorted(field.names - set(names)) if isinstance(field, Formula) else []


def _value(name: str, field: Any, names: dict[str, Value]) -> Value:
    found = evaluate(name, field, names)
    if isinstance(found, bool):
        raise InvalidAnswer(f"answer: {name} must be a formula and not a condition.")
    return found


def draw(given: IdentityGiven, seed: int | None = None) -> Values:
    """Return small whole numbers for all symbols: those of the example, or drawn ones.

    Drawn ones have other sizes each time, all different primes.
    """
    rng = generator(999 if seed is None else seed)
    known = given.known_sizes() if seed is None else {}
    named = [s for shape in given.shapes.values() for s in shape if isinstance(s, str)]
    free = [size for size in dict.fromkeys(named) if size not in known]
    primes = [prime for prime in PRIMES if prime not in known.values()] + [2] * len(free)
    turn = 0 if seed is None else seed % (len(free) + 2)
    sizes = known | {size: primes[(i + turn) % len(primes)] for i, size in enumerate(free)}
    values: Values = {name: float(size) for name, size in sizes.items()}
    largest = 3 if seed is None or seed % 2 else 1
    for name, shape in given.shapes.items():
        counts = [sizes[size] if isinstance(size, str) else size for size in shape]
        values[name] = np.asarray(rng.integers(-largest, largest + 1, counts), float)
        if seed is None and name in given.example:
            values[name] = np.array(given.example[name], float)
    return defined(given, values)


def defined(given: IdentityGiven, values: Values, weigh: Softmax | None = None) -> Values:
    """Return values with what is defined by formulas; `weigh` may stand in for softmax."""
    found = dict(values)
    for name, text in given.define.items():
        found[name] = with_softmax(parse(text), found, weigh)
    return found


def with_softmax(formula: Formula, values: Values, weigh: Softmax | None) -> Any:
    """Evaluate a formula, with something else in place of every softmax."""
    tree, names = formula.tree, dict(values)
    place = None if weigh is None else _softmax(tree)
    while weigh is not None and place is not None:
        begin, end, scores = place
        name = f"{STANDS_FOR}_{begin}_{end}"
        names[name] = weigh(np.asarray(evaluate_tree(scores, "", names), float))
        tree = (*tree[:begin], Node("name", 0, name), *tree[end + 1 :])
        place = _softmax(tree)
    return evaluate_tree(tree, formula.text, names)


def _softmax(tree: Tree) -> tuple[int, int, Tree] | None:
    """Return where a softmax begins and ends, and the scores in it."""
    first = starts(tree)
    for end, node in enumerate(tree):
        part = tree[first[end] : end + 1]
        if node.op == "call" and node.value == "softmax":
            return first[end], end, part[:-1]
        if node.op == "/":
            above, below = operands(part)
            powers = above[-1].op == "call" and above[-1].value == "exp"
            if powers and below[:-1] == above and below[-1].value == "sum":
                return first[end], end, above[:-1]
    return None


def expected(
    claim: IdentityClaim, given: IdentityGiven, values: Values, weigh: Softmax | None = None
) -> Float64:
    """Return what a formula must come to: row by row, entry by entry, term by term."""
    if claim.part == "whole" and not claim.over and claim.formula is not None:
        # A formula for the whole says more than that it is positive, or that it is 1.
        return np.asarray(with_softmax(parse(claim.formula), values, weigh), float)
    values = defined(given, values, weigh)
    formula = parse(claim.equals)
    counts = {"i": 1, "j": 1}
    for name, (matrix, *indices) in given.indexed().items():
        if name in formula.names:
            for axis, index in enumerate(indices):
                counts[index] = values[matrix].shape[axis]

    def at(i: int, j: int) -> Float64:
        return np.asarray(formula.evaluate(indexed(given, values, i, j)), float)

    def total(i: int) -> Float64:
        return np.sum([at(i, j) for j in range(counts["j"])], axis=0) if claim.over else at(i, 0)

    if claim.part == "row i":
        return np.array([total(i) for i in range(counts["i"])])
    if claim.part == "entry i j":
        return np.array([[at(i, j) for j in range(counts["j"])] for i in range(counts["i"])])
    return np.asarray(total(0), float)


def indexed(given: IdentityGiven, values: Values, i: int, j: int) -> Values:
    """Return values with the names for rows and entries of these indices."""
    names = dict(values)
    for name, (matrix, *indices) in given.indexed().items():
        places = tuple({"i": i, "j": j}[index] for index in indices)
        if all(place < size for place, size in zip(places, values[matrix].shape, strict=False)):
            names[name] = values[matrix][places]
    return names


def error_of(found: Any, wanted: Float64) -> float:
    """Return the largest error, relative to the largest number.

    It is infinite for another shape, and NaN for what is not finite.
    """
    array = np.asarray(found, float)
    if wanted.ndim < 2 and array.size == wanted.size and max(array.shape, default=1) == array.size:
        array = array.reshape(wanted.shape)
    if array.shape != wanted.shape:
        return math.inf
    if not np.all(np.isfinite(array)):
        return math.nan
    with np.errstate(all="ignore"):
        return float(np.max(np.abs(array - wanted)) / max(1.0, float(np.max(np.abs(wanted)))))
