"""What functions of whole arrays do, in float64: masks, diagonals, rows, blocks, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from regard.language.formula.shapes.inference import Shape

Value = Any  # np.float64, or an array with one or two axes


def _softmax(arguments: list[Value], _: Shape) -> Value:
    """Powers over their sum along rows; a mask multiplies the powers."""
    scores, *masks = arguments
    seen = scores if not masks else np.where(masks[0] > 0, scores, -np.inf)
    powers = np.exp(scores - np.max(seen, axis=-1, keepdims=True, initial=-np.inf))
    powers = powers * masks[0] if masks else powers
    return powers / powers.sum(axis=-1, keepdims=True)


def _layernorm(arguments: list[Value], _: Shape) -> Value:
    (x,) = arguments
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True))


def _extreme(several: Callable[..., Value], start: float) -> Callable[[list[Value], Shape], Value]:
    def found(arguments: list[Value], _: Shape) -> Value:
        if len(arguments) == 1:
            return several.reduce(np.ravel(arguments[0]), initial=start)  # type: ignore[attr-defined]
        first, *others = arguments
        for other in others:
            first = several(first, other)
        return first

    return found


def _rows(arguments: list[Value], shape: Shape) -> Value:
    array, first, *last = arguments
    if not last:
        return array[int(first) - 1]
    return array[int(first) - 1 : int(last[0])]


def blocks(grid: tuple[int, int], parts: list[Value]) -> Value:
    """Put blocks in rows; columns on each other are one long column."""
    height, width = grid
    if width == 1 and all(np.ndim(part) == 1 for part in parts):
        return np.concatenate(parts)
    tables = [np.reshape(part, (np.shape(part)[:1] or (1,)) + (1,)) if np.ndim(part) < 2 else part
              for part in parts]  # fmt: skip
    return np.block([tables[i * width : (i + 1) * width] for i in range(height)])


def _rank(arguments: list[Value], _: Shape) -> Value:
    try:
        return float(np.linalg.matrix_rank(np.atleast_2d(arguments[0])))
    except np.linalg.LinAlgError:  # NaN or infinity in it
        return np.nan


ARRAY_CALLS: Final[dict[str, Callable[[list[Value], Shape], Value]]] = {
    "softmax": _softmax,
    "layernorm": _layernorm,
    "max": _extreme(np.maximum, -np.inf),
    "min": _extreme(np.minimum, np.inf),
    "relu": lambda arguments, _: np.maximum(arguments[0], 0.0),
    "elu": lambda arguments, _: np.where(
        arguments[0] > 0, arguments[0], np.expm1(np.minimum(arguments[0], 0.0))
    ),
    "tanh": lambda arguments, _: np.tanh(arguments[0]),
    "sigmoid": lambda arguments, _: 1 / (1 + np.exp(-arguments[0])),
    "hadamard": lambda arguments, _: arguments[0] * arguments[1],
    "ones": lambda _, shape: np.ones([int(size) for size in shape]),
    "zeros": lambda _, shape: np.zeros([int(size) for size in shape]),
    "causal": lambda _, shape: np.tri(int(shape[0])),
    "diag": lambda arguments, shape: (
        np.diag(arguments[0]) if len(shape) == 1 else np.diag(np.ravel(arguments[0]))
    ),
    "rowsum": lambda arguments, _: np.sum(arguments[0], axis=-1),
    "rowmax": lambda arguments, _: np.max(arguments[0], axis=-1),
    "row": _rows,
    "rows": _rows,
    "hstack": lambda arguments, _: blocks((1, len(arguments)), arguments),
    "vstack": lambda arguments, _: blocks((len(arguments), 1), arguments),
    "entries": lambda arguments, _: float(np.size(arguments[0])),
    "rank": _rank,
}
