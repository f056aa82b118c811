r"""Small habits of other languages: `{1, 2}`, `S^+`, `1_N`, `eye(3)`, `exp(s).sum()`, a full stop.

Each is read as what it says where nothing else can be meant.
"""

from __future__ import annotations

import re
from typing import Final

from regard.checking.typed.array_calls import arguments

__all__ = ["without_habits"]

_LETTER = r"\\?[A-Za-z\u03b1-\u03c9]+"
_INFINITY = r"\+?(?:\\infty|∞|inf(?:inity|ty)?|oo)"
_ENDING: Final = re.compile(r"(?<=[\w)\]}'])\s*[.;,]\s*\Z")  # a sentence ends, and so does MATLAB's
# Lists of numbers alone: {2, 8, -20}, {{1, 0}, {0, 1}}, <1, 2>.
_BRACES: Final = re.compile(r"\s*\{[\s{}0-9.,eE/+\-−]*,[\s{}0-9.,eE/+\-−]*\}\s*")
_LIM: Final = re.compile(
    rf"\A\s*\\?lim(?:\\limits)?\s*_\s*\{{?\s*{_LETTER}\s*(?:->|→|\\to|\\rightarrow)\s*{_INFINITY}"
    r"\s*\}?\s*"
)
_LARGE_BEFORE: Final = re.compile(
    rf"\A\s*(?:an?\s+)?(?:very\s+)?(?:large|big)\s+(?={_LETTER}(?![A-Za-z]))"
)
_ABOUT: Final = re.compile(
    r"\A\s*(?:≈|~|\\approx|\\sim|approx(?:imately|\.)?|about|ca\.)\s*(?=[0-9.\-−])"
)
_PLUS: Final = re.compile(r"\^\s*\+(?=\s*(?:\Z|[)\]}*@'+]))")  # the pseudo-inverse S^+
_DAGGER: Final = re.compile(r"(?<![\^{\s])\s*†")
_ANGLE: Final = re.compile(r"<\s*([^<>,=]*[^<>,=\s])\s*,\s*([^<>,=]*[^<>,=\s])\s*>")
_TURNED: Final = re.compile(r"(?<=[\w)\]}'])\s*[⊤ᵗ]")  # K⊤
_OF_R: Final = re.compile(r"%\*%")
_ONES: Final = re.compile(r"[𝟏𝟙]|(?<![\w.])1(?=_\{?[A-Za-z])")  # 1_N, as papers write it
_EYE: Final = re.compile(r"(?<![\w.])(?:eye|identity)\(\s*(\w+)\s*(?:,\s*\1\s*)?\)")
_DIAG: Final = re.compile(r"(?<![\w.])diag\(")
_SIZE: Final = re.compile(r"(?<![\w.])(?:torch\.)?Size\((\[[^()]*\])\)")
_PER: Final = re.compile(r"(?<=[A-Za-z])\s+per\s+(?=[A-Za-z])")  # FLOPs per byte
_METHODS: Final = {
    "sum": "sum({})", "exp": "exp({})", "log": "log({})", "sqrt": "sqrt({})", "norm": "norm({})",
    "inv": "({})^-1", "inverse": "({})^-1", "pinv": "pinv({})", "trace": "tr({})",
    "transpose": "({})'",
}  # fmt: skip
_METHOD: Final = re.compile(rf"\.({'|'.join(_METHODS)})\(\s*\)")
_OPERAND: Final = re.compile(r"[A-Za-z_][\w.]*(?<!\.)\Z")


def without_habits(text: str) -> str:
    r"""Return a text in which these are written as the formula language has them.

    >>> without_habits("{2, 8, -20}"), without_habits("exp(s)/exp(s).sum();")
    ('[2, 8, -20]', 'exp(s)/sum(exp(s))')
    >>> without_habits("2 S S^+"), without_habits("10 eye(3)"), without_habits("M.inv().T")
    ('2 S S^{+}', '10 I(3)', '(M)^-1.T')
    """
    text = _PER.sub("/", _ENDING.sub("", text))
    if _BRACES.fullmatch(text):
        return text.replace("{", "[").replace("}", "]")
    text = _ABOUT.sub("", _LARGE_BEFORE.sub("", _LIM.sub("", text)))
    text = _TURNED.sub("'", _scalar_products(_as_r(text)))
    text = _DAGGER.sub(r"^{\\dagger}", _PLUS.sub("^{+}", text))
    text = _SIZE.sub(r"\1", _EYE.sub(r"I(\1)", _ONES.sub(r"\\mathbf{1}", text)))
    return _with_columns(_without_methods(text))


def _as_r(text: str) -> str:
    """Return a text in which the products of R, with t(S) for a transpose, are products here.

    >>> _as_r("S %*% t(S)")
    "S  @  (S)'"
    """
    if not _OF_R.search(text):
        return text
    text = text.replace("%*%", " @ ")
    while (found := re.search(r"(?<![\w.])t\(", text)) is not None:
        parts, end = arguments(text, found.end())
        if end < 0 or len(parts) != 1:
            break
        text = f"{text[: found.start()]}({parts[0]})'{text[end:]}"
    return text


def _scalar_products(text: str) -> str:
    """Return a text in which <u, v> is dot(u, v), where no value stands before the <.

    >>> _scalar_products("<k_i, q> > <k_j, q>")
    'dot(k_i, q) > dot(k_j, q)'
    """
    at = 0
    while (found := _ANGLE.search(text, at)) is not None:
        before = text[: found.start()].rstrip()[-1:]
        at = found.start() + 1
        if not before or before in "=(+-−*/,<>≥≤":
            text = f"{text[: found.start()]}dot({found[1]}, {found[2]}){text[found.end() :]}"
    return text


def _without_methods(text: str) -> str:
    """Return a text in which x.sum() is sum(x), whatever stands before the point."""
    at = 0
    while (found := _METHOD.search(text, at)) is not None:
        begin = _operand(text, found.start())
        if begin is None:
            at = found.end()
            continue
        said = _METHODS[found[1]].format(text[begin : found.start()])
        text = text[:begin] + said + text[found.end() :]
        at = begin
    return text


def _operand(text: str, end: int) -> int | None:
    """Return where the name, call or bracket begins that ends here."""
    begin = end
    if text[:end].endswith((")", "]")):
        depth = 0
        for begin in range(end - 1, -1, -1):
            depth += (text[begin] in ")]") - (text[begin] in "([")
            if depth == 0:
                break
        if depth:
            return None
    word = _OPERAND.search(text, 0, begin)
    if word is not None:
        return word.start()
    return begin if begin < end else None


def _with_columns(text: str) -> str:
    """Return a text in which diag(1, 2) is diag([1, 2])."""
    for found in reversed(list(_DIAG.finditer(text))):
        parts, end = arguments(text, found.end())
        if end > 0 and len(parts) > 1:
            text = f"{text[: found.end()]}[{', '.join(parts)}]){text[end:]}"
    return text
