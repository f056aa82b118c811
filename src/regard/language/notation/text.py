"""Formulas as one line of Unicode.

Spaces follow what the author wrote where TeX ignores it, so that `f(x)` and `C (k_a + k_b)` stay
what they look like; around operators they follow TeX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from regard.language.notation import symbols as symbols
from regard.language.notation.tree import NAMED, NONE, OPERANDS, Node, fold

# How tightly a part holds together.
_SUM, _PRODUCT, _POWER, _ATOM = range(4)

_SUPERSCRIPTS = str.maketrans("0123456789+−⊤T∗", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀᵀ*")
_RAISED = re.compile("[+−]?[0-9]+|[+−]?[⊤T]|[+−∗]")
_SIMPLE = re.compile("[0-9A-Za-z\u0370-\u03ff]+|.")
_AROUND_OPERATORS = re.compile(f" ([{re.escape(''.join(sorted(symbols.LOOSE)))}·×∗]) ")
_NUMBERS = re.compile("[0-9]+/[0-9]+")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_SIGNS = frozenset("+−±∓")
_PREFIXES = frozenset("∂∇∀∃")
_OPERANDS = OPERANDS | {"quantifier", "prime"}


@dataclass(frozen=True)
class _Piece:
    text: str
    level: int = _ATOM
    kind: str = ""


def render(tree: Node) -> str:
    """Return the text of a tree."""
    return fold(tree, _combine).text.strip()


def _combine(node: Node, parts: list[_Piece]) -> _Piece:
    match node.kind:
        case "row":
            return _row(node, parts)
        case "scripts":
            return _scripts(node, parts)
        case "fraction":
            above, below = parts
            top = above.text if above.level > _SUM else f"({above.text})"
            bottom = below.text if below.level >= _POWER else f"({below.text})"
            return _Piece(f"{top}/{bottom}", _PRODUCT, "fraction")
        case "root":
            what, index = parts
            sign = _ROOTS.get(index.text) or index.text.translate(_SUPERSCRIPTS) + "√"
            return _Piece(sign + _bracketed(what, _ATOM), _POWER, "root")
        case "accent":
            under = parts[0].text
            if len(under) == 1:
                return _Piece(under + symbols.ACCENTS[node.text][0], kind="name")
            return _Piece(f"{node.text}({under})", kind="accent")
        case "font":
            return _Piece(_in_font(node.text, parts[0].text), parts[0].level, "name")
        case "fenced":
            return _Piece("".join(part.text for part in parts), kind="fenced")
        case "table":
            left, right = symbols.ENVIRONMENTS[node.text]
            rows = "; ".join(part.text for part in parts)
            if left == " ":
                return _Piece(rows, _SUM, "table")
            return _Piece(left + rows + ("}" if left == "{" else right), kind="table")
        case "table_row":
            return _Piece(_table_row(node.text, parts), _SUM)
        case "space":
            return _Piece(" " * max(0, round(2 * symbols.SPACES[node.text] + 0.7)), kind="space")
        case "words":
            return _Piece(re.sub(" +", " ", node.text), kind="words")
    return _Piece(node.text, kind=node.kind)


def _bracketed(part: _Piece, least: int) -> str:
    return part.text if part.level >= least else f"({part.text})"


def _in_font(font: str, text: str) -> str:
    """Return text in letters that terminals have: no fonts but the common blackboard letters."""
    if font not in symbols.CAPITALS_ONLY:
        return text
    change = symbols.blackboard if font == "mathbb" else symbols.script
    changed = [change(letter) for letter in text if letter != " "]
    return "".join(c if c <= "\uffff" else x for c, x in zip(changed, text, strict=False))


def _table_row(environment: str, cells: list[_Piece]) -> str:
    gap = " " if environment == "aligned" else ", "
    return gap.join(cell.text for cell in cells if cell.text or gap == ", ")


def _scripts(node: Node, parts: list[_Piece]) -> _Piece:
    base, below, above = parts
    text = _bracketed(base, _ATOM)
    kind = base.kind if base.kind in NAMED | {"open", "close", "bar", "operator"} else "scripts"
    if node.children[1] is not NONE:
        text += "_" + _script(below)
    if node.children[2] is NONE:
        return _Piece(text, _ATOM, kind)
    raised = above.text.lstrip("′")
    text += "′" * (len(above.text) - len(raised))
    raised = raised.strip(" ")
    if _RAISED.fullmatch(raised):
        text += raised.translate(_SUPERSCRIPTS)
    elif raised:
        text += "^" + _script(_Piece(raised, above.level))
    return _Piece(text, _POWER, kind)


def _script(part: _Piece) -> str:
    text = _AROUND_OPERATORS.sub(r"\1", part.text)
    whole = part.level == _ATOM and text.startswith("(")
    return text if whole or _SIMPLE.fullmatch(text) else f"({text})"


def _row(node: Node, parts: list[_Piece]) -> _Piece:
    if len(parts) == 1:
        kind = "row" if parts[0].kind in ("operator", "punctuation") else parts[0].kind
        return _Piece(parts[0].text, parts[0].level, kind)
    text = ""
    before = _Piece("", kind="start")
    depth = operands = 0
    loosest = _ATOM  # of the parts outside of brackets
    loose = False
    bars: set[str] = set()
    for i, part in enumerate(parts):
        kind = part.kind
        if kind == "bar":  # the first opens, the second closes
            kind = "close" if part.text[0] in bars else "open"
            bars ^= {part.text[0]}
        if kind == "operator" and part.text in _SIGNS and before.kind in _BEFORE_A_SIGN:
            kind = "sign"
        if kind == "fraction":
            part = _fraction(part, before, parts[i + 1] if i + 1 < len(parts) else None)
        part = _Piece(part.text, part.level, kind)
        text = _joined(text, before, part, node.children[i].spaced)
        depth -= kind == "close"
        if depth == 0:
            loose |= kind == "punctuation" or (
                kind in ("operator", "sign") and part.text in symbols.LOOSE
            )
            factor = kind in _OPERANDS | NAMED | {"scripts", "close"}
            operands += factor and part.text not in _PREFIXES
            loosest = min(loosest, part.level)
        depth += kind == "open"
        before = part
    level = _SUM if loose or depth else _PRODUCT if operands > 1 else _ATOM
    if operands == 1 and not loose:
        level = min(level, loosest)
    return _Piece(text, level, "row")


_BEFORE_A_SIGN = frozenset(["start", "operator", "sign", "open", "punctuation", "space", "big"])


def _fraction(part: _Piece, before: _Piece, after: _Piece | None) -> _Piece:
    """Put brackets around a fraction that has a factor beside it."""
    follows = after is not None and after.kind in _OPERANDS | NAMED | {"scripts", "open", "bar"}
    precedes = before.kind in _OPERANDS | {"function", "scripts", "close"}
    if precedes or (follows and not _NUMBERS.fullmatch(part.text)):
        return _Piece(f"({part.text})", _ATOM, "fraction")
    return part


def _joined(text: str, before: _Piece, part: _Piece, spaced: bool) -> str:
    """Append a part with the space that belongs before it."""
    gap = 1 if _has_gap(before, part, spaced) else 0
    if part.kind == "space":
        # As many spaces as asked for, of which the parts on both sides may bring one.
        return text.rstrip(" ") + (part.text or "")
    if gap and (text.endswith(" ") or part.text.startswith(" ")):
        gap = 0
    return text + " " * gap + part.text


def _has_gap(before: _Piece, part: _Piece, spaced: bool) -> bool:
    kinds = (before.kind, part.kind)
    if before.kind in ("start", "open", "sign", "space") or part.kind in ("close", "punctuation"):
        return False
    if before.text in _PREFIXES:
        return False
    if "operator" in kinds:
        slash = part.text == "/" or before.text == "/"
        return spaced if slash else True
    if before.kind == "punctuation":
        return spaced or before.text in ",;"
    if before.kind == "function":
        return part.kind != "open" and not (part.kind == "fenced" or part.text.startswith("("))
    if NAMED & set(kinds):
        return True
    if part.kind in ("fraction", "number") or before.kind == "fraction":
        return True
    if part.kind in ("open", "fenced"):
        return spaced
    # k_a k_b and e^C x without a space would read as longer names.
    run = before.kind == "scripts" and before.text[-1].isalnum() and part.text[:1].isalnum()
    return spaced or (run and before.text[-1] not in "ᵀ⁰¹²³⁴⁵⁶⁷⁸⁹")
