r"""The LaTeX of statements and reports: a whitelist, and what it looks like elsewhere.

>>> print(to_text(r"\alpha_a \le \frac{e^{-C}}{2e^C + n - 2}"))
α_a ≤ e^(−C)/(2e^C + n − 2)
>>> to_mathml("x^2")
'<math display="inline"><msup><mi>x</mi><mn>2</mn></msup></math>'
>>> split(r"for $n = 2$ keys, at \$1 each")
[(False, 'for '), (True, 'n = 2'), (False, ' keys, at $1 each')]

What passes `check` can go into a LaTeX document unchanged (amsmath and amssymb are needed): it
holds no command that reads, writes or defines anything, and it compiles.
"""

from __future__ import annotations

import re
from dataclasses import replace

from regard.language.notation import mathml as notation_mathml
from regard.language.notation import text as notation_text
from regard.language.notation.parse import parse
from regard.language.notation.tree import Node

__all__ = ["check", "split", "to_lines", "to_mathml", "to_mathml_parts", "to_text"]

_WIDE = (r"\quad", r"\qquad")

# As in Markdown with formulas: no space after the first dollar or before the last, and no digit
# after it, so that prices are not formulas.
_FORMULA = re.compile(
    r"""\\\$
    |\$\$(?P<display>(?:\\.|[^\\$])+)\$\$
    |\$(?!\s)(?P<inline>(?:\\.|[^\\$])+)(?<!\s)\$(?![0-9])""",
    re.DOTALL | re.VERBOSE,
)


def check(latex: str) -> None:
    """Accept a formula of the subset.

    Raises:
        FormulaError: anything else, with the column.
    """
    parse(latex)


def to_text(latex: str) -> str:
    """Return a formula as one line of Unicode, for a terminal."""
    return notation_text.render(parse(latex))


def to_lines(latex: str) -> list[str]:
    """Return a formula as text; if it is one `aligned` environment, a line for each of its rows."""
    tree = parse(latex)
    table = tree.children[0]
    if len(tree.children) > 1 or table.text != "aligned":
        return [notation_text.render(tree)]
    # What stands left of the signs ends where they begin.
    left = [notation_text.render(row.children[0]) for row in table.children]
    width = max(len(text) for text in left)
    rest = [notation_text.render(replace(row, children=row.children[1:])) for row in table.children]
    return [f"{a:>{width}} {b}".rstrip() for a, b in zip(left, rest, strict=True)]


def to_mathml(latex: str, display: bool = False) -> str:
    """Return a formula as a `<math>` element, for a web page; `display` sets it on its own line."""
    where = "block" if display else "inline"
    return f'<math display="{where}">{notation_mathml.render(parse(latex))}</math>'


def to_mathml_parts(latex: str) -> list[str]:
    """Return the parts of a formula between its wide gaps, each as a `<math>` on its own line."""
    parts: list[list[Node]] = [[]]
    tree, depth = parse(latex), 0
    for node in tree.children:
        depth += (node.kind == "open") - (node.kind == "close")
        if node.kind == "space" and node.text in _WIDE and depth == 0:
            parts.append([])
        else:
            parts[-1].append(node)
    rows = [replace(tree, children=tuple(part)) for part in parts if part]
    return [f'<math display="block">{notation_mathml.render(row)}</math>' for row in rows]


def split(text: str) -> list[tuple[bool, str]]:
    r"""Split a string at `$...$` and `$$...$$` into pairs: whether it is a formula, and what it is.

    A `\$` outside of formulas is a dollar. Formulas are not checked.
    """
    parts: list[tuple[bool, str]] = []
    words = ""
    end = 0
    for found in _FORMULA.finditer(text):
        words += text[end : found.start()]
        end = found.end()
        formula = found["display"] or found["inline"]
        if formula is None:
            words += "$"
            continue
        if words:
            parts.append((False, words))
        parts.append((True, formula))
        words = ""
    words += text[end:]
    return [*parts, (False, words)] if words else parts
