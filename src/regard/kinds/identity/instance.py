"""Numbers that formulas are tried on, and what they must come to there, from the definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import generator
from regard.checking.tags.softmax_substitutes import Weigh
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven
from regard.language import Formula, parse
from regard.language.formula.evaluation.evaluator import evaluate as evaluate_tree
from regard.language.formula.tree import Node, Tree, operands, starts
from regard.problems.symbols import permutation

Float64 = NDArray[np.float64]
Values = dict[str, Any]

PRIMES = (3, 2, 5, 7, 11, 13, 17, 19, 23, 29)  # a size of its own for every named size
STANDS_FOR = "softmax_of_scores"


def sizes_of(
    given: IdentityGiven, known: dict[str, int] | None = None, turn: int = 0
) -> dict[str, int]:
    """Return a number for every named size: one that is known, or a prime that no other has.

    Args:
        given: the symbols.
        known: what some sizes are; None for those of the example.
        turn: which prime is the first.
    """
    known = given.known_sizes() if known is None else known
    named = [size for shape in given.shapes.values() for size in shape if isinstance(size, str)]
    free = [size for size in dict.fromkeys(named) if size not in known]
    primes = [prime for prime in PRIMES if prime not in known.values()] + [2] * len(free)
    return known | {size: primes[(i + turn) % len(primes)] for i, size in enumerate(free)}


def draw(
    given: IdentityGiven,
    rng: np.random.Generator,
    sizes: dict[str, int],
    *,
    largest: int = 3,
    example: bool = False,
) -> Values:
    """Return whole numbers for all symbols, at most so large, and what is defined from them.

    With `example` the numbers that are given as an example are taken, as far as there are any.
    """
    values: Values = {name: float(size) for name, size in sizes.items()}
    for name, shape in given.shapes.items():
        counts = [sizes[size] if isinstance(size, str) else size for size in shape]
        values[name] = np.asarray(rng.integers(-largest, largest + 1, counts), float)
        if not shape and values[name] == 0:  # with 0 wrong formulas look right
            values[name] = np.asarray(float(largest))
        if name in given.positive:
            values[name] = abs(values[name]) + 1
        if name in given.permutations:
            values[name] = permutation(counts[0], rng)
        if example and name in given.example:
            values[name] = np.array(given.example[name], float)
    return defined(given, values)


def example_numbers(given: IdentityGiven) -> Values:
    """Return the numbers of the example; what it leaves out is drawn."""
    return draw(given, generator(999), sizes_of(given), example=True)


def drawn_numbers(given: IdentityGiven, seed: int) -> Values:
    """Return small whole numbers for all symbols, with other sizes each time."""
    count = len(given.size_names)
    sizes = sizes_of(given, {}, seed % (count + 2))
    return draw(given, generator(seed), sizes, largest=3 if seed % 2 else 1)


def defined(given: IdentityGiven, values: Values, weigh: Weigh | None = None) -> Values:
    """Return values with what is defined by formulas; `weigh` may stand in for softmax."""
    found = dict(values)
    for name, text in given.define.items():
        found[name] = with_softmax(parse(text), found, weigh)
    return found


def with_softmax(formula: Formula, values: Values, weigh: Weigh | None) -> Any:
    """Evaluate a formula, with something else in place of every softmax."""
    tree, names = formula.tree, dict(values)
    place = None if weigh is None else find_softmax(tree)
    while weigh is not None and place is not None:
        begin, end, scores = place
        name = f"{STANDS_FOR}_{begin}_{end}"
        names[name] = weigh(np.asarray(evaluate_tree(scores, "", names), float))
        tree = (*tree[:begin], Node("name", 0, name), *tree[end + 1 :])
        place = find_softmax(tree)
    return evaluate_tree(tree, formula.text, names)


def find_softmax(tree: Tree) -> tuple[int, int, Tree] | None:
    """Return where the first softmax in a formula begins and ends, and the scores in it."""
    for end, first in enumerate(starts(tree)):
        scores = softmax_argument(tree[first : end + 1])
        if scores is not None:
            return first, end, scores
    return None


def softmax_argument(tree: Tree) -> Tree | None:
    """Return x where the formula is softmax(x), or the same written with e^x."""
    node, parts = tree[-1], operands(tree)
    if node.op == "call" and node.value == "softmax" and len(parts) == 1:
        return parts[0]
    if node.op == "/":
        above, below = parts
        total = operands(below)[0] if below[-1].op == "call" and below[-1].value == "sum" else None
        if total == above and above[-1].op == "call" and above[-1].value == "exp":
            return operands(above)[0]
    return None


def expected(
    claim: IdentityClaim, given: IdentityGiven, values: Values, weigh: Weigh | None = None
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
