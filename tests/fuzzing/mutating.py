"""Problems and answers with something changed in them: numbers, names, formulas, keys, lists."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from random import Random
from typing import Any

NUMBERS: list[Any] = [
    *(0, 1, 2, 3, 5, 8, 17, -1, -2, 64, 0.5, 1 / 3, -0.25, 1e-3, 1e-9, 1e-16, 1.5, 30.0, 700.0),
    *(1e-310, 5e-324, 1e-160, 1e-100, 1e6, 1e16, 1e100, 1e160, 1e300, 2**53, 2**70),
]
ODD: list[Any] = [
    *(float("nan"), float("inf"), -float("inf"), True, None, "", "3", "1/3", [], {}, [[]], [0]),
    *(
        [[1, 2], [3]],
        {"a": 1},
        "x_9",
        "k_9",
        "é",
        "\u202e",
        "\x00",
        r"\frac{1}{0}",
        "C -> inf",
        "-",
    ),
]
WORDS = [
    *("x_9", "c_1", "c_9", "x_1", "a", "b", "c", "others", "mu_a", "k_a", "k_1", "k_9", "v_a", "u_b"),
    *("C", "n", "d", "alpha", "beta", "epsilon", "sigma", "T", "S", "w_i", "i", "t", "q", "K", "M", "I"),
    *("law", "rows", "mean", "covariance", "tolerance", "limits", "parameters", "names", "values"),
]  # fmt: skip
LAWS: list[Any] = [
    {"law": "orthonormal"},
    {"law": "orthogonal"},
    {"law": "orthogonal", "norms": [1, 2, 3, 4]},
    {"law": "arbitrary"},
    {"law": "gaussian", "mean": {"law": "orthonormal"}, "covariance": "alpha I"},
    {"law": "gaussian", "mean": {"law": "arbitrary"}, "covariance": "0 I"},
    {"law": "gaussian", "mean": [[1, 0], [0, 1]], "covariance": {"a": "mu_a mu_a'", "others": "I"}},
    [[1]],
    [[0, 0]],
    [[1, 0], [0, 1], [1, 1]],
    [[1e-310, 0], [0, 1e100]],
    [[1, 2], [1, 2]],
    {"law": "unit", "count": 1},
    {"law": "fixed", "rows": [[1, 0, 0]]},
]
PIECES = [
    *("0", "1", "-1", "1e300", "1e-310", "2", "1/2", "C", "n", "k_a", "mu_b", "v_a", "k_1", "u_b", "I"),
    *("exp(C)", "log(0)", "sqrt(-1)", "inf", "(1/0)", "[1, 0]", "[[1, 0], [0, 1]]", "x_1", "w_i", "K"),
    *("norm(k_a)", "softmax(K)", "D_k", "sigma", "T", "S'", "pinv(S)", "beta", "alpha", "t", "i", "B"),
]  # fmt: skip
OPERATORS = [" + ", " - ", " ", " / ", "^", " * ", " < ", " >= ", " = ", " and ", "'"]
_SYMBOL = re.compile(r"[A-Za-z]\w*|\d+(?:\.\d+)?(?:e-?\d+)?")
Path = tuple[Any, ...]


def changed(data: dict[str, Any], others: list[dict[str, Any]], rng: Random) -> dict[str, Any]:
    """Return a copy of nested data with one to three things in it changed.

    Args:
        data: what `others` are like: `given` and `goal` of a problem, or the fields of an answer.
        others: where parts of the same name may be taken from.
        rng: decides.
    """
    data = copy.deepcopy(data)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        places = list(_places(data))
        if not places:
            break
        path = rng.choice(places)
        holder: Any = data
        for step in path[:-1]:
            holder = holder[step]
        _change(holder, path[-1], path, others, rng)
    return data


def _places(data: Any, path: Path = ()) -> Iterator[Path]:
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for name, item in items:
        yield (*path, name)
        if isinstance(item, dict | list):
            yield from _places(item, (*path, name))


def _change(holder: Any, name: Any, path: Path, others: list[dict[str, Any]], rng: Random) -> None:
    value = holder[name]
    how = rng.random()
    if how < 0.06:
        del holder[name]
    elif how < 0.12 and isinstance(holder, dict):
        new = rng.choice(WORDS)  # another name for it, or for what is put beside it
        holder[new] = holder.pop(name) if rng.random() < 0.5 else rng.choice(NUMBERS)
    elif how < 0.2:
        holder[name] = copy.deepcopy(rng.choice(ODD))
    elif how < 0.3:
        found = [part for part in (_part(other, path) for other in others) if part is not None]
        holder[name] = copy.deepcopy(rng.choice(found)) if found else rng.choice(WORDS)
    elif name in ("keys", "values", "mean", "S", "T") and isinstance(value, dict | list):
        holder[name] = copy.deepcopy(rng.choice(LAWS))
    elif name == "limits":
        letters = rng.choice(["alpha", "C", "beta", "epsilon", "D_k"])
        holder[name] = rng.choice([[], [f"{letters} -> 0"], [f"{letters} -> inf"]])
    else:
        holder[name] = _other(value, rng)


def _part(data: Any, path: Path) -> Any:
    for step in path:
        known = range(len(data)) if isinstance(data, list) else data
        if not isinstance(data, dict | list) or step not in known:
            return None
        data = data[step]
    return data


def _other(value: Any, rng: Random) -> Any:
    """Return something else of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        near = [value + 1, value - 1, -value, value / 2, 2 * value, value * 1e-3, float(value)]
        return rng.choice(near if rng.random() < 0.4 else NUMBERS)
    if isinstance(value, str):
        return formula(value, rng)
    if isinstance(value, list):
        if not value or rng.random() < 0.2:
            return [] if value else [1]
        again = copy.deepcopy(rng.choice(value))
        return rng.choice([[*value, again], value[:-1], value[::-1], [again], value + value])
    if isinstance(value, dict):
        kept = list(value.items())
        rng.shuffle(kept)
        return dict(kept[: rng.randrange(len(kept) + 1)])
    return rng.choice(ODD)


def formula(text: str, rng: Random) -> str:
    """Return another text: a symbol exchanged, something put before, after or around it."""
    symbols = list(_SYMBOL.finditer(text))
    piece, how = rng.choice(PIECES), rng.random()
    if symbols and how < 0.5:
        one = rng.choice(symbols)
        piece = rng.choice([piece, rng.choice(symbols)[0], rng.choice(WORDS)])
        return text[: one.start()] + piece + text[one.end() :]
    if how < 0.65:
        return f"{piece}{rng.choice(OPERATORS)}({text})"
    if how < 0.8:
        return f"({text}){rng.choice(OPERATORS)}{piece}"
    if how < 0.9:
        around = rng.choice(
            ["-({})", "0 ({})", "norm({})", "exp({})", "({})'", "({})^-1", "({})^9"]
        )
        return around.format(text)
    cut = rng.randrange(len(text) + 1)
    return rng.choice([text[:cut], text[cut:], text * 20, text[:cut] + piece + text[cut:], piece])
