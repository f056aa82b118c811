"""Work out every number of a head on small matrices, exactly and in decimals."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from regard.lab.arguments import Arguments, Real, Whole, Written, WrittenMatrix
from regard.lab.table import Answer


class Asked(Arguments):
    """Tokens, one per row, and the matrices; numbers may be written out, such as "1/3"."""

    x: WrittenMatrix
    W_Q: WrittenMatrix
    W_K: WrittenMatrix
    W_V: WrittenMatrix
    W_O: WrittenMatrix | None = None
    scale: Real | Written | None = "1"
    is_causal: bool = False
    digits: Annotated[int, Field(ge=1, le=30), Whole] = 12


def answer(asked: Asked) -> Answer:
    """Return each matrix exactly, in decimals and as floats. No scale means 1/√d_k."""
    from regard.analysis.exact_trace.trace import trace

    found = trace(
        asked.x, asked.W_Q, asked.W_K, asked.W_V,
        scale=asked.scale, W_O=asked.W_O, is_causal=asked.is_causal,
    )  # fmt: skip
    data = found.to_dict(asked.digits)
    floats = {name: found.floats(name).tolist() for name in data["exact"]}
    return Answer(data | {"floats": floats}, found)
