"""Formulas as MathML Core, which browsers show without help."""

from __future__ import annotations

from html import escape

from regard.language.notation import symbols as symbols
from regard.language.notation.tree import NAMED, NONE, OPERANDS, Node, fold

_THIN = '<mspace width="0.1667em"/>'
_UPRIGHT = '<mi mathvariant="normal">'
_BOLD = '<mi mathvariant="normal" style="font-weight:bold">'
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_OPERANDS = OPERANDS | {"scripts", "close"}
_SIGNS = ("−", "+", "±", "∓")
_BEFORE_A_SIGN = frozenset(["open", "operator", "punctuation", "space"])
# What is higher than a line, so that brackets around it have to grow.
_TALL = ("<mfrac", "<mtable", "<munder", "<mover", "<msqrt", "<mroot", "movablelimits", '"true"')


def render(tree: Node) -> str:
    """Return what goes into a `<math>` element."""
    return fold(tree, _combine)


def _combine(node: Node, parts: list[str]) -> str:
    match node.kind:
        case "row":
            return _row(node, parts)
        case "scripts":
            return _scripts(node, parts)
        case "fraction":
            fraction = f"<mfrac>{parts[0]}{parts[1]}</mfrac>"
            if node.text == "frac":
                return fraction
            size = "true" if node.text == "dfrac" else "false"
            return f'<mstyle displaystyle="{size}">{fraction}</mstyle>'
        case "root":
            if node.children[1] is NONE:
                return f"<msqrt>{parts[0]}</msqrt>"
            return f"<mroot>{parts[0]}{parts[1]}</mroot>"
        case "accent":
            if node.text == "overline":  # browsers do not stretch a bar
                return f'<mrow style="border-top:0.06em solid">{parts[0]}</mrow>'
            sign = f'<mo stretchy="false">{symbols.ACCENTS[node.text][1]}</mo>'
            return f'<mover accent="true">{parts[0]}{sign}</mover>'
        case "font":
            return _font(node, parts[0])
        case "fenced":
            left, _, right = node.children
            tall = f"{left.text}{right.text}" not in ("()", "[]") or any(
                tag in parts[1] for tag in _TALL
            )
            first, last = _fence(left.text, tall=tall), _fence(right.text, "postfix", tall=tall)
            return f"<mrow>{first}{parts[1]}{last}</mrow>"
        case "table":
            return _table(node, parts)
        case "table_row":
            return "".join(_cell(node.text, i, part) for i, part in enumerate(parts))
    return _leaf(node)


def _leaf(node: Node) -> str:
    text = escape(node.text, quote=False)
    match node.kind:
        case "none":
            return ""
        case "name":
            slanted = text in _LETTERS or "α" <= text <= "ω" or text in "ϵϕϑϖϱℓ"
            return f"<mi>{text}</mi>" if slanted else f"{_UPRIGHT}{text}</mi>"
        case "number":
            return f"<mn>{text}</mn>"
        case "words":
            # Spaces at the ends of a text would be dropped.
            text = text.replace(" ", "\u00a0")
            return f"<mtext>{text}</mtext>"
        case "function":
            return f"{_UPRIGHT}{text}</mi>" if len(text) == 1 else f"<mi>{text}</mi>"
        case "limit":
            return f'<mo movablelimits="true" lspace="0" rspace="0">{text}</mo>'
        case "big":
            return f'<mo movablelimits="true">{text}</mo>'
        case "dots" | "quantifier":
            return f"<mi>{text}</mi>"
        case "open":
            return f'<mo stretchy="false" form="prefix">{text}</mo>'
        case "close":
            return f'<mo stretchy="false" form="postfix">{text}</mo>'
        case "bar":
            return f'<mo stretchy="false" lspace="0" rspace="0">{text}</mo>'
        case "space":
            return f'<mspace width="{symbols.SPACES[node.text]}em"/>'
    if text == "/":
        return '<mo lspace="0" rspace="0">/</mo>'
    return f"<mo>{text}</mo>"  # operator, punctuation, integral, prime


def _kind(node: Node) -> str:
    """Return the kind of a node, or of what its scripts are attached to."""
    base = node.children[0].kind if node.kind == "scripts" else ""
    return base if base in NAMED | {"open", "close", "bar", "operator"} else node.kind


def _row(node: Node, parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    result = ""
    before = ""
    for child, part in zip(node.children, parts, strict=True):
        kind = _kind(child)
        # TeX's thin space between a function and what is beside it.
        after = before in NAMED and kind in (_OPERANDS | NAMED) - {"close", "fenced"}
        if after or (kind in NAMED and before in _OPERANDS):
            result += _THIN
        if child.text in _SIGNS and before in _BEFORE_A_SIGN:
            part = part.replace("<mo>", '<mo form="prefix">', 1)  # of a number: no space behind it
        result += part
        before = "" if child.text == "!" else kind
    return f"<mrow>{result}</mrow>"


def _scripts(node: Node, parts: list[str]) -> str:
    base, below, above = parts
    _, has_below, has_above = (child is not NONE for child in node.children)
    if node.children[0].kind in ("big", "limit"):
        tag = "munderover" if has_below and has_above else "munder" if has_below else "mover"
    else:
        tag = "msubsup" if has_below and has_above else "msub" if has_below else "msup"
    return f"<{tag}>{base}{below}{above}</{tag}>"


def _font(node: Node, inside: str) -> str:
    child = node.children[0]
    letters = "".join(part.text for part in child.children) if child.kind == "row" else child.text
    if node.text in symbols.CAPITALS_ONLY:
        change = symbols.blackboard if node.text == "mathbb" else symbols.script
        return f"{_UPRIGHT}{''.join(change(letter) for letter in letters)}</mi>"
    style = _UPRIGHT if node.text == "mathrm" else _BOLD
    plain = child.children if child.kind == "row" else (child,)
    if node.text != "boldsymbol" and all(part.text in _LETTERS for part in plain):
        return f"{style}{letters}</mi>"
    if node.text == "mathrm":
        return inside.replace("<mi>", _UPRIGHT)
    slanted = '<mi style="font-weight:bold">' if node.text == "boldsymbol" else _BOLD
    return inside.replace(_UPRIGHT, _BOLD).replace("<mi>", slanted)


def _fence(text: str, form: str = "prefix", *, tall: bool = True) -> str:
    """Return a bracket, which grows only around what is tall: one that may grow is set wider."""
    grows = "true" if tall else "false"
    return f'<mo stretchy="{grows}" form="{form}">{text}</mo>' if text.strip() else ""


def _table(node: Node, parts: list[str]) -> str:
    rows = "".join(f"<mtr>{part}</mtr>" for part in parts)
    left, right = symbols.ENVIRONMENTS[node.text]
    table = f"<mtable>{rows}</mtable>"
    if node.text == "aligned":
        table = f'<mtable displaystyle="true">{rows}</mtable>'
    return f"<mrow>{_fence(left)}{table}{_fence(right, 'postfix')}</mrow>"


def _cell(environment: str, column: int, inside: str) -> str:
    style = ""
    if environment == "cases":
        style = ' style="text-align:left"'
    elif environment == "aligned":
        # Columns come in pairs: what ends at the sign, and what begins with it.
        side = "left" if column % 2 else "right"
        gap = ";padding-left:0" if column % 2 else ";padding-right:0"
        style = f' style="text-align:{side}{gap}"'
    return f"<mtd{style}>{inside}</mtd>"
