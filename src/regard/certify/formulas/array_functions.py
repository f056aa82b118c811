"""Functions of whole arrays in symbols: masks, diagonals, rows, blocks, row by row.

softmax(S, M)   exp(s_ij) m_ij over its sum along the row; without M, m_ij = 1
relu(x)         (x + |x|)/2
tanh, sigmoid   by their powers of e
layernorm(X)    (x - mean) / sqrt(mean of (x - mean)²), along the row
causal(n)       1 where j <= i, else 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from regard.certify.certificate import Unusable
from regard.certify.formulas import elementary
from regard.certify.formulas import polynomials as p
from regard.certify.formulas.indices import Place
from regard.certify.formulas.polynomials import Poly
from regard.certify.formulas.tensors import Shape, Size, Tensor, largest, only, summed


def _softmax(parts: list[Tensor], shape: Shape) -> Tensor:
    part, *masks = parts
    size = part.shape[-1]
    below: dict[tuple[Place, ...], Poly] = {}

    def power(*at: Place) -> Poly:
        if not masks:
            return elementary.exp(part(*at))
        mask = masks[0](*at)
        return elementary.exp(_where_seen(part(*at), mask)) * mask

    def entry(*at: Place) -> Poly:
        row = at[:-1]
        if row not in below:
            below[row] = p.inverse(summed(size, lambda k: power(*row, k)))
        return power(*at) * below[row]

    return Tensor(part.shape, entry)


def _where_seen(score: Poly, mask: Poly) -> Poly:
    """Return a score where a causal mask is 1: m f(m) = m f(1) for an m that is 0 or 1."""
    if len(mask.terms) != 1:
        return score
    ((monomial, times),) = mask.terms.items()
    if times != 1 or len(monomial) != 1 or next(iter(monomial))[0][0] != "seen":
        return score
    return score.mapped(lambda term: term - monomial)


def _count(size: Size) -> Poly:
    return p.number(size) if isinstance(size, int) else p.factor("n", size)


def _layernorm(parts: list[Tensor], shape: Shape) -> Tensor:
    (part,) = parts
    size = part.shape[-1]
    share = p.inverse(_count(size))
    known: dict[tuple[Place, ...], tuple[Poly, Poly]] = {}

    def entry(*at: Place) -> Poly:
        row = at[:-1]
        if row not in known:
            mean = summed(size, lambda k: part(*row, k)) * share
            squares = summed(size, lambda k: part(*row, k) * part(*row, k)) * share
            known[row] = (mean, p.inverse(elementary.root(squares - mean * mean)))
        mean, below = known[row]
        return (part(*at) - mean) * below

    return Tensor(part.shape, entry)


def _each(function: Callable[[Poly], Poly]) -> Callable[[list[Tensor], Shape], Tensor]:
    return lambda parts, shape: Tensor(shape, lambda *at: function(parts[0](*at)))


def relu(x: Poly) -> Poly:
    """Return the entries where they are above 0, and 0 elsewhere."""
    return (x + elementary.absolute(x)).scaled(fmpq(1, 2))


def sigmoid(x: Poly) -> Poly:
    """Return 1/(1 + e^-x)."""
    return p.inverse(p.number(1) + elementary.exp(-x))


def tanh(x: Poly) -> Poly:
    """Return the hyperbolic tangent, 2 sigmoid(2x) - 1."""
    return sigmoid(x + x).scaled(fmpq(2)) - p.number(1)


def _diag(parts: list[Tensor], shape: Shape) -> Tensor:
    (part,) = parts
    if len(shape) == 1:
        return Tensor(shape, lambda i: part(i, i))

    def along(i: Place) -> Poly:
        return part(0, i) if len(part.shape) == 2 else part(i)

    return Tensor(
        shape,
        lambda i, j: p.delta(i, j) * along(i),
        inverted=lambda: Tensor(shape, lambda i, j: p.delta(i, j) * p.inverse(along(i))),
    )


def _rowsum(parts: list[Tensor], shape: Shape) -> Tensor:
    (part,) = parts
    if not shape:
        return Tensor((), lambda: summed(part.shape[-1], lambda k: _flat(part, k)))
    return Tensor(shape, lambda i: summed(part.shape[1], lambda k: part(i, k)))


def _flat(part: Tensor, k: Place) -> Poly:
    return part(0, k) if len(part.shape) == 2 else part(k)


def _rowmax(parts: list[Tensor], shape: Shape) -> Tensor:
    (part,) = parts
    if not shape:
        return Tensor((), lambda: largest([part]))
    return Tensor(shape, lambda i: largest([Tensor((part.shape[1],), lambda k: part(i, k))]))


def _rows(parts: list[Tensor], shape: Shape) -> Tensor:
    part, *bounds = parts
    if not isinstance(part.shape[0], int):
        raise Unusable("a row is picked by its number out of a matrix of a named size.")
    first = int(_constant_of(bounds[0])) - 1
    if len(bounds) == 1:
        return Tensor(shape, lambda *at: part(first, *at))
    return Tensor(shape, lambda i, *at: part(first + i, *at))


def _constant_of(bound: Tensor) -> Any:
    return only(bound).constant()


def blocks(grid: tuple[int, int], parts: list[Tensor], shape: Shape) -> Tensor:
    """Put blocks in rows; columns on each other are one long column."""
    height, width = grid
    long = len(shape) == 1
    rows = [_size(parts[i * width], 0) for i in range(height)]
    columns: list[Size] = [1] if long else [_size(parts[j], 1) for j in range(width)]

    def entry(i: Place, j: Place = 0) -> Poly:
        (row, inner), (column, outer) = _found(rows, i), _found(columns, j)
        part = parts[row * width + column]
        return part(*(inner, outer)[: len(part.shape)])

    return Tensor(shape, entry)


def _size(part: Tensor, axis: int) -> Size:
    return part.shape[axis] if axis < len(part.shape) else 1


def _found(sizes: list[Size], at: Place) -> tuple[int, Place]:
    """Return which block a place is in, and where there."""
    if len(sizes) == 1:
        return 0, at
    if not isinstance(at, int):
        raise Unusable("blocks are joined along sizes that are numbers.")
    for block, size in enumerate(sizes):
        if not isinstance(size, int):
            raise Unusable("blocks are joined along sizes that are numbers.")
        if at < size:
            return block, at
        at -= size
    raise AssertionError("a place outside of all blocks")


def _entries(parts: list[Tensor], shape: Shape) -> Tensor:
    found = p.number(1)
    for size in parts[0].shape:
        found *= _count(size)
    return Tensor((), lambda: found)


def _hadamard(parts: list[Tensor], shape: Shape) -> Tensor:
    one, other = parts
    return Tensor(shape, lambda *at: one(*at) * other(*at))


ARRAY_FUNCTIONS: dict[str, Callable[[list[Tensor], Shape], Tensor]] = {
    "softmax": _softmax,
    "layernorm": _layernorm,
    "relu": _each(relu),
    "sigmoid": _each(sigmoid),
    "tanh": _each(tanh),
    "elu": _each(lambda x: elementary.function("elu", x)),
    "hadamard": _hadamard,
    "ones": lambda parts, shape: Tensor(shape, lambda *at: p.number(1)),
    "zeros": lambda parts, shape: Tensor(shape, lambda *at: Poly()),
    "causal": lambda parts, shape: Tensor(shape, p.seen),
    "diag": _diag,
    "rowsum": _rowsum,
    "rowmax": _rowmax,
    "row": _rows,
    "rows": _rows,
    "hstack": lambda parts, shape: blocks((1, len(parts)), parts, shape),
    "vstack": lambda parts, shape: blocks((len(parts), 1), parts, shape),
    "entries": _entries,
}
