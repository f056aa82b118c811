"""Fit query, key, value and mask to each other: which axes are batch, heads, lengths.

The last two axes of each array are length and width, the axis before them
counts heads, everything before that is batch. Batch axes broadcast. Key and
value may have fewer heads than the query (grouped-query attention): query head
h then reads key head h // (heads / key heads).

Nothing is copied. To let several query heads look at one key head through a
view, the head axis is split in two, (groups, heads per group), and key and
value are stretched over the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import ShapeError
from regard.shapes import at_least, show

Array = NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """The axes of one attention call.

    Attributes:
        outer: the axes of the result before (n_q, d_v): batch axes, then heads.
        split: the same axes with the head axis as (groups, heads per group).
    """

    outer: tuple[int, ...]
    split: tuple[int, ...]
    n_q: int
    n_k: int
    d_k: int
    d_v: int

    @property
    def batch(self) -> tuple[int, ...]:
        """The axes that per-batch arguments run over; a lone outer axis is such an axis."""
        return self.outer[:-1] if len(self.outer) > 1 else self.outer

    def spread(self, array: Array, heads_axis: int = -3) -> Array:
        """View `array`, whose heads are at `heads_axis`, with all axes of `split` before its own.

        `array` may lack outer axes on the left, or have them with length 1.
        """
        tail = array.shape[array.ndim + heads_axis + 1 :]
        if not self.split:
            return array
        if array.ndim < -heads_axis:
            return np.broadcast_to(array, self.split + tail)
        heads = array.shape[heads_axis]
        groups, per_group = self.split[-2:]
        if heads not in (1, groups, groups * per_group):
            # Key and value are grouped differently, and no single split shows both as views.
            array = np.repeat(array, groups * per_group // heads, axis=heads_axis)
            heads = groups * per_group
        first, second = (1, 1) if heads == 1 else (groups, heads // groups)
        left = array.shape[: array.ndim + heads_axis]
        whole = (*self.split, *tail)
        parted = array.reshape((*left, first, second, *tail))
        return parted if parted.shape == whole else np.broadcast_to(parted, whole)


def fit(
    function: str,
    query: Array,
    key: Array,
    value: Array | None,
    mask: Array | None,
    *,
    heads_settled: bool = False,
) -> Layout:
    """Find the layout of a call, or raise a ShapeError that says which shapes disagree.

    A mask may stretch a single head over several, unless the heads are settled.
    """
    at_least(function, "query", query, "(..., n_q, d_k)", width=_length(key, -1))
    at_least(
        function, "key", key, "(..., n_k, d_k)", rows=_length(value, -2), width=query.shape[-1]
    )
    if value is not None:
        at_least(function, "value", value, "(..., n_k, d_v)", rows=key.shape[-2])
    _fit_widths(function, query, key, value)
    n_q, d_k = query.shape[-2:]
    n_k = key.shape[-2]
    heads, groups = _fit_heads(function, query, key, value)
    batch = _fit_batch(function, query, key, value)
    has_heads = any(x is not None and x.ndim > 2 for x in (query, key, value))
    outer = (*batch, heads) if has_heads else ()
    if mask is not None:
        settled = heads != 1 or heads_settled
        outer = fit_mask(function, mask, outer, n_q, n_k, heads_settled=settled)
    split = (*outer[:-1], groups, outer[-1] // groups) if outer else ()
    return Layout(outer, split, n_q, n_k, d_k, 0 if value is None else value.shape[-1])


def _length(array: Array | None, axis: int) -> int | None:
    """Return the length of one of the last two axes, if the array has them."""
    return None if array is None or array.ndim < 2 else array.shape[axis]


def _got(**arrays: Array | None) -> str:
    shapes = (f"{name} {show(x.shape)}" for name, x in arrays.items() if x is not None)
    return "Got " + ", ".join(shapes) + "."


def _fit_widths(function: str, query: Array, key: Array, value: Array | None) -> None:
    if key.shape[-1] != query.shape[-1]:
        fix = ""
        if key.shape[-2] == query.shape[-1] and _length(value, -2) in (None, key.shape[-1]):
            fix = " key looks transposed: try key.swapaxes(-1, -2)."
        elif query.shape[-2] == key.shape[-1] and _length(value, -2) in (None, key.shape[-2]):
            fix = " query looks transposed: try query.swapaxes(-1, -2)."
        raise ShapeError(
            f"{function}: key does not match query in d_k "
            f"({key.shape[-1]} vs {query.shape[-1]}). "
            f"Need query (..., n_q, d_k), key (..., n_k, d_k). "
            f"{_got(query=query, key=key)}{fix}"
        )
    if value is not None and value.shape[-2] != key.shape[-2]:
        turned = value.shape[-1] == key.shape[-2]
        fix = " value looks transposed: try value.swapaxes(-1, -2)." if turned else ""
        raise ShapeError(
            f"{function}: value does not match key in n_k "
            f"({value.shape[-2]} vs {key.shape[-2]}). "
            f"Need key (..., n_k, d_k), value (..., n_k, d_v). "
            f"{_got(key=key, value=value)}{fix}"
        )


def _heads(array: Array | None) -> int:
    return 1 if array is None or array.ndim < 3 else array.shape[-3]


def _fit_heads(function: str, query: Array, key: Array, value: Array | None) -> tuple[int, int]:
    """Return the number of heads of the result, and of groups that share a key head."""
    heads = _heads(query)
    if heads == 1:  # one query head broadcasts over the heads of key and value
        heads = max({_heads(key), _heads(value)} - {1}, default=1)
    for name, array in (("key", key), ("value", value)):
        own = _heads(array)
        if own not in (1, heads) and (own == 0 or heads % own):
            need = f"Need query (..., heads, n_q, d_k), {name} (..., {name}_heads, n_k, "
            need += "d_k)" if name == "key" else "d_v)"
            owner = "query" if _heads(query) != 1 else "value" if name == "key" else "key"
            raise ShapeError(
                f"{function}: {owner} heads are not a multiple of {name} heads "
                f"({heads} vs {own}). {need} with {name}_heads dividing heads. "
                f"{_got(query=query, key=key, value=value)}"
                f"{_heads_fix(query, key, value)}"
            )
    grouped = [own for own in (_heads(key), _heads(value)) if own not in (1, heads)]
    return heads, grouped[0] if grouped else max(heads, 1)


def _heads_fix(query: Array, key: Array, value: Array | None) -> str:
    arrays = [x for x in (query, key, value) if x is not None]
    if any(x.ndim < 3 for x in arrays):
        return ""
    swapped = [x.shape[-2] for x in arrays]
    lengths = {x.shape[-3] for x in arrays[1:]}
    works = len(lengths) == 1 and all(n > 0 and swapped[0] % n == 0 for n in swapped[1:])
    return (
        " The head axis comes before the length: if it is the other way round here, "
        "try .swapaxes(-3, -2) on each."
        if works
        else ""
    )


def _fit_batch(function: str, query: Array, key: Array, value: Array | None) -> tuple[int, ...]:
    axes = [x.shape[:-3] for x in (query, key, value) if x is not None]
    if all(own == axes[0] for own in axes):  # nearly always, and much faster to see
        return axes[0]
    try:
        return np.broadcast_shapes(*axes)
    except ValueError:
        third = ", value (*batch, heads, n_k, d_v)"
        raise ShapeError(
            f"{function}: batch axes do not broadcast. Need query (*batch, heads, n_q, d_k), "
            f"key (*batch, heads, n_k, d_k){'' if value is None else third} "
            f"with equal batch axes, or 1. "
            f"{_got(query=query, key=key, value=value)}"
        ) from None


def fit_mask(
    function: str,
    mask: Array,
    outer: tuple[int, ...],
    n_q: int,
    n_k: int,
    *,
    heads_settled: bool = True,
) -> tuple[int, ...]:
    """Return the outer axes, stretched where the mask has more of them.

    A mask may add batch axes, but not lengths, and not heads once they are settled.
    """
    scores = (*outer, n_q, n_k)
    settled = scores[-3:] if outer and heads_settled else scores[-2:]

    def stretched(shape: tuple[int, ...]) -> tuple[int, ...] | None:
        try:
            result = np.broadcast_shapes(shape, scores)
        except ValueError:
            return None
        return result[:-2] if result[-len(settled) :] == settled else None

    fits = stretched(mask.shape)
    if fits is not None:
        return fits
    shape, missing = mask.shape, len(outer) - 1
    turned = (*shape[:-2], shape[-1], shape[-2]) if mask.ndim >= 2 else shape
    fix = ""
    if stretched(turned) is not None:
        fix = " mask looks transposed: try mask.swapaxes(-1, -2)."
    elif mask.ndim == 2 and outer and shape[0] == outer[0] and shape[1] == n_k:
        fix = f" For one row of keys per batch, try mask[:, {'None, ' * len(outer)}:]."
    elif (
        mask.ndim == 3
        and missing > 0
        and shape[0] == outer[0]
        and stretched((shape[0], *(1,) * missing, *shape[1:])) is not None
    ):
        fix = f" For one table per batch, try mask[:, {', '.join(['None'] * missing)}]."
    raise ShapeError(
        f"{function}: mask does not broadcast to the scores (..., n_q, n_k) = {show(scores)}. "
        f"Got mask {show(shape)}.{fix}"
    )
