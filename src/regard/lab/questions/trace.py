"""Work out every number of a head on small matrices, exactly and in decimals."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field

from regard.lab.arguments import Arguments, Real, Whole, Written, WrittenMatrix
from regard.lab.table import Answer

_SIGN = re.compile(r" (?==|\\approx)")  # a long formula may go on in the next line here
DIGITS = 20  # of the entry that is explained
# Such as "q_2[1]" or "z_3,1", counted from 1; `Trace.entry` reads it.
EntryName = Annotated[
    str, Field(max_length=16, pattern=r"^[qkvzaco]_\d{1,2}(,\d{1,2}|\[\d{1,2}\])$")
]


# Rows of 1, where the query of the row may attend, and 0.
MaskRows = Annotated[
    list[
        Annotated[
            list[Annotated[int, Field(ge=0, le=1), Whole]], Field(min_length=1, max_length=12)
        ]
    ],
    Field(min_length=1, max_length=12),
]
Steps = Annotated[int, Field(ge=0, le=12), Whole]


class Asked(Arguments):
    """Tokens, one per row, and the matrices; numbers may be written out, such as "1/3".

    A key must pass is_causal, mask (rows of 1 and 0), window ([left, right]) and key_lengths.
    """

    x: WrittenMatrix
    W_Q: WrittenMatrix
    W_K: WrittenMatrix
    W_V: WrittenMatrix
    W_O: WrittenMatrix | None = None
    scale: Real | Literal["1/sqrt(d_k)"] | Written | None = "1"
    is_causal: bool = False
    mask: MaskRows | None = None
    window: Annotated[list[Steps | None], Field(min_length=2, max_length=2)] | None = None
    key_lengths: Annotated[int, Field(ge=0, le=12), Whole] | None = None
    digits: Annotated[int, Field(ge=1, le=30), Whole] = 12
    entry: EntryName | None = None


def answer(asked: Asked) -> Answer:
    """Return each matrix exactly, in decimals and as floats, and where one entry came from.

    No scale means 1/√d_k.
    """
    from regard.analysis.exact_trace.trace import trace

    found = trace(
        asked.x, asked.W_Q, asked.W_K, asked.W_V,
        scale=asked.scale, W_O=asked.W_O, is_causal=asked.is_causal,
        mask=asked.mask, window=asked.window, key_lengths=asked.key_lengths,
    )  # fmt: skip
    data = found.to_dict(asked.digits)
    floats = {name: found.floats(name).tolist() for name in data["exact"]}
    entry = None if asked.entry is None else _entry(found, asked.entry)
    return Answer(data | {"floats": floats, "entry": entry}, found)


def _entry(found: Any, name: str) -> dict[str, Any]:
    """How an entry was computed: as text, as MathML in parts that may stand below each other."""
    from regard.analysis.exact_trace.notation import exact_text
    from regard.language.notation import to_mathml

    entry = found.entry(name)
    return {
        "name": entry.name,
        "text": entry.text,
        "mathml": [to_mathml(part, display=True) for part in _SIGN.split(entry.latex)],
        "exact": exact_text(entry.value),
        "decimal": entry.decimal(DIGITS),
    }
