"""Which characters a formula may hold.

Letters that look like others are refused by name, because two names that look the same would be
told apart by nobody.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from regard.language.formula.vocabulary import GREEK, SUBSCRIPTS

# One character for another, so that columns stay what they are.
_SAME: Final = str.maketrans(
    {
        "\u00a0": " ",
        "\u2009": " ",
        "\u202f": " ",
        "\r": "\n",
        "−": "-",
        "∗": "*",
        "⋅": "·",
        "∙": "·",
        "’": "'",
        "′": "'",
        "∥": "‖",
    }
)
_ALLOWED: Final = (
    frozenset(GREEK)
    | frozenset(SUBSCRIPTS)
    | frozenset("⊙∘·×≤≥≠→∞‖½⅓¼¾⅔√ᵀ⊤⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹†∧∨¬≈≫≪⟨⟩∑∈\t\n")
)
_DOLLARS: Final = re.compile(r"(\s*\${1,2})([^$]*)(\${1,2}\s*)")
# np.exp(x), math.sqrt(x), np.linalg.inv(M): functions have the same names here.
_MODULE: Final = re.compile(
    r"(?<![A-Za-z0-9_.\\])(?:np|numpy|math)\.(?:linalg\.)?(?=[A-Za-z])(?!T(?![A-Za-z0-9_]))"
)
_ODD: Final = re.compile(r"[^ -~]")


def plain(text: str) -> str:
    """Return the text with one character for each kind of minus sign, space, dot and prime.

    Dollars around the whole of it, as in LaTeX, count as spaces, and so does np. before a function.
    """
    same = _MODULE.sub(lambda module: " " * len(module[0]), text.translate(_SAME))
    framed = _DOLLARS.fullmatch(same)
    if framed is None:
        return same
    before, formula, after = framed.groups()
    return " " * len(before) + formula + " " * len(after)


def refusal(text: str) -> tuple[str, int] | None:
    """Return what is wrong with the first character that may not occur, and its column."""
    for found in _ODD.finditer(text):
        letter = found[0]
        if letter not in _ALLOWED:
            return _sentence(letter), found.start()
    return None


def _sentence(letter: str) -> str:
    code = f"U+{ord(letter):04X}"
    name = unicodedata.name(letter, "")
    if not name:
        kind = "control character" if unicodedata.category(letter) == "Cc" else "character"
        return f"A formula cannot hold the {kind} {code}: leave it out."
    named = f"the character {code} ({name.lower()})"
    meant = unicodedata.normalize("NFKC", letter)
    if len(meant) == 1 and " " < meant <= "~":
        return f"A formula cannot hold {named}: write {meant} instead."
    category = unicodedata.category(letter)
    if category in ("Cf", "Mn", "Me", "Mc", "Zl", "Zp", "Zs"):
        return f"A formula cannot hold {named}: leave it out."
    if category[0] == "L":
        return f"A formula cannot hold {named}: names are written with a-z, A-Z and Greek letters."
    return f"A formula cannot hold {named}."
