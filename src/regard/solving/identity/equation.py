"""Claims that an equation holds for all matrices, in a form that can be verified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from regard.certify import Certificate, Claim, identities, verify
from regard.errors import FormulaError
from regard.language import Shape, parse
from regard.language.printing import to_text
from regard.language.tree import Node, Tree, apply, name, names, starts
from regard.problems.kinds.identity import INDICES, IdentityClaim, IdentityGiven
from regard.solving.identity.instance import sizes_of
from regard.solving.identity.rules import BY_ROWS, Lifting, NoRule

# What an identity may be made of to be proved for all sizes at once.
ALGEBRA = frozenset(["number", "name", "+", "-", "*", "·", "'", "neg", "/"])
ALGEBRAIC_CALLS = frozenset(["dot", "outer", "sum", "tr"])
MOST_SIZE = 8  # at which an identity is tested that is not tested for all sizes
MOST_FUNCTIONS = 4  # of rows or entries in one equation


@dataclass(frozen=True)
class Equation:
    """A part of the left side, at these indices, is the right side.

    Attributes:
        left: a formula without indices.
        right: one with them.
        at: no index, that of a row, or those of an entry.
        over: an index that the right side is summed over, or None.
        shapes: of all names on both sides.
        indexed: the names with indices: x_i is ("X", "i").
    """

    left: Tree
    right: Tree
    at: tuple[str, ...]
    over: str | None
    shapes: Mapping[str, Shape]
    indexed: Mapping[str, tuple[str, ...]]


def prove(formula: Tree, claim: IdentityClaim, given: IdentityGiven) -> tuple[Claim, ...]:
    """Return claims that hold and say together that the equation does; none if none are found."""
    stated = Equation(
        formula,
        parse(claim.equals).tree,
        INDICES[claim.part],
        claim.over,
        given.all_shapes(),
        given.indexed(),
    )
    proof = _plain(stated, given)
    return (proof,) if proof else _in_parts(stated, given)


def _plain(stated: Equation, given: IdentityGiven) -> Claim | None:
    """Return a claim that holds, out of three that say more and more about the names.

    First whatever stands for the names defined, then what they are, then also what softmax is.
    """
    stated = _without_quotients(stated) if stated.over else stated
    sides = stated.left, stated.right
    spelled = tuple(_spelled_out(side, stated.shapes) for side in sides)
    used = names(stated.left) | names(stated.right)
    indexed = {one: place for one, place in stated.indexed.items() if one in used}
    used |= {place[0] for place in indexed.values()}
    general = {one: shape for one, shape in stated.shapes.items() if one in used - set(indexed)}
    free: dict[str, Shape] = {one: tuple(shape) for one, shape in given.shapes.items()}
    free |= {one: shape for one, shape in general.items() if one not in given.define}
    algebra = all(_algebraic(side) for side in sides)
    for (left, right), shapes, where, at_all_sizes in (
        (sides, general, {}, algebra),
        (sides, free, given.define, False),
        (spelled, free, given.define, False),
    ):
        symbols = {size for shape in shapes.values() for size in shape if isinstance(size, str)}
        sizes = {one: min(size, MOST_SIZE) for one, size in sizes_of(given).items()}
        sizes = {one: size for one, size in sizes.items() if one in symbols}
        proof = identities.claim(
            to_text(left),
            to_text(right),
            shapes,
            where=where,
            indexed=indexed,
            at=stated.at,
            sum_over=stated.over,
            sizes=None if at_all_sizes else [sizes, dict.fromkeys(sizes, 2)],
        )
        if verify(Certificate({}, (proof,))).holds:
            return proof
    return None


def _in_parts(stated: Equation, given: IdentityGiven) -> tuple[Claim, ...]:
    """Prove an equation with functions of rows or of entries: first what they are taken of.

    A function that is applied to every row (or entry) of G has as its row i the function of row i
    of G. So row i of G is proved to be the argument, and the function of G becomes any matrix.
    """
    proofs: list[Claim] = []
    for number in range(1, MOST_FUNCTIONS + 1):
        place = _function(stated)
        if place is None:
            break
        found = _taken_out(stated, place, number)
        proof = _plain(found[0], given) if found else None
        if found is None or proof is None:
            return ()
        proofs.append(proof)
        stated = found[1]
    last = _plain(stated, given) if proofs else None
    return (*proofs, last) if last else ()


def _function(stated: Equation) -> int | None:
    """Return the place of a function that something with an index is put into."""
    first = starts(stated.right)
    for place in range(len(stated.right) - 1, -1, -1):
        node = stated.right[place]
        inside = names(stated.right[first[place] : place + 1]) & set(stated.indexed)
        if node.op == "call" and node.value in BY_ROWS and inside:
            return place
    return None


def _taken_out(stated: Equation, place: int, number: int) -> tuple[Equation, Equation] | None:
    """Return what the argument of a function is, and the equation with a name for its values."""
    right = stated.right
    first = starts(right)[place]
    argument = right[first:place]
    inside = names(argument) & set(stated.indexed)
    letters = tuple(sorted({index for one in inside for index in stated.indexed[one][1:]}))
    lifting = Lifting(stated.shapes, stated.indexed)
    try:
        scalar = parse(to_text(argument)).shape(stated.shapes) == ()
        whole = lifting.entry(argument) if scalar else lifting.row(argument, letters[0])
        shape = parse(to_text(whole)).shape(stated.shapes)
    except (NoRule, FormulaError):
        return None
    matrix, part = f"G_{number}", "_".join((f"g{number}", *letters))
    left = _replaced(stated.left, apply("call", whole, value=right[place].value), name(matrix))
    if left == stated.left or len(letters) != (2 if scalar else 1):
        return None
    inner = replace(stated, left=whole, right=argument, at=letters, over=None)
    outer = replace(
        stated,
        left=left,
        right=(*right[:first], *name(part), *right[place + 1 :]),
        shapes={**stated.shapes, matrix: shape, part: () if scalar else shape[1:]},
        indexed={**stated.indexed, part: (matrix, *letters)},
    )
    return inner, outer


def _replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    """Replace a part of a formula wherever it occurs."""
    place = len(tree) - len(old)
    while place >= 0:
        if tree[place : place + len(old)] == old:
            tree = (*tree[:place], *new, *tree[place + len(old) :])
        place -= 1
    return tree


def _without_quotients(stated: Equation) -> Equation:
    """Write x / c as a number times x: what holds for every number holds for 1/c."""
    numbers: dict[Tree, str] = {}
    indexed = set(stated.indexed)

    def multiplied(node: Node, parts: list[Tree]) -> Tree:
        if node.op == "/" and not names(parts[1]) & indexed:
            factor = numbers.setdefault(parts[1], f"c_{len(numbers) + 1}")
            return apply("*", name(factor), parts[0])
        return (*(one for part in parts for one in part), node)

    left, right = (_rebuilt(side, multiplied) for side in (stated.left, stated.right))
    shapes = {**stated.shapes, **dict.fromkeys(numbers.values(), ())}
    if set(numbers.values()) & set(stated.shapes):  # the name is taken
        return stated
    return replace(stated, left=left, right=right, shapes=shapes)


def _spelled_out(tree: Tree, shapes: Mapping[str, Shape]) -> Tree:
    """Write the softmax of a vector as powers divided by their sum."""

    def spelled(node: Node, parts: list[Tree]) -> Tree:
        softmax = node.op == "call" and node.value == "softmax"
        if softmax and len(parse(to_text(parts[0])).shape(shapes)) == 1:
            powers = apply("call", parts[0], value="exp")
            return apply("/", powers, apply("call", powers, value="sum"))
        return (*(one for part in parts for one in part), node)

    return _rebuilt(tree, spelled)


def _rebuilt(tree: Tree, combine: Callable[[Node, list[Tree]], Tree]) -> Tree:
    stack: list[Tree] = []
    for node in tree:
        parts = stack[len(stack) - node.arity :]
        del stack[len(stack) - node.arity :]
        stack.append(combine(node, parts))
    return stack[0]


def _algebraic(tree: Tree) -> bool:
    return all(
        node.op in ALGEBRA or (node.op == "call" and node.value in ALGEBRAIC_CALLS) for node in tree
    )
