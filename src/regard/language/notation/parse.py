r"""From LaTeX to a tree, or an error that points at the column.

The rules are at least as strict as TeX's, so that what is accepted here compiles. Where TeX would
show something else than what was meant (`x^12` is x¹2), braces are asked for.

The stack holds what is begun and not yet ended: rows, and commands that wait for arguments.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from regard.language.notation import symbols as symbols
from regard.language.notation.frames import Row, Waiting, is_simple, scripts_of
from regard.language.notation.reader import Reader
from regard.language.notation.tree import NONE, Node, fold

DEEPEST: Final = 32
DEEPEST_TABLE: Final = 8  # TeX has 255 levels, of which a matrix takes several
# TeX sets what is inside \boldsymbol and \sqrt[n] four times over, at each level.
DEEPEST_COSTLY: Final = 3
MOST_COLUMNS: Final = 10  # amsmath's matrices have no more

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?|\.[0-9]+")
_WORDS = re.compile(r"\{([A-Za-z0-9 .,:;!?()'/=+*-]*)\}")
_OPERATOR_NAME = re.compile(r"(\*?)\{([A-Za-z0-9-]+(?:\\,[A-Za-z0-9-]+)*)\}")
_INDEX = re.compile(r"\[([A-Za-z]|[0-9]{1,3})\]")
_ENVIRONMENT = re.compile(r"\{([a-z]+)\}")
# Signs that may be a script without braces, beside letters, digits and names.
_SIGNS = {"+": "+", "-": "−", "*": "∗"} | {
    "\\" + name: symbols.OPERATORS[name] for name in ("ast", "star", "perp", "parallel", "circ")
}

_SCRIPTS = {"below": "_", "above": "^", "primed": "^"}  # primed: right after a prime


def parse(latex: str) -> Node:
    """Return the tree of a formula.

    Raises:
        FormulaError: it holds something outside the subset, or is too long or too deep.
    """
    return _Parser(latex).parse()


class _Parser(Reader):
    def __init__(self, latex: str) -> None:
        super().__init__(latex)
        self.stack: list[Row | Waiting] = [Row("", 0)]

    def parse(self) -> Node:
        while self.next():
            top = self.stack[-1]
            if isinstance(top, Waiting):
                self._argument(top)
            else:
                self._in_row(top)
        top = self.stack[-1]
        if isinstance(top, Waiting):
            self.fail(f"{top.text or top.kind} needs something after it.", len(self.latex))
        if top.ends:
            opened = {"}": "{", r"\right": r"\left", r"\end": r"\begin"}[top.ends]
            self.fail(f"This {opened} is never closed.", top.column)
        if not top.items:
            self.fail("The formula is empty.", 0)
        return Node("row", "", tuple(top.items))

    # Arguments

    def _argument(self, waiting: Waiting) -> None:
        if self.token == "{":
            self._open("}", costly=waiting.text == r"\boldsymbol" or waiting.index is not NONE)
            return
        node = self.single()
        if waiting.kind in _SCRIPTS:
            if self.token in _SIGNS:
                node = Node("operator", _SIGNS[self.token])
            elif waiting.kind == "primed":
                pass  # TeX takes one token
            elif self.token[1:] in symbols.FONTS - {"boldsymbol"}:
                self._wait("font", 1)
                return
            elif self.token == r"\text":
                node = self._words()
            sign = _SCRIPTS[waiting.kind]
            if self.token in _SIGNS or self.token.isdigit():
                following = self.latex[self.at : self.at + 1]
                if following.isdigit() and following.isascii():
                    self.fail(f"More than one character after {sign} needs braces: {sign}{{…}}.")
        if node is None:
            name = _SCRIPTS.get(waiting.kind, waiting.text)
            self.fail(f"{name} needs braces around {self.token}.")
        self._emit(node)

    def _wait(self, kind: str, count: int, index: Node = NONE) -> None:
        self.stack.append(Waiting(kind, self.token, count, self.column, self.spaced, index=index))

    def _open(self, ends: str, left: Node = NONE, name: str = "", costly: bool = False) -> None:
        rows = [frame for frame in self.stack if isinstance(frame, Row)]
        if len(rows) > DEEPEST:
            self.fail(f"A formula may be nested {DEEPEST} deep.")
        tables = rows[-1].tables + bool(name)
        if tables > DEEPEST_TABLE:
            self.fail(f"Matrices may be nested {DEEPEST_TABLE} deep.")
        dear = rows[-1].costly + costly
        if dear > DEEPEST_COSTLY:
            self.fail(f"\\boldsymbol and \\sqrt[…] may be nested {DEEPEST_COSTLY} deep.")
        self.stack.append(
            Row(ends, self.column, self.spaced, left=left, name=name, tables=tables, costly=dear)
        )

    def _emit(self, node: Node) -> None:
        """Hand a finished part to what waits for it, which may be finished by it."""
        while isinstance(waiting := self.stack[-1], Waiting):
            waiting.arguments.append(node)
            if len(waiting.arguments) < waiting.count:
                return
            self.stack.pop()
            if waiting.kind in _SCRIPTS:
                self._script(waiting.kind, node)
                return
            node = self._finished(waiting)
        waiting.items.append(node)

    def _finished(self, waiting: Waiting) -> Node:
        name = waiting.text[1:]
        if name in symbols.CAPITALS_ONLY:
            letters = waiting.arguments[0]
            parts = letters.children if letters.kind == "row" else (letters,)
            if not all(p.kind == "name" and p.text.isascii() and p.text.isupper() for p in parts):
                self.fail(f"{waiting.text} takes capital letters.", waiting.column)
        letters_only = waiting.kind == "accent" and name != "overline"
        if letters_only and not fold(waiting.arguments[0], is_simple):
            self.fail(f"{waiting.text} stands over letters only.", waiting.column)
        children = tuple(waiting.arguments)
        if waiting.kind == "root":
            children += (waiting.index,)
        return Node(waiting.kind, name, children, waiting.spaced)

    def _script(self, place: str, script: Node) -> None:
        row = self.stack[-1]
        assert isinstance(row, Row)
        last = row.items.pop()
        if last.kind != "scripts":
            last = Node("scripts", "", (last, NONE, NONE), last.spaced)
        base, below, above = last.children
        if place == "below":
            below = script
        else:
            parts = above.children if above.kind == "row" else (above,)
            above = script if above is NONE else Node("row", "", (*parts, script))
        row.items.append(replace(last, children=(base, below, above)))

    # Rows

    def _in_row(self, row: Row) -> None:
        token, name = self.token, self.token[1:]
        if token in ("^", "_", "'"):
            self._script_sign(row)
        elif token == "{":
            self._open("}")
        elif token == "}":
            self._close(row, "}", "{")
            self._emit(Node("row", "", tuple(row.items), row.spaced))
        elif token in (r"\left", r"\right"):
            self._delimiter(row)
        elif token in ("&", r"\\"):
            self._end_cell(row)
        elif token == r"\begin":
            name = self._environment()
            self._open(r"\end", name=name)
            if name == "aligned" and self.latex[self.at :].lstrip().startswith("["):
                self.fail(r"Put {} between \begin{aligned} and [.", self.at)
        elif token == r"\end":
            self._end_table(row)
        elif token[0] == "\\" and name in symbols.FRACTIONS:
            self._wait("fraction", 2)
        elif token == r"\sqrt":
            index = self.read(_INDEX, "a number in brackets")[1] if self.follows("[") else ""
            kind = "number" if index.isdigit() else "name"
            self._wait("root", 1, Node(kind, index) if index else NONE)
        elif token[0] == "\\" and name in symbols.ACCENTS:
            self._wait("accent", 1)
        elif token[0] == "\\" and name in symbols.FONTS:
            self._wait("font", 1)
        else:
            row.items.append(replace(self._leaf(), spaced=self.spaced))

    def _script_sign(self, row: Row) -> None:
        if not row.items or row.items[-1].kind == "space":
            self.fail(f"{self.token} needs something before it.")
        below, above = scripts_of(row.items[-1])
        # TeX joins primes with the superscript only if nothing, not even a space, is between.
        joined = self.before == "'" and not self.spaced
        if self.token == "_" and below is not NONE:
            self.fail("Two subscripts: braces must tell what belongs to what.")
        if self.token != "_" and above is not NONE and not joined:
            self.fail("Two superscripts: braces must tell what belongs to what.")
        if self.token == "'":
            self._script("above", Node("prime", "′"))
        else:
            self._wait("below" if self.token == "_" else "primed" if joined else "above", 1)

    def _close(self, row: Row, ends: str, opened: str) -> None:
        if row.ends != ends:
            self.fail(f"This {self.token} closes no {opened}.")
        self.stack.pop()

    def _delimiter(self, row: Row) -> None:
        which = self.token
        shown = self.delimiter()
        if which == r"\left":
            self._open(r"\right", left=Node("open", shown))
            return
        self._close(row, r"\right", r"\left")
        inside = Node("row", "", tuple(row.items))
        self._emit(Node("fenced", "", (row.left, inside, Node("close", shown)), row.spaced))

    # Tables

    def _environment(self) -> str:
        at = self.at
        name = self.read(_ENVIRONMENT, "the name of an environment in braces")[1]
        if name not in symbols.ENVIRONMENTS:
            self.fail(f"The environment {name} is not part of the notation.", at)
        return name

    def _end_cell(self, row: Row) -> None:
        if row.ends != r"\end":
            self.fail(f"{self.token} stands between the entries of a matrix or of cases only.")
        row.cells.append(Node("row", "", tuple(row.items)))
        row.items = []
        most = 2 if row.name == "cases" else MOST_COLUMNS
        if self.token == "&" and len(row.cells) == most:
            self.fail(f"{row.name} has at most {most} columns.")
        if self.token == r"\\":
            row.rows.append(Node("table_row", row.name, tuple(row.cells)))
            row.cells = []
            if self.follows("[") or self.follows("*"):
                self.fail(rf"Put {{}} between \\ and {self.latex[self.at]}.", self.at)

    def _end_table(self, row: Row) -> None:
        self._close(row, r"\end", r"\begin")
        name = self._environment()
        if name != row.name:
            self.fail(rf"\begin{{{row.name}}} must end with \end{{{row.name}}}.")
        if row.items or row.cells:
            row.cells.append(Node("row", "", tuple(row.items)))
            row.rows.append(Node("table_row", row.name, tuple(row.cells)))
        if not row.rows:
            self.fail(f"This {name} is empty.", row.column)
        self._emit(Node("table", name, tuple(row.rows), row.spaced))

    # Leaves

    def _words(self) -> Node:
        text = self.read(_WORDS, "plain words in braces")[1]
        return Node("words", text)

    def _leaf(self) -> Node:
        number = _NUMBER.match(self.latex, self.column)
        if number:
            self.at = number.end()
            return Node("number", number[0])
        if self.token == r"\text":
            return self._words()
        if self.token == r"\operatorname":
            found = self.read(_OPERATOR_NAME, "a name of letters in braces")
            shown = found[2].replace(r"\,", " ")
            return Node("limit" if found[1] else "function", shown)
        return self.symbol() or self.fail(f"{self.token} is not part of the notation.")
