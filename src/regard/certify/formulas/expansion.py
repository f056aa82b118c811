"""Both sides of an identity written out in symbols: if nothing is left of the difference, a proof.

For named sizes the places of an entry are indices. Two indices that run up to the same size are
different in one case and equal in another; there are no other cases.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from regard.certify.certificate import Unusable
from regard.certify.formulas import polynomials as p
from regard.certify.formulas.indices import Index, Place
from regard.certify.formulas.polynomials import Poly
from regard.certify.formulas.stated_identity import StatedIdentity
from regard.certify.formulas.symbolic import evaluate
from regard.certify.formulas.tensors import Size, Tensor, free, permutation, summed

MOST_CASES = 400  # entries that are written out
MOST_ORDERS = 120  # of permutations of sizes that are numbers
LARGE = 4  # a size from which on it is tried whether all sizes will do


Test = Callable[[Poly], bool]


@dataclass(frozen=True)
class Expansion:
    """What came of writing both sides out.

    Attributes:
        proved: whether nothing is left of the difference, or what is left passes the test.
        terms: how many terms the longest entry of the left side has.
        cases: at how many places.
        entry: what the left side is at the first of them.
        left_over: the first difference that is not 0; None if there is none.
    """

    proved: bool
    terms: int
    cases: int
    entry: Poly
    left_over: Poly | None = None


def expand(stated: StatedIdentity, sizes: Mapping[str, int], test: Test = p.is_zero) -> Expansion:
    """Write both sides of an identity out, where sizes that are left out stay names.

    Args:
        stated: the two sides.
        sizes: numbers for sizes.
        test: what left - right must be, by default 0.
    """
    if _largest(stated, sizes) >= LARGE:
        # What holds for all sizes need not be written out for large ones.
        try:
            with p.bounded():
                found = _expand(stated, sizes, test, general=True)
            if found.proved:
                return found
        except Unusable:
            pass
    with p.bounded():
        return _expand(stated, sizes, test, general=False)


def _largest(stated: StatedIdentity, sizes: Mapping[str, int]) -> int:
    fixed = (size for shape in stated.shapes.values() for size in shape if isinstance(size, int))
    return max([0, *fixed, *sizes.values()])


def _expand(
    stated: StatedIdentity, sizes: Mapping[str, int], test: Test, *, general: bool
) -> Expansion:
    """Write both sides out for every permutation; if general, with names for large sizes."""
    found = None
    for orders in _orders(stated, sizes, general):
        found = _expand_at(stated, sizes, test, orders, general=general)
        if not found.proved:
            break
    assert found is not None
    return found


def _orders(
    stated: StatedIdentity, sizes: Mapping[str, int], general: bool
) -> Iterator[Mapping[str, tuple[int, ...]]]:
    """Return all orders for permutations of sizes that are numbers."""
    counts: dict[str, int] = {}
    for name in sorted(stated.permutations):
        size = stated.shapes[name][0]
        size = sizes.get(size, size) if isinstance(size, str) else size
        if isinstance(size, int) and not (general and size >= LARGE):
            counts[name] = size
    if math.prod(math.factorial(size) for size in counts.values()) > MOST_ORDERS:
        raise Unusable("there are too many permutations to write the identity out for each.")
    choices = (itertools.permutations(range(size)) for size in counts.values())
    for chosen in itertools.product(*choices):
        yield dict(zip(counts, chosen, strict=True))


def _expand_at(
    stated: StatedIdentity,
    sizes: Mapping[str, int],
    test: Test,
    orders: Mapping[str, tuple[int, ...]],
    *,
    general: bool,
) -> Expansion:
    """Write both sides out, with permutations of numbered sizes in these orders."""

    def size_of(size: Size) -> Size:
        found = sizes.get(size, size) if isinstance(size, str) else size
        large = general and isinstance(found, int) and found >= LARGE
        return f"size_{found}" if large else found

    names: dict[str, Tensor] = {}
    for name in stated.drawn:
        shape = tuple(size_of(size) for size in stated.shapes[name])
        names[name] = free(name, shape)
        if name in stated.permutations:
            names[name] = permutation(name, shape[0], orders.get(name))
        elif name in stated.positive:
            names[name] = Tensor((), lambda name=name: p.factor("n", name))
        if name in stated.symbols and shape == ():  # a number with the name of a size is that size
            number = p.number(sizes[name]) if name in sizes else p.factor("n", name)
            names[name] = Tensor((), lambda number=number: number)
    for name, formula in stated.where.items():
        names[name] = evaluate(formula, names, sizes)
    left = evaluate(stated.left, names, sizes)
    ranges = {letter: size_of(size) for letter, size in stated.ranges.items()}
    terms = cases = 0
    first: Poly | None = None
    expected = None if stated.at or stated.spread else left.shape

    def right_at(spot: Mapping[str, Place], rest: tuple[Place, ...]) -> Poly:
        there = dict(names)
        for name, (of, letters) in stated.indexed.items():
            there[name] = _part(names[of], [spot[letter] for letter in letters])
        return _at(evaluate(stated.right, there, sizes, expected), rest)

    def right(at: Mapping[str, Place], rest: tuple[Place, ...]) -> Poly:
        over = stated.over
        if over is None:
            return right_at(at, rest)
        return summed(ranges[over], lambda j: right_at({**at, over: j}, rest))

    for place in _places(left.shape):
        at = dict(zip(stated.at, place, strict=False))
        rest = place[len(stated.at) :]
        whole = left(*place)
        other = right(at, rest)
        cases += 1
        first = first or whole
        terms = max(terms, len(whole.terms))
        if cases > MOST_CASES:
            raise Unusable("the identity has too many entries to be written out.")
        if not test(whole - other):
            return Expansion(False, terms, cases, first, whole - other)
    return Expansion(True, terms, cases, first or Poly())


def _at(found: Tensor, place: tuple[Place, ...]) -> Poly:
    """Return an entry; a row may be written for a column, and a number for a matrix of one."""
    more = len(found.shape) - len(place)
    return found(*(0,) * more, *place) if more >= 0 else found(*place[-more:])


def _part(whole: Tensor, place: list[Place]) -> Tensor:
    """Return a row, as a column, or an entry."""
    return Tensor(whole.shape[len(place) :], lambda *at: whole(*place, *at))


def _places(shape: tuple[Size, ...]) -> Iterator[tuple[Place, ...]]:
    """Return every place of a number and, for named sizes, each case of indices."""
    if not shape:
        yield ()
        return
    first, *others = shape
    starts: list[Place] = [*range(first)] if isinstance(first, int) else [Index(1, first)]
    for start in starts:
        if not others:
            yield (start,)
            continue
        (second,) = others
        if isinstance(second, int):
            yield from ((start, place) for place in range(second))
            continue
        yield (start, Index(2, second))
        if second == first:
            yield (start, start)
