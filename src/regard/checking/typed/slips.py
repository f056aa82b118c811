r"""Slips that a text shows by itself: `sum(x, axis=0)`, `E[x] = D`, `2 x n`, `for all i`.

Each rule returns the whole sentence that is said of such a text, or "". What a sentence tells to
write is a formula: a text that would be none is not proposed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from regard.checking.typed.array_calls import arguments
from regard.checking.typed.formulas import as_typed
from regard.errors import FormulaError
from regard.language import Formula, parse

__all__ = ["NOT_CALCULATED", "formula", "of_equation", "of_text", "without_every"]

NOT_CALCULATED: Final = "Write what it comes to, without expectations and variances"
_LONGEST: Final = 80  # characters of a text that are written once more
_CALL: Final = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z_]\w*)\(")
_KEYWORD: Final = re.compile(r"(axis|axes|dim|keepdims|keepdim|dtype|out|where|initial)\s*=(?!=).*")
_OF_ALL: Final = ("sum", "softmax")
_AXES: Final = ("-1", "0", "1")
# Q K' of two matrices, which is a matrix
_PRODUCT: Final = re.compile(r"[A-Z]\s*[@*]?\s*[A-Z]\s*(?:'|\.T\b|\^)|\b[XYZAS]\b")
_EXPECTATION: Final = re.compile(
    r"(?:\\mathbb\s*\{\s*E\s*\}|\\operatorname\s*\{\s*(?:Var|Cov|E)\s*\}|𝔼|(?<![\w\\])"
    r"(?:E|Var|Cov|Std|var|cov|std))\s*(?:\\left\s*)?[\[({]"
)
_INDEX: Final = r"\s*\$?\s*[A-Za-z](?:\s*(?:≠|!=|\\neq?(?![A-Za-z])|\\in\b|∈|in\b)\s*\w+)?\s*\$?\s*"
_EVERY: Final = r"(?:for\s+(?:all|every|each|any)|∀|\\forall)"
_BEFORE: Final = re.compile(rf"\s*({_EVERY}{_INDEX})[:,.]?(?=[\s,:.])(.*)", re.DOTALL)
_BEHIND: Final = re.compile(rf"(.*?)[\s,;]+((?:{_EVERY}|for){_INDEX})", re.DOTALL)
_BRACKET_CALL: Final = re.compile(
    r"(?<![A-Za-z0-9_])(Dot|Transpose|Inverse|PseudoInverse|Exp|Log|Sqrt|Total|Norm|Tr|Det)\["
)
_BRACKET_CALLS: Final = {
    "Transpose": "{}'", "Inverse": "({})^-1", "PseudoInverse": "pinv({})", "Total": "sum({})",
    "Dot": "{} {}",
}  # fmt: skip
_POINT: Final = re.compile(r"(?<=[\w')\]])\s*\.\s*(?=[A-Za-z(])")
_TIMES_X: Final = re.compile(r"(?<=[\w)])\s+x\s+(?=[\w(])")
_BARS: Final = re.compile(r"[\[(\s]*[-−\d.,\s;eE/]+(?:\|[-−\d.,\s;eE/]+)+[\])\s]*")
_TURNED: Final = re.compile(
    r"\s*[(\[]\s*(-?[\d.]+(?:\s+-?[\d.]+)+)\s*[)\]]\s*(?:'|ᵀ|⊤|\.T|\^\s*\{?\s*\\?(?:T|top)\s*\}?)\s*"
)
_SIGNS: Final = (
    (r"\s+(?:times|multiplied\s+by)\s+", " * "),
    (r"\s+plus\s+", " + "),
    (r"\s+minus\s+", " - "),
    (r"\s+(?:over|divided\s+by)\s+", " / "),
    (r"\s+squared\b", "^2"),
    (r"\s+transposed?\b", "'"),
)
_IS: Final = re.compile(r"\s*([A-Za-z]\w{0,30})\s+(?:is|equals|are)\s+(?:equal\s+to\s+)?(.*)")


def formula(text: str) -> Formula | None:
    """Return the formula that a text is, also as people type it; None where it is none."""
    for one in (text, as_typed(text)):
        try:
            return parse(one)
        except FormulaError:
            continue
    return None


def of_text(text: str) -> str:
    """Return what is said of a text with a slip that it shows by itself; "" where it shows none.

    >>> of_text("sum(exp(K q), axis=0, keepdims=True)")
    'sum takes no axis: write sum(exp(K q)).'
    >>> of_text("2 x 2 x n")
    'x does not multiply: write 2 * 2 * n.'
    """
    if len(text) > _LONGEST or not text.isprintable():
        return ""
    return next(filter(None, (rule(text) for rule in _RULES)), "")


def without_every(text: str) -> tuple[str, str] | tuple[()]:
    r"""Return what a condition says of every index, and the condition without it; or nothing.

    >>> without_every(r"\forall i \neq j: s_j - s_i \geq 20")
    ('\\forall i \\neq j', 's_j - s_i \\geq 20')
    """
    if len(text) > _LONGEST or not text.isprintable():
        return ()
    before, behind = _BEFORE.fullmatch(text), _BEHIND.fullmatch(text)
    if before is not None:
        said, rest = before[1], before[2]
    elif behind is not None:
        rest, said = behind[1], behind[2]
    else:
        return ()
    rest = rest.strip(" :,.")
    found = formula(rest)
    return () if found is None or not found.is_condition else (said.strip(), rest)


def _keywords(text: str) -> str:
    """Name the calls with keyword arguments, and write them without."""
    said: list[tuple[str, str, str]] = []
    mended = text
    while len(said) < 3:
        for found in _CALL.finditer(mended):
            parts, end = arguments(mended, found.end())
            named = [one[1] for part in parts if (one := _KEYWORD.fullmatch(part)) is not None]
            if not named and found[1] in _OF_ALL and len(parts) == 2 and parts[1] in _AXES:
                named, parts = ["axis"], parts[:1]  # sum(x, 0)
            if end > 0 and named:
                break
        else:
            break
        left = [part for part in parts if _KEYWORD.fullmatch(part) is None]
        call = f"{found[1]}({', '.join(left)})"
        method = mended[: found.start()].endswith(".")
        mended = mended[: found.start()] + call + mended[end:]
        said.append((found[1], named[0], "" if method else call))
    if not said or formula(mended) is None:
        return ""
    name, keyword, call = said[0]
    if name == "sum" and _PRODUCT.search(call):
        return (
            f"sum takes no {keyword}: it adds all entries. softmax(X) is that of every row of X, "
            r"and X \mathbf{1} holds the sums of its rows."
        )
    alone = call if len(said) == 1 and call else mended
    if name == "softmax":
        return (
            f"softmax is that of a vector, or of every row, and takes no {keyword}: write {alone}."
        )
    return f"{name} takes no {keyword}: write {alone}."


def _rows(text: str) -> str:
    if not _BARS.fullmatch(text) or text.strip().startswith("|"):
        return ""
    rows = "; ".join(
        ", ".join(row.replace(",", " ").split()) for row in text.strip(" []()").split("|")
    )
    if "," not in rows:
        return f"A comma parts the entries of a list: write [{rows.replace(';', ',')}]"
    return f"Rows are parted by ;: write [{rows}]" if formula(f"[{rows}]") is not None else ""


def _turned_list(text: str) -> str:
    """Write (2 8 -20)^T as the list of these numbers."""
    found = _TURNED.fullmatch(text)
    if found is None:
        return ""
    return f"A comma parts the entries of a list: write [{', '.join(found[1].split())}]"


def _bracket_calls(text: str) -> str:
    """Write calls such as Transpose[S].S, which have square brackets, as they are here."""
    first, mended = _BRACKET_CALL.search(text), text
    while (found := _BRACKET_CALL.search(mended)) is not None:
        parts, end = arguments(mended, found.end())
        meaning = _BRACKET_CALLS.get(found[1], f"{found[1].lower()}({{}})")
        if end < 0 or len(parts) != meaning.count("{}"):
            return ""
        alone = meaning.startswith("{}")  # without brackets of its own
        inner = [x if re.fullmatch(r"\w+", x) or not alone else f"({x})" for x in parts]
        mended = mended[: found.start()] + meaning.format(*inner) + mended[end:]
    pointless = _POINT.sub(" ", mended)
    if first is None or formula(pointless) is None:
        return ""
    point = ", and a point does not multiply" if pointless != mended else ""
    return f"{first[1]}[…] is not written so here{point}: write {pointless}."


def _x_between(text: str) -> str:
    mended = _TIMES_X.sub(" * ", text)
    if mended == text or formula(mended) is None:
        return ""
    return f"x does not multiply: write {mended}."


def _ampersand(text: str) -> str:
    mended = re.sub(r"\s*&+\s*", " + ", text)
    if mended == text or "\\begin" in text or formula(mended) is None:
        return ""
    return f"& does not add: write {mended}, if a sum is meant."


def _words(text: str) -> str:
    named = _IS.fullmatch(text)
    mended = text if named is None else named[2]
    for word, sign in _SIGNS:
        mended = re.sub(word, sign, mended)
    found = formula(mended) if mended != text else None
    if found is None or {*re.findall(r"(?<!\w)[A-Za-z]+(?!\w)", mended)} & {
        "a",
        "an",
        "the",
        "large",
        "number",
    }:
        return ""
    start = "" if named is None else f"{named[1]} = "
    said = f"{start}'{mended}'" if named is not None else mended
    return f"Words are written as signs: write {said}."


_RULES: Final[tuple[Callable[[str], str], ...]] = (
    _keywords,
    _bracket_calls,
    _rows,
    _turned_list,
    _x_between,
    _ampersand,
    _words,
)


def of_equation(name: str, text: str) -> str:
    """Say that a field holds one formula, for a text with = in it, or with an expectation.

    >>> of_equation("variance", "E[(q^T k)^2] = D_k")
    "Write what it comes to: variance = 'D_k'."
    """
    *left, last = re.split(r"(?<![<>=!:])=(?!=)", text)
    last = last.strip()
    if len(text) > _LONGEST or not text.isprintable():
        return ""
    is_expected = any(_EXPECTATION.search(one) or re.match(r"\s*V\[", one) for one in left)
    if is_expected and not _EXPECTATION.search(last) and formula(last) is not None:
        return f"Write what it comes to: {name} = '{last}'."
    if _EXPECTATION.search(last):
        return NOT_CALCULATED
    if left and left[0].strip() and formula(last) is not None:
        return f"A field holds one formula, without =, such as {name} = '{last}'."
    return ""
