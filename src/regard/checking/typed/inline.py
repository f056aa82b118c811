"""Answers written in a line: a formula, or field=formula for each field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from regard.checking.typed.pieces import unnamed
from regard.errors import InvalidAnswer

# q=…, q = …, M=…, μ=…; not q == …, and not s_j >= …
_NAME = r"\s*([A-Za-z\u0370-\u03ff]\w{0,79})\s*"
_FIELD = re.compile(rf"{_NAME}=(?!=)(.*)", re.DOTALL)
_OTHER_SIGN = re.compile(rf"{_NAME}(?::=?|≈|\\approx\b)(.*)", re.DOTALL)  # q: …, q := …, c_2 ≈ …
_BOUND = re.compile(  # C >= 20; C >> 0, C -> inf, C is large
    r"\s*([A-Za-z]\w{0,79})\s*(?:((?:>=|≥|>(?!>))\s*[0-9].*)|(?:>>|≫)\s*[01]"
    r"|(?:->|→)\s*(?:inf|∞|oo)|\s(?:is\s+)?(?:very\s+)?large)\s*"
)
# (a)=…, dL/dV=…, ∂L/∂V=…, ∂V=…: a label in brackets, a gradient as it is written on paper
_LABEL: Final = re.compile(r"\s*[(\[]\s*([A-Za-z]\w{0,79})\s*[)\]]\s*(?:=(?!=)|:=?)(.*)", re.DOTALL)
_GRADIENT: Final = re.compile(
    r"\s*(?:[d∂]\w\s*/\s*(?:[d∂])|\\frac\{\\partial \w\}\{\\partial |∂)\s*(\w{1,79})\}?"
    r"\s*=(?!=)(.*)",
    re.DOTALL,
)
_QUOTED: Final = re.compile(r"""\s*(["'`])([^"'`]*)\1\s*|\s*[“‘]([^“”‘’]*)[”’]\s*""")
_AROUND = re.compile(r"\s*(?:\\\[(.*)\\\]|\\\((.*)\\\)|\${1,2}([^$]*)\${1,2})\s*", re.DOTALL)


def apart(text: str, names: list[str]) -> list[str]:
    """Return a text as field=formula for each, where it names several of these fields.

    >>> apart("q_1 = C mu_a, q_2 = C mu_b", ["q_1", "q_2", "C"])
    ['q_1 = C mu_a', 'q_2 = C mu_b']
    >>> apart("C (k_a + k_b), C=20", ["q", "C"])
    ['q=C (k_a + k_b)', 'C=20']
    """
    if not names or "\n" in text:
        return [text]
    around = _AROUND.fullmatch(text)
    if around is not None and _FIELD.fullmatch(around[1] or around[2] or around[3] or ""):
        text = around[1] or around[2] or around[3]
    name = "|".join(map(re.escape, names))
    found = re.compile(
        rf"(?:\s*[,;]\s*|\s+)(?=(?:{name})\s*=(?!=))"
        rf"|(?:\s*[,;]|\s(?:with|where|for|and))\s+(?=(?:{name})\s*(?:>=|≥|>(?!>))\s*[0-9])"
    )
    pieces = found.split(text.strip())
    if len(pieces) == 1 or any(piece.count("(") != piece.count(")") for piece in pieces):
        return [text]
    first = pieces[0] if _FIELD.fullmatch(pieces[0]) else f"{names[0]}={pieces[0]}"
    return [first, *pieces[1:]]


def inline(
    said: list[str], needed: Sequence[str] = (), others: Sequence[str] = ()
) -> dict[str, Any] | str:
    """Return the fields that were written, or the one text that is a file or a formula.

    Args:
        said: the arguments of the command.
        needed: the fields that an answer must have.
        others: those that it may have.

    >>> inline(["q=C (k_a + k_b)", "C=20"])
    {'q': 'C (k_a + k_b)', 'C': 20}
    >>> inline(["s_j - s_i >= 3"])
    's_j - s_i >= 3'
    >>> inline(["C (k_a + k_b)", "C=20"], ["q"], ["C"])
    {'q': 'C (k_a + k_b)', 'C': 20}
    """
    from regard.checking.typed.fields import typed  # slow to load

    pieces = [_named(text, (*needed, *others)) for text in _joined(said)]
    nameless = [value for name, value in pieces if not name]
    if nameless and len(pieces) == 1:
        return unquoted(nameless[0])
    names = [name for name, _ in pieces]
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise InvalidAnswer(f"answer: {twice} is given twice.")
    missing = [name for name in needed if name not in names]
    if nameless and not len(nameless) == len(missing) == 1:
        raise InvalidAnswer(unnamed(said, pieces, missing, needed))
    return {name or missing[0]: typed(value.strip()) for name, value in pieces}


def _named(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the field that a text names, or "", and what it says of it."""
    match = _FIELD.fullmatch(text)
    if match is not None:
        return _ascii(match[1]), match[2]
    label = _LABEL.fullmatch(text)
    if label is not None and label[1] in names:
        return label[1], label[2]
    gradient = _GRADIENT.fullmatch(text)
    if gradient is not None and f"d{gradient[1]}" in names:
        return f"d{gradient[1]}", gradient[2]
    other = _OTHER_SIGN.fullmatch(text)
    if other is not None and _ascii(other[1]) in names:
        return _ascii(other[1]), other[2]
    bound = _BOUND.fullmatch(text)
    if bound is not None and bound[1] in names:
        is_vague = bound[2] is None  # that a factor is large is what its growing means
        return bound[1], f"{bound[1]} -> inf" if is_vague else text
    return "", text


def _ascii(name: str) -> str:
    """Return a name in plain letters: alpha for α, z_3 for z₃."""
    if name.isascii():
        return name
    from regard.language.formula.vocabulary import normalised

    return normalised(name)


def _joined(said: list[str]) -> list[str]:
    """Return arguments with a name, its = and its value together, where spaces part them."""
    found: list[str] = []
    for text in said:
        before = found[-1] if found else ""
        if found and (text.strip() == "=" or before.endswith("=")) and "=" not in before[:-1]:
            found[-1] = f"{before}{text}"
        else:
            found.append(text)
    return found


def unquoted(text: str) -> str:
    """Return a text without the quotes around all of it, which some shells leave there.

    >>> unquoted("'C (k_a + k_b)'"), unquoted("k_a' q")
    ('C (k_a + k_b)', "k_a' q")
    """
    found = _QUOTED.fullmatch(text)
    return text if found is None else found[2] or found[3] or ""
