"""Text that pdflatex accepts, whatever its characters: ASCII comes out."""

from __future__ import annotations

import re
import unicodedata

from regard.language.notation import symbols as symbols
from regard.report import inline
from regard.report.decimals import typeset

_ASCII = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_\allowbreak{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    # After \item and at the end of a row these would be arguments.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_TEXT = {
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u00ad": r"\-",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "—": "{---}",
    "–": "{--}",
    "‑": "{-}",
    "‐": "{-}",
    "‘": "{`}",
    "’": "{'}",
    "“": "{``}",
    "”": "{''}",
    "…": r"\ldots{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "©": r"\copyright{}",
    "£": r"\pounds{}",
    "€": r"\texteuro{}",
    "\ue000": r"\allowbreak{}",  # put there by _breakable
    "•": r"\textbullet{}",
    "¡": "{!`}",
    "¿": "{?`}",
    "°": r"\ensuremath{^{\circ}}",
    "½": r"\ensuremath{\tfrac12}",
    "¼": r"\ensuremath{\tfrac14}",
    "¾": r"\ensuremath{\tfrac34}",
    "µ": r"\ensuremath{\mu}",
    "ο": "o",
}
_SYMBOLS = {
    **{text: "\\" + name for name, text in symbols.NAMES.items()},
    **{
        text: "\\" + name
        for table in (symbols.OPERATORS, symbols.QUANTIFIERS, symbols.BIG, symbols.INTEGRALS)
        for name, text in table.items()
    },
    **{text: name for name, text in (symbols.CLOSING | symbols.OPENING | symbols.EITHER).items()},
    "−": "-",
    "⋯": r"\cdots",
    "÷": r"\div",
    "√": r"\surd",
    "∛": r"\sqrt[3]{}",
    "←": r"\leftarrow",
    "↔": r"\leftrightarrow",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "⇐": r"\Leftarrow",
    "⊃": r"\supset",
    "⊇": r"\supseteq",
    "∧": r"\wedge",
    "∨": r"\vee",
    "¬": r"\neg",
    "∖": r"\setminus",
    "⊕": r"\oplus",
    "′": "{}'",
    "″": "{}''",
    "ℝ": r"\mathbb{R}",
    "ℕ": r"\mathbb{N}",
    "ℤ": r"\mathbb{Z}",
    "ℚ": r"\mathbb{Q}",
    "ℂ": r"\mathbb{C}",
    "ℙ": r"\mathbb{P}",
    "✓": r"\checkmark",
    "✔": r"\checkmark",
    "✗": r"\times",
    "✘": r"\times",
    "■": r"\blacksquare",
    "█": r"\blacksquare",
    "□": r"\square",
    "∎": r"\square",
}
# Signs that stand in text as they would in a formula.
_MATH = {text: latex for text, latex in _SYMBOLS.items() if not text.isascii()}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ", "0123456789+-=()niT", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₙ", "0123456789+-=()aeijkn", strict=True))
# Accents: the command in text, and in a formula.
_ACCENTS = {
    "\u0300": ("`", "grave"),
    "\u0301": ("'", "acute"),
    "\u0302": ("^", "hat"),
    "\u0303": ("~", "tilde"),
    "\u0304": ("=", "bar"),
    "\u0305": ("=", "bar"),
    "\u0306": ("u", "breve"),
    "\u0307": (".", "dot"),
    "\u0308": ('"', "ddot"),
    "\u030a": ("r", "mathring"),
    "\u030b": ("H", "ddot"),
    "\u030c": ("v", "check"),
    "\u0323": ("d", ""),
    "\u0327": ("c", ""),
    "\u0331": ("b", ""),
    "\u20d7": ("=", "vec"),
}
# Of these TeX joins neighbours into one sign: two hyphens into a dash.
_JOINED = frozenset("-',!?`")
_STEP = 20
_LONG = re.compile(rf"[^\s]{{{2 * _STEP},}}")
_CLUSTER = re.compile("(.)([\u0300-\u036f\u20d7]*)", re.DOTALL)

_WIDE = 60  # characters of a formula that may be wider than a line


def words(text: str) -> str:
    """Return a string with formulas as LaTeX, its numbers with a true minus and powers of ten."""
    return "".join(
        inline_formula(part) if is_formula else escaped(typeset(part))
        for is_formula, part in inline.spans(text)
    )


def inline_formula(latex: str) -> str:
    """Return a formula between words; a long one is made smaller where a line cannot hold it."""
    return f"${latex}$" if len(latex) <= _WIDE else rf"\regardinline{{{latex}}}"


def escaped(text: str) -> str:
    r"""Return text without formulas as LaTeX; a character without a name shows as its number.

    >>> print(escaped("50 % of α₂ ≤ é"))
    50 \% of \ensuremath{\alpha}\textsubscript{2} \ensuremath{\leq} \'{e}
    """
    return _CLUSTER.sub(_cluster, unicodedata.normalize("NFD", _LONG.sub(_breakable, text)))


def _breakable(word: re.Match[str]) -> str:
    """Let a word that may be wider than a line break, which TeX would not."""
    return "\ue000".join(re.findall(f".{{1,{_STEP}}}", word[0]))


def _cluster(found: re.Match[str]) -> str:
    """Return a character with the marks upon it."""
    character, marks = found[1], found[2]
    composed = unicodedata.normalize("NFC", character + marks[:1])
    math = _MATH.get(composed)
    if math and len(composed) == 1 and marks:  # such as ≠, which is = with a stroke
        return rf"\ensuremath{{{math}}}"
    if character in _MATH or character in _UPRIGHT_GREEK:
        result = _MATH.get(character) or _UPRIGHT_GREEK[character]
        for mark in marks:
            accent = _ACCENTS.get(mark, ("", ""))[1]
            result = rf"\{accent}{{{result}}}" if accent else result
        return rf"\ensuremath{{{result}}}"
    result = _one(character)
    if character in _JOINED and found.string[found.end() : found.end() + 1] in _JOINED:
        result += "{}"
    for mark in marks:
        accent = _ACCENTS.get(mark, ("", ""))[0]
        if accent and character.isascii() and character.isalpha():
            result = rf"\{accent}{{{result}}}"
    return result


# Greek capitals that LaTeX has no commands for, since they look like Latin ones.
_UPRIGHT_GREEK = {
    greek: rf"\mathrm{{{latin}}}"
    for greek, latin in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True)
}


def _one(character: str) -> str:
    if character in _ASCII:
        return _ASCII[character]
    if character.isascii():
        return character
    if character in _TEXT:
        return _TEXT[character]
    if character in _RAISED:
        return rf"\textsuperscript{{{_RAISED[character]}}}"
    if character in _LOWERED:
        return rf"\textsubscript{{{_LOWERED[character]}}}"
    if unicodedata.category(character) == "Zs":
        return " "
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return ""
    alike = unicodedata.normalize("NFKD", character)
    if alike.isascii():  # such as the letters of fi as one sign
        return "".join(_ASCII.get(c, c) for c in alike)
    return rf"{{\footnotesize U+{ord(character):04X}}}"


def bookmark(text: str) -> str:
    """Return a string for the bookmarks of a PDF: letters, digits and a few signs."""
    letters = unicodedata.normalize("NFKD", inline.shown(text))
    names = {text: name for name, text in symbols.NAMES.items()}
    spelled = "".join(names.get(c, c) for c in letters)
    return re.sub(r"[^A-Za-z0-9 .,:;()/=+-]", "", spelled)
