"""Measure where queries look: entropy, largest weights, mass by offset, what each key receives."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from regard.lab.arguments import Arguments, Matrix, Whole
from regard.lab.table import Answer

Offsets = Annotated[list[Annotated[int, Field(ge=-1000, le=1000), Whole]], Field(max_length=64)]


class Asked(Arguments):
    """Queries (n_q, d_k) and keys (n_k, d_k); no scale means 1/√d_k."""

    query: Matrix
    key: Matrix
    scale: Annotated[float, Field(ge=-1e6, le=1e6)] | None = None
    is_causal: bool = False
    top: Annotated[int, Field(ge=0, le=64), Whole] = 3
    offsets: Offsets = Field(default_factory=list)


def answer(asked: Asked) -> Answer:
    """Return the statistics of `regard.attention_statistics`, and the weights."""
    import numpy as np

    from regard import attention_statistics, attention_with_weights

    query, key = _array(asked.query), _array(asked.key)
    options: dict[str, Any] = {"scale": asked.scale, "is_causal": asked.is_causal}
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
