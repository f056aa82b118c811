"""Steps in exact numbers: each returns None where rationals, roots and exponentials cannot tell.

Matrices are object arrays (rows, columns) of Fraction, Surd and ExponentialQuotient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.analysis.exact_trace.numbers import Exact, Exponentials, Surd, share
from regard.analysis.exact_trace.pipeline.roots import constant, dot, multiplied, over_root
from regard.analysis.exact_trace.steps import _flint, _fractions

Objects = NDArray[np.object_]
Options = Mapping[str, Any]
Operation = Callable[..., Objects | None]
ONE = Fraction(1)


def filled(rows: list[list[Any]]) -> Objects | None:
    """Return rows as an object array; None where an entry is None."""
    if any(entry is None for row in rows for entry in row):
        return None
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        array[i, :] = row
    return array


def is_rational(matrix: Objects) -> bool:
    """Whether all entries are rational."""
    return all(isinstance(entry, Fraction) for entry in matrix.reshape(-1))


def written(options: Options) -> Objects | None:
    """Numbers as a file has them."""
    return filled([[number(entry) for entry in row] for row in options["entries"]])


def number(entry: Any) -> Fraction | Surd | None:
    """Return one written number: 3, 0.25, "1/3" or "sqrt(2)/2"."""
    text = str(entry)
    try:
        above, _, below = text.partition("/")
        return Fraction(above) / Fraction(below or "1")
    except ValueError:
        return constant(text)


def times(options: Options, left: Objects, right: Objects) -> Objects | None:
    """Left times right, or times its transpose."""
    other = right.T if options.get("transposed") else right
    if is_rational(left) and is_rational(other):
        return filled(_fractions(_flint(left.tolist()) * _flint(other.tolist())))
    return filled([[dot(row, column) for column in other.T] for row in left])


def plus(options: Options, left: Objects, right: Objects) -> Objects | None:
    """The sum; a right side of one row is added to each row."""
    rows = np.broadcast_to(right, left.shape)
    pairs = zip(left, rows, strict=True)
    return filled([[dot([a, b], [ONE, ONE]) for a, b in zip(*two, strict=True)] for two in pairs])


def scaled(options: Options, matrix: Objects) -> Objects | None:
    """A number times a matrix."""
    by = number(options["by"])
    if by is None:
        return None
    return filled([[dot([entry], [by]) for entry in row] for row in matrix])


def mapped(options: Options, matrix: Objects) -> Objects | None:
    """A function of each entry, where its values are rational."""
    functions: dict[str, Callable[[Fraction], Fraction | None]] = {
        "elu+1": lambda x: x + 1 if x >= 0 else None,
        "relu": lambda x: max(x, Fraction(0)),
        "identity": lambda x: x,
    }
    if not is_rational(matrix):
        return matrix if options["function"] == "identity" else None
    if options["function"] not in functions:
        return None
    return filled([[functions[options["function"]](x) for x in row] for row in matrix])


def visible(row: Any, mask: Any) -> list[int]:
    """Return the keys of a row that may be attended to."""
    return [j for j in range(len(row)) if mask is None or mask[j] != 0]


def softmax(options: Options, scores: Objects, mask: Objects | None = None) -> Objects | None:
    """The softmax of each row, over the keys that may be attended to."""
    result = []
    for i, row in enumerate(scores):
        seen = visible(row, None if mask is None else mask[i])
        roots = {row[j].root for j in seen if isinstance(row[j], Surd)}
        plain = all(isinstance(row[j], Surd) or row[j] == 0 for j in seen)
        if not all(isinstance(row[j], Fraction | Surd) for j in seen):
            return None
        if roots and (len(roots) > 1 or not plain):
            return None
        exponents = [row[j].numerator if isinstance(row[j], Surd) else row[j] for j in seen]
        terms = Exponentials(tuple(exponents), roots.pop() if roots else 1)
        found: list[Any] = [Fraction(0)] * len(row)
        for place, j in enumerate(seen):
            found[j] = share(place, terms)
        result.append(found)
    return filled(result)


def shares(options: Options, scores: Objects, mask: Objects | None = None) -> Objects | None:
    """Scores divided by their sum."""
    result = []
    for i, row in enumerate(scores):
        seen = visible(row, None if mask is None else mask[i])
        total = dot([row[j] for j in seen], [ONE] * len(seen))
        below = reciprocal(total)
        if below is None:
            return None
        result.append(
            [multiplied(x, below) if j in seen else Fraction(0) for j, x in enumerate(row)]
        )
    return filled(result)


def reciprocal(value: Exact | None) -> Fraction | Surd | None:
    """Return 1 / value."""
    if isinstance(value, Surd):
        return Surd(value.root / value.numerator, value.root)
    return 1 / value if isinstance(value, Fraction) and value else None


def row_sums(options: Options, matrix: Objects, mask: Objects | None = None) -> Objects | None:
    """The sum of each row, one column."""
    result = []
    for i, row in enumerate(matrix):
        seen = visible(row, None if mask is None else mask[i])
        result.append([dot([row[j] for j in seen], [ONE] * len(seen))])
    return filled(result)


def normed(options: Options, *parts: Objects) -> Objects | None:
    """Rows of mean 0 and variance 1 (or mean square 1), times gain, plus shift."""
    matrix, gain, shift = parts
    epsilon = number(options["epsilon"])
    if not is_rational(matrix) or not isinstance(epsilon, Fraction):
        return None
    rows = []
    for row in matrix:
        mean = sum(row, Fraction(0)) / len(row) if options["kind"] == "layer" else Fraction(0)
        centred = [x - mean for x in row]
        square = sum((x * x for x in centred), Fraction(0)) / len(row) + epsilon
        if square <= 0:
            return None
        unit = [over_root(x, square) for x in centred]
        rows.append(
            [dot([u, s], [g, ONE]) for u, g, s in zip(unit, gain[0], shift[0], strict=True)]
        )
    return filled(rows)


def cosines(options: Options, queries: Objects, keys: Objects) -> Objects | None:
    """q·k / (|q| |k|)."""
    if not is_rational(queries) or not is_rational(keys):
        return None
    lengths = [[sum((x * x for x in row), Fraction(0)) for row in m] for m in (queries, keys)]
    products = _fractions(_flint(queries.tolist()) * _flint(keys.T.tolist()))
    return filled(
        [
            [over_root(z, lengths[0][i] * lengths[1][j]) for j, z in enumerate(row)]
            for i, row in enumerate(products)
        ]
    )


def distances(options: Options, queries: Objects, keys: Objects) -> Objects | None:
    """-|q - k|²/2."""
    if not is_rational(queries) or not is_rational(keys):
        return None
    return filled(
        [
            [-sum(((a - b) ** 2 for a, b in zip(q, k, strict=True)), Fraction(0)) / 2 for k in keys]
            for q in queries
        ]
    )


def columns(options: Options, matrix: Objects) -> Objects | None:
    """The columns from `first` to before `last`."""
    return matrix[:, options["first"] : options["last"]]


def beside(options: Options, *parts: Objects) -> Objects | None:
    """Matrices with equally many rows, side by side."""
    return np.hstack(parts)


def below(options: Options, *parts: Objects) -> Objects | None:
    """Matrices one below the other."""
    return np.vstack(parts)


def rows(options: Options, matrix: Objects) -> Objects | None:
    """Rows from one to another, or the first ones."""
    return matrix[options.get("first", 0) : options["last"]]


def transposed(options: Options, matrix: Objects) -> Objects | None:
    """The transposed matrix."""
    return matrix.T


def same(options: Options, matrix: Objects) -> Objects | None:
    """A matrix unchanged, for a step that gives it another name."""
    return matrix


def replaced(options: Options, matrix: Objects) -> Objects | None:
    """The same matrix with other numbers in a row, counted from 0."""
    found = matrix.copy()
    found[options["row"], :] = [number(entry) for entry in options["entries"]]
    return found


def running_maxima(
    options: Options, scores: Objects, mask: Objects | None = None
) -> Objects | None:
    """The largest score so far, after each tile of keys."""
    if not is_rational(scores):
        return None
    result = []
    for i, row in enumerate(scores):
        seen = visible(row, None if mask is None else mask[i])
        tops = [[row[j] for j in seen if j < end] for end in tile_ends(len(row), options["size"])]
        if not all(tops):
            return None
        result.append([max(some) for some in tops])
    return filled(result)


def tile_ends(count: int, size: int) -> list[int]:
    """Return where each tile of keys ends."""
    return [*range(size, count, size), count]


EXACT: Mapping[str, Operation] = {
    "written": written,
    "times": times,
    "plus": plus,
    "scaled": scaled,
    "mapped": mapped,
    "softmax": softmax,
    "shares": shares,
    "row_sums": row_sums,
    "normed": normed,
    "cosines": cosines,
    "distances": distances,
    "columns": columns,
    "rows": rows,
    "transposed": transposed,
    "replaced": replaced,
    "same": same,
    "beside": beside,
    "below": below,
    "running_maxima": running_maxima,
}
