"""Operations that a computation may be written down with, in balls and partly in rationals.

Results are lists of rows. With z a row of scores and the mask leaving the keys j:

    written     numbers: an array of the certificate over a whole number, or constants as texts
    same, transposed, rows, columns, beside, below      parts of matrices, put together
    times       left · right, or left · rightᵀ          plus    sums; one row is added to each
    scaled      a number times a matrix                 mapped  elu+1, relu of each entry
    softmax     e^z_j / Σ e^z                           powers  e^z_j
    shares      z_j / Σ z                               row_sums  Σ z
    log_sums    log Σ e^z                               entropies  −Σ a log a
    normed      (x − mean)/√(variance + ε) · gain + shift;  rms: x/√(mean square + ε) · gain + shift
    cosines     q·k/(|q||k|)                            additive  w·tanh(q + k)
    distances   −|q − k|²/2
    sinusoidal  sin, cos of t · base^(−2i/d)            rotary  pairs turned by these angles
    running_maxima, running     over the keys before the end of each tile: m = max z,
                Σ e^(z−m), and Σ e^(z−m) v
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb

from regard.certify.balls import Arithmetic, exponentials
from regard.certify.certificate import Unusable, listed, matrix, part
from regard.certify.step_context import Context, Rows, visible_keys
from regard.certify.step_positions import rotary, sinusoidal

MOST_STEPS = 400
MOST_ENTRIES = 20_000
RATIONAL = frozenset(
    {
        "written", "same", "transposed", "rows", "columns", "beside", "below", "times", "plus",
        "scaled", "row_sums", "shares", "running_maxima", "distances",
    }
)  # fmt: skip


def result(name: Any, steps: list[Any], arrays: Mapping[str, Any], numbers: Arithmetic) -> Rows:
    """Return what the steps come to under a name.

    Raises:
        Unusable: a step is no such operation, or does not fit what it is done to.
    """
    if len(steps) > MOST_STEPS:
        raise Unusable(f"there are more than {MOST_STEPS} steps.")
    found: dict[str, Rows] = {}
    for step in steps:
        op, options = part(step, "op"), step.get("options", {})
        if op not in OPERATIONS or not isinstance(options, Mapping):
            raise Unusable(f"{op!r} is no operation.")
        places = listed(step.get("of", []), "of")
        if any(place not in found for place in places):
            raise Unusable("a step uses what no earlier step has made.")
        context = Context(options, arrays, numbers)
        try:
            rows = OPERATIONS[op](context, *(found[place] for place in places))
        except (IndexError, TypeError, ZeroDivisionError, ValueError) as problem:
            raise Unusable(f"the step {step.get('name')!r} does not fit: {problem}.") from None
        if not rows or not rows[0] or len(rows) * len(rows[0]) > MOST_ENTRIES:
            raise Unusable(f"the step {step.get('name')!r} has no, or too many, entries.")
        found[part(step, "name")] = rows
    if name not in found:
        raise Unusable("no step has this name.")
    return found[name]


def _written(c: Context) -> Rows:
    if "array" not in c.options:
        entries = listed(part(c.options, "entries"), "entries")
        return [[c.constant(entry) for entry in listed(row, "a row")] for row in entries]
    floats = matrix(part(c.arrays, str(c.options["array"])), str(c.options["array"]))
    over = c.numbers.number(c.whole("over", 1))
    return [[c.numbers.number(entry) / over for entry in row] for row in floats.tolist()]


def _times(c: Context, left: Rows, right: Rows) -> Rows:
    other = _transposed(c, right) if c.options.get("transposed") else right
    if len(left[0]) != len(other):
        raise Unusable("the shapes of a product do not fit.")
    tables = [
        c.numbers.matrix(len(m), len(m[0]), [x for row in m for x in row]) for m in (left, other)
    ]
    return [list(row) for row in (tables[0] * tables[1]).tolist()]


def _transposed(c: Context, rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def _plus(c: Context, left: Rows, right: Rows) -> Rows:
    other = right * len(left) if len(right) == 1 else right
    return [[a + b for a, b in zip(*two, strict=True)] for two in zip(left, other, strict=True)]


def _scaled(c: Context, rows: Rows) -> Rows:
    by = c.constant(part(c.options, "by"))
    return [[by * entry for entry in row] for row in rows]


def _columns(c: Context, rows: Rows) -> Rows:
    return [row[c.whole("first") : c.whole("last")] for row in rows]


def _rows(c: Context, rows: Rows) -> Rows:
    return rows[c.whole("first") if "first" in c.options else 0 : c.whole("last", 1)]


def _beside(c: Context, *parts: Rows) -> Rows:
    return [[x for row in rows for x in row] for rows in zip(*parts, strict=True)]


def _by_rows(function: Callable[[list[Any]], list[Any]], whole: bool) -> Callable[..., Rows]:
    """Return an operation on the visible entries of each row; `whole` puts 0 for the others."""

    def operation(c: Context, rows: Rows, mask: Rows | None = None) -> Rows:
        found = []
        for row, seen in zip(rows, visible_keys(rows, mask), strict=True):
            values = function([row[j] for j in seen])
            if whole:
                full = [c.numbers.number(0)] * len(row)
                for j, value in zip(seen, values, strict=True):
                    full[j] = value
                values = full
            found.append(values)
        return found

    return operation


def _softmax(scores: list[arb]) -> list[arb]:
    terms, total = exponentials(scores)
    return [term / total for term in terms]


def _shares(scores: list[Any]) -> list[Any]:
    total = sum(scores[1:], scores[0])
    return [score / total for score in scores]


def _log_sum(scores: list[arb]) -> list[arb]:
    highest = max(score.mid() for score in scores)
    return [highest + sum(((score - highest).exp() for score in scores), arb(0)).log()]


def _entropies(c: Context, rows: Rows) -> Rows:
    unit = arb(2).log() if c.options.get("unit") == "bits" else arb(1)
    return [[-sum((a * a.log() for a in row if a != 0), arb(0)) / unit] for row in rows]


_FUNCTIONS: dict[Any, Callable[[arb], arb]] = {
    "exp": lambda x: x.exp(),
    "tanh": lambda x: x.tanh(),
    "silu": lambda x: x / (1 + (-x).exp()),
    "gelu": lambda x: x / 2 * (1 + (x / arb(2).sqrt()).erf()),
}


def _mapped(c: Context, rows: Rows) -> Rows:
    function = c.options.get("function")
    if function == "identity":
        return rows
    if function == "relu":
        return [[entry.max(arb(0)) for entry in row] for row in rows]
    if function in _FUNCTIONS:
        return [[_FUNCTIONS[function](entry) for entry in row] for row in rows]
    if function != "elu+1":
        raise Unusable(f"{function!r} is no function.")
    # x + 1 above 0 and e^x below it: both are max(x, 0) + e^min(x, 0).
    return [[x.max(arb(0)) + x.min(arb(0)).exp() for x in row] for row in rows]


def _normed(c: Context, rows: Rows, gain: Rows, shift: Rows) -> Rows:
    epsilon, found = c.constant(part(c.options, "epsilon")), []
    for row in rows:
        mean = sum(row, arb(0)) / len(row) if c.options.get("kind") == "layer" else arb(0)
        squares = [(x - mean) * (x - mean) for x in row]  # a power of a ball around 0 is no number
        square = sum(squares, arb(0)) / len(row) + epsilon
        unit = [(x - mean) / square.sqrt() for x in row]
        found.append([u * g + s for u, g, s in zip(unit, gain[0], shift[0], strict=True)])
    return found


def _cosines(c: Context, queries: Rows, keys: Rows) -> Rows:
    def length(row: list[arb]) -> arb:
        return sum((x * x for x in row), arb(0)).sqrt()

    return [
        [
            sum((a * b for a, b in zip(q, k, strict=True)), arb(0)) / (length(q) * length(k))
            for k in keys
        ]
        for q in queries
    ]


def _distances(c: Context, queries: Rows, keys: Rows) -> Rows:
    return [
        [sum(((a - b) * (b - a) for a, b in zip(q, k, strict=True)), q[0] - q[0]) / 2 for k in keys]
        for q in queries
    ]


def _additive(c: Context, queries: Rows, keys: Rows, vector: Rows) -> Rows:
    return [
        [
            sum((w * (a + b).tanh() for w, a, b in zip(vector[0], q, k, strict=True)), arb(0))
            for k in keys
        ]
        for q in queries
    ]


def _tiles(c: Context, rows: Rows, mask: Rows | None) -> list[list[tuple[list[int], Any]]]:
    """Return of each row and tile the keys seen so far, and their largest score."""
    size, count = c.whole("size", 1), len(rows[0])
    ends = [*range(size, count, size), count]
    found = []
    for row, seen in zip(rows, visible_keys(rows, mask), strict=True):
        states = []
        for end in ends:
            keys = [j for j in seen if j < end]
            if not keys:
                raise Unusable("a tile has no key that may be attended to.")
            states.append((keys, c.numbers.largest([row[j] for j in keys])))
        found.append(states)
    return found


def _running_maxima(c: Context, rows: Rows, mask: Rows | None = None) -> Rows:
    return [[top for _, top in states] for states in _tiles(c, rows, mask)]


def _running(c: Context, rows: Rows, *others: Rows) -> Rows:
    if "tile" not in c.options:
        states = _tiles(c, rows, others[0] if others else None)
        return [
            [sum(((row[j] - top).exp() for j in keys), arb(0)) for keys, top in of_row]
            for row, of_row in zip(rows, states, strict=True)
        ]
    values, tile = others[0], c.whole("tile")
    states = _tiles(c, rows, others[1] if len(others) > 1 else None)
    found = []
    for row, of_row in zip(rows, states, strict=True):
        keys, top = of_row[tile]
        columns = range(len(values[0]))
        found.append(
            [sum(((row[j] - top).exp() * values[j][m] for j in keys), arb(0)) for m in columns]
        )
    return found


OPERATIONS: Mapping[str, Callable[..., Rows]] = {
    "written": _written,
    "same": lambda c, rows: rows,
    "transposed": _transposed,
    "rows": _rows,
    "columns": _columns,
    "beside": _beside,
    "below": lambda c, *parts: [row for rows in parts for row in rows],
    "times": _times,
    "plus": _plus,
    "scaled": _scaled,
    "mapped": _mapped,
    "softmax": _by_rows(_softmax, whole=True),
    "powers": _by_rows(lambda scores: [score.exp() for score in scores], whole=True),
    "shares": _by_rows(_shares, whole=True),
    "row_sums": _by_rows(lambda row: [sum(row[1:], row[0])], whole=False),
    "log_sums": _by_rows(_log_sum, whole=False),
    "entropies": _entropies,
    "normed": _normed,
    "cosines": _cosines,
    "distances": _distances,
    "additive": _additive,
    "sinusoidal": sinusoidal,
    "rotary": rotary,
    "running_maxima": _running_maxima,
    "running": _running,
}
