"""One entry of a worked example worked out in float64, for a wrong answer to be compared with."""

from __future__ import annotations

import numpy as np

from regard.kinds.compute.instance import Example, Float64
from regard.kinds.compute.instance.forward import of_group, of_head, tokens_of
from regard.kinds.compute.spec import Quantity
from regard.report import number

MOST_TERMS = 8


def worked(example: Example, name: str, row: int, column: int) -> str:
    """Write the sum of products that an entry (counted from 1) is; "" where it is none."""
    found, setup = example.right, example.setup
    symbol, head = Quantity(name).symbol, (Quantity(name).part or 1) - 1
    left: Float64 | None = None
    right: Float64 | None = None
    extra = 0.0
    by = 1.0
    if symbol in ("Q", "K", "V") and setup.get(f"W_{symbol}") is not None:
        cached = setup.get(f"cached_{symbol}")
        row -= 0 if cached is None else len(cached)
        if row < 1:
            return ""
        source = found["N"] if "N" in found else tokens_of(setup, found)
        if symbol != "Q":
            source = found.get("context", setup.arrays.get("context", source))
        left, right = source, setup.arrays[f"W_{symbol}"]
        bias = setup.get(f"b_{symbol}")
        extra = 0.0 if bias is None else float(bias[0][column - 1])
    elif symbol in ("G", "Z") and example.given.score == "dot" and "Q" in found:
        Q, K = (found.get(f"{one}R", found.get(f"{one}F", found[one])) for one in "QK")
        left = of_head(Q, head, example.given.heads)
        right = of_group(setup, K, head).T
        if symbol == "Z":
            by = setup.scale
            bias = found.get(Quantity(name).other("B"))
            extra = 0.0 if bias is None else float(bias[row - 1][column - 1])
    elif symbol == "C" and example.given.heads == 1:
        left, right = found["A"], found["V"]
    elif symbol == "O":
        left, right = found["C"], setup.arrays["W_O"]
        bias = setup.get("b_O")
        extra = 0.0 if bias is None else float(bias[0][column - 1])
    if left is None or right is None:
        return ""
    return _sum(left[row - 1], right[:, column - 1], by, extra)


def _sum(left: Float64, right: Float64, by: float, extra: float) -> str:
    terms = [f"{_factor(a)} \\cdot {_factor(b)}" for a, b in zip(left, right, strict=True)]
    shown = terms if len(terms) <= MOST_TERMS else [*terms[: MOST_TERMS - 1], r"\dots"]
    text = " + ".join(shown)
    text = text if by == 1 else f"{_factor(by)} \\cdot ({text})"
    text += f" + {_factor(extra)}" if extra else ""
    total = float(by * np.dot(left, right) + extra)
    return f"{text} = {_plain(total)}"


def _factor(value: float) -> str:
    text = _plain(value)
    return f"({text})" if text.startswith("-") else text


def _plain(value: float) -> str:
    mantissa, _, power = number(float(value), 6).partition("e")
    return f"{mantissa} \\times 10^{{{int(power)}}}" if power else mantissa
