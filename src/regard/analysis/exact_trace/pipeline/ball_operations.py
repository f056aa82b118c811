"""Steps in balls of the working precision. Matrices are object arrays (rows, columns) of arb."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from regard.analysis.exact_trace.numbers import rational
from regard.analysis.exact_trace.pipeline.exact_operations import tile_ends, visible
from regard.analysis.exact_trace.pipeline.roots import constant_ball

Objects = NDArray[np.object_]
Options = Mapping[str, Any]
ZERO = arb(0)


def ball(entry: Any) -> arb:
    """Return one written number."""
    text = str(entry)
    try:
        above, _, below = text.partition("/")
        return arb(rational(Fraction(above) / Fraction(below or "1")))
    except ValueError:
        return constant_ball(text)


def each(function: Callable[..., arb], *matrices: Objects) -> Objects:
    """Return a function of each entry."""
    found = np.empty(matrices[0].shape, dtype=object)
    for place in np.ndindex(found.shape):
        found[place] = function(*(matrix[place] for matrix in matrices))
    return found


def rows_of(function: Callable[[Any, Any], list[arb]], scores: Objects, mask: Any) -> Objects:
    """Return a function of each row and of the keys it may attend to."""
    rows = []
    for i, row in enumerate(scores):
        rows.append(function(row, visible(row, None if mask is None else mask[i])))
    found = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        found[i, :] = row
    return found


def written(options: Options) -> Objects:
    """Numbers as a file has them."""
    entries = options["entries"]
    found = np.empty((len(entries), len(entries[0])), dtype=object)
    for i, row in enumerate(entries):
        found[i, :] = [ball(entry) for entry in row]
    return found


def times(options: Options, left: Objects, right: Objects) -> Objects:
    """Left times right, or times its transpose."""
    return left @ (right.T if options.get("transposed") else right)


def powers(row: Any, seen: list[int]) -> tuple[dict[int, arb], arb]:
    """Return e^(z - top) of the visible keys, and the top."""
    top = max((row[j] for j in seen), key=lambda z: float(z.mid())).mid()
    return {j: (row[j] - top).exp() for j in seen}, top


def _softmax(row: Any, seen: list[int]) -> list[arb]:
    terms, _ = powers(row, seen)
    total = sum(terms.values(), ZERO)
    return [terms[j] / total if j in terms else ZERO for j in range(len(row))]


def _shares(row: Any, seen: list[int]) -> list[arb]:
    total = sum((row[j] for j in seen), ZERO)
    return [row[j] / total if j in seen else ZERO for j in range(len(row))]


def _log_sum(row: Any, seen: list[int]) -> list[arb]:
    terms, top = powers(row, seen)
    return [top + sum(terms.values(), ZERO).log()]


def _entropy(row: Any, seen: list[int]) -> list[arb]:
    return [-sum((a * a.log() for a in row if a != 0), ZERO)]


def mapped(options: Options, matrix: Objects) -> Objects:
    """A named function of each entry, such as exp or relu, in balls."""
    functions: dict[str, Callable[[arb], arb]] = {
        "elu+1": _elu_plus_one,
        "relu": lambda x: x.max(ZERO),
        "identity": lambda x: x,
        "exp": lambda x: x.exp(),
        "tanh": lambda x: x.tanh(),
        "silu": lambda x: x * (1 + (x / 2).tanh()) / 2,  # a logistic curve is a tanh of the half
        "gelu": lambda x: x * (-x / arb(2).sqrt()).erfc() / 2,
    }
    return each(functions[options["function"]], matrix)


def _elu_plus_one(x: arb) -> arb:
    if x >= 0:
        return x + 1
    return x.exp() if x <= 0 else (x + 1).union(x.exp())


def normed(options: Options, *parts: Objects) -> Objects:
    """Rows of mean 0 and variance 1 (or mean square 1), times gain, plus shift."""
    matrix, gain, shift = parts
    rows = []
    for row in matrix:
        mean = sum(row, ZERO) / len(row) if options["kind"] == "layer" else ZERO
        centred = row - mean
        size = (sum(centred * centred, ZERO) / len(row) + ball(options["epsilon"])).sqrt()
        rows.append(centred / size * gain[0] + shift[0])
    return np.array(rows, dtype=object)


def cosines(options: Options, queries: Objects, keys: Objects) -> Objects:
    """q·k / (|q| |k|)."""
    found = queries @ keys.T
    lengths = [[sum(row * row, ZERO).sqrt() for row in m] for m in (queries, keys)]
    for i, j in np.ndindex(found.shape):
        found[i, j] = found[i, j] / (lengths[0][i] * lengths[1][j])
    return found


def distances(options: Options, queries: Objects, keys: Objects) -> Objects:
    """-|q - k|²/2."""
    found = np.empty((len(queries), len(keys)), dtype=object)
    for i, j in np.ndindex(found.shape):
        apart = queries[i] - keys[j]
        found[i, j] = sum(-apart * apart, ZERO) / 2
    return found


def additive(options: Options, queries: Objects, keys: Objects, vector: Objects) -> Objects:
    """w·tanh(q + k)."""
    found = np.empty((len(queries), len(keys)), dtype=object)
    for i, j in np.ndindex(found.shape):
        parts = [(a + b).tanh() for a, b in zip(queries[i], keys[j], strict=True)]
        found[i, j] = sum((w * part for w, part in zip(vector[0], parts, strict=True)), ZERO)
    return found


def angle(position: int, pair: int, width: int, base: Any) -> arb:
    """Return position · base^(-2 pair / width)."""
    return arb(position) * (-ball(base).log() * 2 * pair / width).exp()


def sinusoidal(options: Options) -> Objects:
    """Sines and cosines of positions, side by side."""
    count, width = options["count"], options["width"]
    found = np.empty((count, width), dtype=object)
    for i, pair in np.ndindex(count, width // 2):
        turn = angle(options["start"] + i, pair, width, options["base"])
        found[i, 2 * pair], found[i, 2 * pair + 1] = turn.sin(), turn.cos()
    return found


def rotary(options: Options, matrix: Objects) -> Objects:
    """Rows turned by their positions, each head by itself."""
    found, heads = matrix.copy(), options["heads"]
    d = matrix.shape[1] // heads
    for i, h, pair in np.ndindex(len(matrix), heads, d // 2):
        turn = angle(options["start"] + i, pair, d, options["base"])
        cos, sin = turn.cos(), turn.sin()
        inner = (
            (2 * pair, 2 * pair + 1) if options["pairs"] == "interleaved" else (pair, pair + d // 2)
        )
        one, two = (h * d + place for place in inner)
        a, b = matrix[i, one], matrix[i, two]
        found[i, one], found[i, two] = a * cos - b * sin, a * sin + b * cos
    return found


def replaced(options: Options, matrix: Objects) -> Objects:
    """The same matrix with other numbers in a row, counted from 0."""
    found = matrix.copy()
    found[options["row"], :] = [ball(entry) for entry in options["entries"]]
    return found


def _running(row: Any, seen: list[int], size: int, values: Any = None) -> list[list[arb]]:
    """Return maximum, sum and weighted sums after each tile, by the online rule."""
    top: arb | None = None
    total, sums = ZERO, None if values is None else np.array([ZERO] * values.shape[1])
    states, start = [], 0
    for end in tile_ends(len(row), size):
        for j in (j for j in seen if start <= j < end):
            new = row[j] if top is None else top.max(row[j])
            shrink = ZERO if top is None else (top - new).exp()
            term = (row[j] - new).exp()
            total, top = total * shrink + term, new
            if sums is not None:
                sums = sums * shrink + term * values[j]
        states.append([ZERO if top is None else top, total, *([] if sums is None else sums)])
        start = end
    return states


def running(options: Options, scores: Objects, *others: Objects) -> Objects:
    """A part of the state of an online softmax after each tile of keys.

    `part` is 0 for the maximum and 1 for the sum; with `tile` the weighted sums after that tile.
    """
    values = others[0] if "tile" in options else None
    masks = others[1:] if values is not None else others
    mask = masks[0] if masks else None

    def state(row: Any, seen: list[int]) -> list[arb]:
        states = _running(row, seen, options["size"], values)
        if values is not None:
            return states[options["tile"]][2:]
        return [one[options["part"]] for one in states]

    return rows_of(state, scores, mask)


BALLS: Mapping[str, Callable[..., Objects]] = {
    "written": written,
    "times": times,
    "plus": lambda options, left, right: left + right,
    "scaled": lambda options, matrix: matrix * ball(options["by"]),
    "mapped": mapped,
    "softmax": lambda options, z, mask=None: rows_of(_softmax, z, mask),
    "shares": lambda options, z, mask=None: rows_of(_shares, z, mask),
    "powers": lambda options, z, mask=None: rows_of(
        lambda row, seen: [row[j].exp() if j in seen else ZERO for j in range(len(row))], z, mask
    ),
    "row_sums": lambda options, z, mask=None: rows_of(
        lambda row, seen: [sum((row[j] for j in seen), ZERO)], z, mask
    ),
    "log_sums": lambda options, z, mask=None: rows_of(_log_sum, z, mask),
    "entropies": lambda options, a: (
        rows_of(_entropy, a, None) / (arb(2).log() if options["unit"] == "bits" else arb(1))
    ),
    "normed": normed,
    "cosines": cosines,
    "distances": distances,
    "additive": additive,
    "sinusoidal": sinusoidal,
    "rotary": rotary,
    "columns": lambda options, matrix: matrix[:, options["first"] : options["last"]],
    "rows": lambda options, matrix: matrix[options.get("first", 0) : options["last"]],
    "transposed": lambda options, matrix: matrix.T,
    "replaced": replaced,
    "same": lambda options, matrix: matrix,
    "beside": lambda options, *parts: np.hstack(parts),
    "below": lambda options, *parts: np.vstack(parts),
    "running_maxima": lambda options, z, *mask: running({**options, "part": 0}, z, *mask),
    "running": running,
}
