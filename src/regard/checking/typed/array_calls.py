r"""NumPy's and torch's calls on matrices: `np.dot(Q, K.T)`, `Q.dot(K.T)`, `einsum`, `axis=-1`.

A name with a capital is a matrix, as in the problems: with one, dot is the product of matrices.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["arguments", "without_array_calls"]

_DOT: Final = re.compile(r"(?<![\w.])(?:np|numpy|jnp|torch)\.dot\(")
_METHOD: Final = re.compile(r"(?<![\w.])([A-Za-z]\w*(?:\.T)?)\.(dot|matmul|mm|bmm|outer)\(")
_AFTER_BRACKET: Final = re.compile(r"(?<=\))\.(?:dot|matmul|mm|bmm)(?=\()")
_SOFTMAX: Final = re.compile(r"softmax\(")
_EINSUM: Final = re.compile(r"(?<![\w.])(?:(?:np|numpy|jnp|torch)\.)?einsum\(")
_MATRIX: Final = re.compile(r"(?<![A-Za-z0-9_])[A-Z]")
# The last of two axes, along which every softmax of a problem goes.
_LAST_AXIS: Final = re.compile(r",\s*(?:axis|dim)\s*=\s*-?1\s*(?=\))")
_LETTERS: Final = re.compile(r"""["']\s*(\w)(\w)\s*,\s*(\w)(\w)\s*->\s*(\w)(\w)\s*["']""")


def without_array_calls(text: str) -> str:
    r"""Return a text with these calls as products.

    >>> without_array_calls("softmax(np.dot(Q, K.T), axis=-1)")
    'softmax((Q) (K.T))'
    >>> without_array_calls("np.dot(k_a, q) + x.dot(y) + einsum('id,jd->ij', Q, K)")
    "np.dot(k_a, q) + dot(x, y) + (Q) (K)'"
    """
    text = _AFTER_BRACKET.sub(" ", _LAST_AXIS.sub("", text))
    at = 0
    while (found := _SOFTMAX.search(text, at)) is not None:
        parts, end = arguments(text, found.end())
        if len(parts) == 2 and end > 0 and parts[1] in ("-1", "1"):
            text = f"{text[: found.end()]}{parts[0]}){text[end:]}"
        at = found.end()
    at = 0
    while (found := _DOT.search(text, at)) is not None:
        parts, end = arguments(text, found.end())
        if len(parts) == 2 and end > 0 and any(map(_MATRIX.search, parts)):
            text = f"{text[: found.start()]}({parts[0]}) ({parts[1]}){text[end:]}"
        at = found.start() + 1
    at = 0
    while (found := _METHOD.search(text, at)) is not None:
        parts, end = arguments(text, found.end())
        if len(parts) == 1 and end > 0 and found[1] not in ("np", "numpy", "jnp", "torch"):
            is_product = _MATRIX.search(found[1]) or _MATRIX.search(parts[0])
            called = "outer" if found[2] == "outer" else "" if is_product else "dot"
            said = f"{called}({found[1]}, {parts[0]})" if called else f"({found[1]}) ({parts[0]})"
            text = text[: found.start()] + said + text[end:]
        at = found.start() + 1
    at = 0
    while (found := _EINSUM.search(text, at)) is not None:
        text = _einsum(text, found)
        at = found.start() + 1
    return text


def _einsum(text: str, found: re.Match[str]) -> str:
    """Return a text with one einsum of two matrices over one index as their product."""
    parts, end = arguments(text, found.end())
    letters = _LETTERS.fullmatch(parts[0]) if len(parts) == 3 and end > 0 else None
    if letters is None:
        return text
    left, right, out = letters[1] + letters[2], letters[3] + letters[4], letters[5] + letters[6]
    for one, turned in ((left, ""), (left[::-1], "'")):
        for other, also_turned in ((right, ""), (right[::-1], "'")):
            if one[1] == other[0] and one[0] + other[1] == out and len({*one, *other}) == 3:
                product = f"({parts[1]}){turned} ({parts[2]}){also_turned}"
                return text[: found.start()] + product + text[end:]
    return text


def arguments(text: str, start: int) -> tuple[list[str], int]:
    """Return what stands between brackets, split at its commas, and where it ends; -1: nowhere."""
    depth, parts, quote = 1, [""], ""
    for at in range(start, len(text)):
        if text[at] in "\"'" and (quote == text[at] or (not quote and not parts[-1].strip())):
            quote = "" if quote else text[at]  # a quote that opens an argument; x' is no quote
        if not quote:
            depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return [part.strip() for part in parts], at + 1
        if text[at] == "," and depth == 1 and not quote:
            parts.append("")
        else:
            parts[-1] += text[at]
    return parts, -1
