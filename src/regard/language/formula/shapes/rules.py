"""Which shape each operation gives, and what to write where it gives none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final

from regard.language.formula.parsing.messages import undeclared
from regard.language.formula.printing.text import to_text
from regard.language.formula.shapes.array_rules import ARRAY_RULES, block_shape, sizes_of
from regard.language.formula.shapes.sizes import (
    ROW,
    TRUTH,
    Inference,
    Size,
    Sizes,
    Unknown,
    plain,
    transposed,
)
from regard.language.formula.tree import Node, operands


def _name(at: Inference, node: Node, _: list[Sizes]) -> Sizes:
    if node.value not in at.shapes:
        at.fail(undeclared(node.value, at.shapes))
    shape = tuple(at.shapes[node.value])
    if len(shape) > 2:
        at.fail(f"{node.value} has {len(shape)} axes, and a formula has room for two.")
    return shape


def _constant(at: Inference, node: Node, _: list[Sizes]) -> Sizes:
    if node.value != "I":
        return ()
    size = Unknown()
    return (size, size)


def _scalar(at: Inference, node: Node, _: list[Sizes]) -> Sizes:
    return ()


def _first(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    return arguments[0]


def _truth(at: Inference, node: Node, _: list[Sizes]) -> Sizes:
    return TRUTH


def _sum(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    left, right = arguments
    if len(left) == len(right) and all(map(at.same, left, right)):
        return right if left and left[0] is not ROW else left
    one, other = at.parts()
    hint = ""
    if {len(left), len(right)} == {0, 2}:
        scalar = other if left else one
        hint = f" Write {'' if scalar == '1' else scalar + ' '}I for a multiple of the identity."
    elif {len(left), len(right)} == {0, 1}:
        column = one if left else other
        hint = f" Times exp(0 {column}) a number is the same in every entry."
    elif {len(left), len(right)} == {1, 2} and ROW in (*left[:1], *right[:1]):
        hint = " Transpose one of the two."
    if node.op == "-":
        at.fail(f"{at.words(right, True)} cannot be subtracted from {at.words(left)}.{hint}")
    at.fail(f"{at.words(left, True)} cannot be added to {at.words(right)}.{hint}")


def _product(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    left, right = arguments
    if node.value is not None and not right:  # after a quotient that has two readings
        at.fail(node.value)
    if not left or not right:
        return left or right
    if len(left) == len(right) == 1:
        return _two_columns(at, node, left, right)
    if len(left) == 1:  # a column times a row
        if plain(at.size(right[0])) == 1:
            return (left[0], right[1])
        one, other = at.parts()
        at.fail(
            f"{at.words(left, True)} cannot stand to the left of {at.words(right)}: write "
            f"{transposed(one)} {other} for a row, or {other} {one} if the matrix acts on it."
        )
    if not at.same(left[1], right[0]):
        inner, outer = plain(at.size(left[1])), plain(at.size(right[0]))
        at.fail(
            f"{at.words(left, True)} cannot be multiplied by {at.words(right)}: {inner} is not "
            f"{outer}.{_fitting(at, left, right)}"
        )
    if len(right) == 1:
        return () if left[0] is ROW else (left[0],)
    if plain(at.size(left[0])) == plain(at.size(right[1])) == 1:
        return ()  # a matrix of 1 × 1 is used as a number
    return (left[0], right[1])


def _two_columns(at: Inference, node: Node, left: Sizes, right: Sizes) -> Sizes:
    if node.op == "·":
        if at.same(left[0], right[0]):
            return ()
        at.fail(
            f"{at.words(left, True)} and {at.words(right)} have no scalar product: "
            "they need the same size."
        )
    one, other = at.parts()
    alone = ", ".join(at.bare_parts())
    at.fail(
        f"{one} and {other} are columns and cannot be multiplied like this: write "
        f"{transposed(one)} {other} or dot({alone}) for a number, {one} {transposed(other)} for a "
        f"matrix, hadamard({alone}) for a product entry by entry."
    )


def _fitting(at: Inference, left: Sizes, right: Sizes) -> str:
    """Return the product with the same factors that would fit, if there is one."""
    one, other = at.parts()
    rows, inner = (at.size(size) for size in left)
    outer, columns = (plain(at.size(size)) for size in (*right, 1)[:2])
    if len(right) == 2 and inner == columns:
        return f" {one} {transposed(other)} would fit."
    if plain(rows) == outer:
        return f" {transposed(one)} {other} would fit."
    if len(right) == 2 and plain(rows) == columns:
        return f" {other} {one} would fit."
    return ""


def _quotient(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    left, right = arguments
    if right:
        one, other = at.parts()
        hint = ""
        if len(right) == 2 and right[0] is not ROW:
            hint = f": write {other}^-1 {one}" if left else f": write {one} {other}^-1"
        at.fail(f"Only a scalar can divide, and {other} is {at.words(right)}{hint}.")
    return left


def _power(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    base, exponent = arguments
    one, other = at.parts()
    if exponent:
        at.fail(f"An exponent must be a scalar, and {other} is {at.words(exponent)}.")
    if not base:
        return ()
    if len(base) == 1 or base[0] is ROW:
        at.fail(
            f"{at.words(base, True)} has no powers: write norm({at.bare_parts()[0]})^2 for its "
            "squared length."
        )
    if not at.same(*base):
        hint = (
            f": write pinv({at.bare_parts()[0]}) for the pseudo-inverse" if other == "(-1)" else ""
        )
        at.fail(f"Only a square matrix has powers, and {one} is {at.words(base)}{hint}.")
    whole = operands(at.tree, at.at)[1]
    if whole[-1].op == "neg":
        whole = whole[:-1]
    if len(whole) != 1 or whole[0].op != "number" or whole[0].value % 1:
        at.fail("A matrix can only be raised to a whole number that is written out, as in M^2.")
    return base


def _transpose(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    (shape,) = arguments
    if not shape:
        part = at.parts()[0]
        hint = ""
        if at.text[node.column : node.column + 1] == "^":
            hint = f", or write {part}^(T) if T is an exponent"
        at.fail(f"{part} is a scalar and has no transpose: leave it out{hint}.")
    if len(shape) == 1:
        return (ROW, shape[0])
    return (shape[1],) if shape[0] is ROW else (shape[1], shape[0])


_STACKED: Final = " Write hstack(A, B) for matrices side by side, vstack(A, B) for one on another."


def _entries(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    if node.op == "matrix" and any(arguments):
        return block_shape(at, node.value, arguments)
    for part, shape in zip(operands(at.tree, at.at), arguments, strict=True):
        if shape:
            hint = f" Round brackets group: ({to_text(part)})." if node.arity == 1 else _STACKED
            at.fail(
                f"The entries in brackets must be scalars, and {to_text(part)} is "
                f"{at.words(shape)}.{hint}",
                min(inner.column for inner in part),
            )
    return (node.arity,) if node.op == "column" else node.value


def _comparison(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    for relation, (left, right) in zip(node.value, pairwise(arguments), strict=True):
        if relation not in ("=", "!=") and (not left or not right):
            continue  # A >= 0 is meant in every entry
        if len(left) != len(right) or not all(map(at.same, left, right)):
            at.fail(f"{at.words(left, True)} cannot be compared with {at.words(right)}.")
    return TRUTH


def _is_vector(shape: Sizes) -> bool:
    return len(shape) == 1 or (len(shape) == 2 and shape[0] is ROW)


def _vectors(at: Inference, node: Node, arguments: list[Sizes]) -> tuple[Size, Size]:
    for part, shape in zip(at.bare_parts(), arguments, strict=True):
        if not _is_vector(shape):
            at.fail(f"{node.value} takes vectors, and {part} is {at.words(shape)}.")
    return arguments[0][-1], arguments[1][-1]


def _dot(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    one, other = _vectors(at, node, arguments)
    if not at.same(one, other):
        at.fail(
            f"dot takes vectors of one size, and these have {at.size(one)} and {at.size(other)} "
            "entries."
        )
    return ()


def _norm(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    (shape,) = arguments
    if shape and not _is_vector(shape):
        at.fail(f"norm takes a vector, and {at.bare_parts()[0]} is {at.words(shape)}.")
    return ()


def _modulus(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    (shape,) = arguments
    if shape:
        (part,) = at.bare_parts()
        at.fail(
            f"|x| is for scalars, and {part} is {at.words(shape)}: write norm({part}) for its "
            f"length, or abs({part}) for the absolute value of each entry."
        )
    return ()


def _trace(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    (shape,) = arguments
    if len(shape) != 2 or shape[0] is ROW or not at.same(*shape):
        at.fail(f"tr takes a square matrix, and {at.bare_parts()[0]} is {at.words(shape)}.")
    return ()


def _pinv(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    if not arguments[0]:
        at.fail(f"pinv takes a matrix, and {at.bare_parts()[0]} is a scalar.")
    return _transpose(at, node, arguments)


def _identity(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    (argument,) = operands(at.tree, at.at)
    if arguments[0]:
        at.fail(
            f"In I(…) stands a size, and {to_text(argument)} is {at.words(arguments[0])}: write "
            f"I * ({to_text(argument)}) for the product."
        )
    (size,) = sizes_of(at, node, arguments, 1)
    return (size, size)


_Rule = Callable[[Inference, Node, list[Sizes]], Sizes]
_OPERATORS: Final[Mapping[str, _Rule]] = {
    "number": _scalar, "name": _name, "constant": _constant,
    "+": _sum, "-": _sum, "*": _product, "·": _product, "/": _quotient, "^": _power,
    "neg": _first, "'": _transpose, "column": _entries, "matrix": _entries,
    "compare": _comparison, "and": _truth, "or": _truth, "not": _truth,
}  # fmt: skip
_CALLS: Final[Mapping[str, _Rule]] = {
    "dot": _dot, "outer": _vectors, "norm": _norm, "modulus": _modulus, "tr": _trace,
    "pinv": _pinv, "sum": _scalar,
    "I": _identity, **ARRAY_RULES,
}  # fmt: skip


def shape_of(at: Inference, node: Node, arguments: list[Sizes]) -> Sizes:
    """Return the shape of a node, given those of its operands.

    A function that is not listed acts on every entry.
    """
    rule = _CALLS.get(node.value, _first) if node.op == "call" else _OPERATORS[node.op]
    return rule(at, node, arguments)
