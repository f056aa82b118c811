"""Which keys each query of a trace may attend to: the masks that `regard.attention` takes."""

from __future__ import annotations

from regard.errors import ParameterError, ShapeError
from regard.shapes import integer, window_sides

__all__ = ["read_visible"]

Visible = tuple[tuple[int, ...], ...]


def read_visible(
    function: str, n: int, mask: object, is_causal: bool, window: object, key_lengths: object
) -> Visible:
    """Return for each of n queries its keys, from 0, in order; a key must pass all masks."""
    rows = _rows(function, n, mask)
    left, right = (n if side is None else side for side in window_sides(function, window))
    length = n if key_lengths is None else integer(function, "key_lengths", key_lengths, minimum=0)
    return tuple(
        tuple(
            j
            for j in range(min(n, length))
            if rows[i][j] and (j <= i or not is_causal) and i - left <= j <= i + right
        )
        for i in range(n)
    )


def _rows(function: str, n: int, mask: object) -> list[list[bool]]:
    """Return a mask as rows of True (may attend) and False."""
    if mask is None:
        return [[True] * n] * n
    listed = mask.tolist() if hasattr(mask, "tolist") else mask
    rows = [list(row) if isinstance(row, list | tuple) else [] for row in _sequence(listed)]
    if len(rows) != n or any(len(row) != n for row in rows):
        raise ShapeError(
            f"{function}: mask must have {n} rows of {n} entries, one for each query and key."
        )
    for row in rows:
        for entry in row:
            if not isinstance(entry, bool | int | float) or entry not in (0, 1):
                raise ParameterError(
                    f"{function}: mask must be True or 1 where a query may attend, False or 0 "
                    f"where not. Got {entry!r}."
                )
    return [[bool(entry) for entry in row] for row in rows]


def _sequence(listed: object) -> list[object]:
    return list(listed) if isinstance(listed, list | tuple) else []
