"""An identity in numbers: drawn matrices, the parts as they are defined, and formulas that fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import FormulaError
from regard.kinds.identity.solve.rules import transposed
from regard.kinds.identity.solve.sign import softmax_argument
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven
from regard.language import parse
from regard.language.formula.latex import to_latex
from regard.language.formula.printing import to_text
from regard.language.formula.tree import Tree, apply, operands, starts
from regard.report import number

Float64 = NDArray[np.float64]
Values = dict[str, Any]

PRIMES = (3, 2, 5, 7, 11, 13, 17, 19)
SHOWN = 6  # rows and columns of a table


def sizes_of(given: IdentityGiven) -> dict[str, int]:
    """Return a number for every named size: the one given, or a prime that no other has."""
    found = given.known_sizes()
    free = iter([size for size in PRIMES if size not in found.values()] + [2] * 40)
    for shape in given.shapes.values():
        for size in shape:
            if isinstance(size, str) and size not in found:
                found[size] = next(free)
    return found


def draw(given: IdentityGiven, rng: np.random.Generator, *, example: bool = False) -> Values:
    """Draw matrices of small whole numbers, and compute what is defined from them.

    Args:
        given: names and shapes.
        rng: what draws.
        example: take the numbers that are given as an example, as far as there are any.
    """
    sizes = sizes_of(given)
    values: Values = {name: float(size) for name, size in sizes.items()}
    for name, shape in given.shapes.items():
        counts = [sizes[size] if isinstance(size, str) else size for size in shape]
        values[name] = np.asarray(rng.integers(-3, 4, counts), float)
        if example and name in given.example:
            values[name] = np.array(given.example[name], float)
    for name, text in given.define.items():
        values[name] = parse(text).evaluate(values)
    return values


def from_parts(claim: IdentityClaim, given: IdentityGiven, values: Values) -> Float64 | float:
    """Compute the whole from its definition: row by row, entry by entry, term by term."""
    formula = parse(claim.equals)
    count = _counts(claim, given, values)

    def at(i: int, j: int) -> Any:
        names: Values = dict(values)
        for name, (matrix, *indices) in given.indexed().items():
            places = [{"i": i, "j": j}[index] for index in indices]
            if all(place < size for place, size in zip(places, values[matrix].shape, strict=False)):
                names[name] = values[matrix][tuple(places)]
        return formula.evaluate({name: names[name] for name in formula.names})

    def total(i: int) -> Any:
        return sum(np.asarray(at(i, j)) for j in range(count["j"])) if claim.over else at(i, 0)

    if claim.part == "row i":
        return np.array([total(i) for i in range(count["i"])])
    if claim.part == "entry i j":
        return np.array([[at(i, j) for j in range(count["j"])] for i in range(count["i"])])
    found = np.asarray(total(0), float)
    return found if found.ndim else float(found)


def _counts(claim: IdentityClaim, given: IdentityGiven, values: Values) -> dict[str, int]:
    """Return how many values i and j have, which the matrices that they count rows of say."""
    used = parse(claim.equals).names
    count = {"i": 1, "j": 1}
    for name, (matrix, *indices) in given.indexed().items():
        if name in used:
            for axis, index in enumerate(indices):
                count[index] = values[matrix].shape[axis]
    return count


def slips(tree: Tree, shapes: Mapping[str, Any]) -> Iterator[tuple[str, Tree]]:
    """Return formulas that are easily written instead: a factor turned, or factors exchanged."""

    def number(part: Tree) -> bool:
        return parse(to_text(part)).shape(shapes) == ()

    first = starts(tree)
    for end, node in enumerate(tree):
        part = tree[first[end] : end + 1]
        before, after = tree[: first[end]], tree[end + 1 :]
        if node.op == "*":
            left, right = operands(part)
            turned = []  # a number has no transpose, and may stand on either side
            if not number(left) and not number(right):
                turned.append(apply("*", right, left))
            turned += [] if number(left) else [apply("*", transposed(left), right)]
            turned += [] if number(right) else [apply("*", left, transposed(right))]
            for changed in turned:
                yield "", before + changed + after
        argument = softmax_argument(part)
        if argument is not None:
            plain = apply("/", argument, apply("call", argument, value="sum"))
            powers = apply("call", argument, value="exp")
            yield "The scores themselves divided by their sum", before + plain + after
            yield "Powers without dividing by their sum", before + powers + after


def mistakes(formula: Tree, given: IdentityGiven, values: Values) -> list[str]:
    """Return what comes of formulas that are easily written instead of the right one."""
    right = np.asarray(parse(to_text(formula)).evaluate(values), float)
    shapes = given.whole_shapes()
    wanted = parse(to_text(formula)).shape(shapes)
    found: list[str] = []
    for words, slip in slips(formula, shapes):
        text = parse(to_text(slip))
        latex = f"${to_latex(slip)}$ instead of ${to_latex(formula)}$"
        subject = f"{words}, {latex}," if words else latex
        try:
            shape = text.shape(shapes)
            about = "" if shape == wanted else f"is {_words(shape)}, not {_words(wanted)}"
        except FormulaError:
            about = "does not exist for most sizes"
        try:
            wrong = np.asarray(text.evaluate(values), float)
        except FormulaError as error:
            reason = error.reason.split(": ")[0].split(". ")[0].rstrip(".")
            found.append(f"{subject} does not exist: {reason[0].lower()}{reason[1:]}.")
            continue
        if wrong.shape != right.shape:
            found.append(
                f"{subject} {about}; in the example it is {_numbers(wrong)}, not {_numbers(right)}."
            )
        elif np.isfinite(wrong).all() and np.abs(wrong - right).max() > 1e-9:
            hidden = f" {about}. In the example the sizes happen to agree, and it" if about else ""
            found.append(f"{subject}{hidden} {_differs(wrong, right)}.")
    unique = list(dict.fromkeys(found))
    # Those that differ by a number say more than those that do not exist.
    return sorted(unique, key=lambda sentence: "instead of" not in sentence.split("$")[-1])[:3]


def _differs(wrong: Float64, right: Float64) -> str:
    if wrong.ndim == 0:
        return f"would be {number(float(wrong), 4)} instead of {number(float(right), 4)}"
    apart = np.abs(wrong - right)
    if (wrong < 0).any() and (right > 0).all():  # a sign says more than a size
        apart = -wrong
    place = np.unravel_index(int(apart.argmax()), wrong.shape)
    where = ", ".join(str(int(axis) + 1) for axis in place)
    was, is_ = number(float(wrong[place]), 4), number(float(right[place]), 4)
    return f"would have {was} instead of {is_} at {where}"


def _numbers(array: Float64) -> str:
    return " × ".join(map(str, array.shape)) if array.ndim else "a number"


def _words(shape: tuple[int | str, ...]) -> str:
    if not shape:
        return "a number"
    if len(shape) == 1:
        return f"a vector of ${_size(shape[0])}$"
    return f"a ${_size(shape[0])} \\times {_size(shape[1])}$ matrix"


def _size(size: int | str) -> str:
    return parse(size).to_latex() if isinstance(size, str) else str(size)


def product_of_sizes(tree: Tree, shapes: Mapping[str, Any]) -> str:
    r"""Write the sizes of a product: (N \times D)(D \times D_K)."""
    if tree[-1].op == "*":
        parts = [product_of_sizes(part, shapes) for part in operands(tree)]
        return "".join(part for part in parts if part)
    shape = parse(to_text(tree)).shape(shapes)
    if not shape:
        return ""
    return "(" + r" \times ".join(_size(size) for size in (*shape, *([1] * (2 - len(shape))))) + ")"


def sizes_latex(shape: tuple[int | str, ...], sizes: Mapping[str, int]) -> str:
    r"""Write a shape in names and in numbers: N \times D_K = 3 \times 3."""
    named = r" \times ".join(_size(size) for size in shape)
    numbers = r" \times ".join(str(sizes.get(str(size), size)) for size in shape)
    return named if named == numbers else f"{named} = {numbers}"
