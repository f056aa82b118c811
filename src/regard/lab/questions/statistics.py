"""Measure where queries look: entropy, largest weights, mass by offset, what each key receives."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from regard.lab.arguments import Arguments, Matrix, real, whole
from regard.lab.table import Answer

Offsets = Annotated[list[whole(-1000, 1000)], Field(max_length=64)]  # type: ignore[misc]


class Asked(Arguments):
    """Queries (n_q, d_k) and keys (n_k, d_k); no scale means 1/√d_k."""

    query: Matrix
    key: Matrix
    scale: real(-1e6, 1e6) | None = None  # type: ignore[valid-type]
    is_causal: bool = False
    top: whole(0, 64) = 3  # type: ignore[valid-type]
    offsets: Offsets = []


def answer(asked: Asked) -> Answer:
    """Return the statistics of `regard.attention_statistics`, and the weights."""
    import numpy as np

    from regard import attention_statistics, attention_with_weights

    query, key = _array(asked.query), _array(asked.key)
    options = {"scale": asked.scale, "is_causal": asked.is_causal}
    found = attention_statistics(
        query, key, top=asked.top, offsets=asked.offsets, received=True, **options
    )
    _, weights = attention_with_weights(query, key, np.zeros((len(asked.key), 1)), **options)
    names = ("lse", "entropy", "peak", "argmax", "top_weights", "top_keys", "offset_mass")
    data = {name: getattr(found, name) for name in (*names, "received")}
    return Answer(data | {"weights": weights}, found)


def _array(rows: list[list[float]]) -> object:
    """An array, or the rows themselves if they differ in length, for the sentence that says so."""
    import numpy as np

    return np.array(rows) if len({len(row) for row in rows}) == 1 else rows
