r"""Reading LaTeX token by token: characters, commands, and the simple arguments of some."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from regard.errors import FormulaError
from regard.language.notation import symbols as symbols
from regard.language.notation.tree import Node

LONGEST: Final = 4000

_SPACE = re.compile(r"[ \t\n]*")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[ -~]|[!-~]")
_CHARACTERS = (
    ("operator", symbols.CHARACTER_OPERATORS),
    ("open", symbols.OPENING),
    ("close", symbols.CLOSING),
    ("bar", symbols.EITHER),
)
_COMMANDS = (
    ("operator", symbols.OPERATORS),
    ("dots", symbols.DOTS),
    ("quantifier", symbols.QUANTIFIERS),
    ("big", symbols.BIG),
    ("integral", symbols.INTEGRALS),
)


class Reader:
    """A formula and the place up to which it is read.

    Attributes:
        token: the one read last, from `column` on; `spaced` if white space stood before it.
        before: the token before it.
        at: where the next one is looked for.
    """

    def __init__(self, latex: str) -> None:
        if len(latex) > LONGEST:
            raise FormulaError(
                f"A formula may have {LONGEST} characters. This one has {len(latex)}.",
                latex,
                LONGEST,
            )
        self.latex = latex
        self.at = self.column = 0
        self.spaced = False
        self.token = self.before = ""

    def next(self) -> bool:
        """Read a token; False at the end."""
        start = self.at
        self.skip_space()
        self.before, self.spaced, self.column = self.token, self.at > start, self.at
        if self.at == len(self.latex):
            return False
        found = _TOKEN.match(self.latex, self.at)
        if found is None:
            shown = self.latex[self.at]
            shown = shown if shown.isprintable() else f"U+{ord(shown):04X}"
            self.fail(f"The character {shown} is not part of the notation.", self.at)
        self.token = found[0]
        self.at = found.end()
        return True

    def skip_space(self) -> None:
        """Go on to what is no white space."""
        start = self.at
        found = _SPACE.match(self.latex, start)
        assert found
        self.at = found.end()
        if found[0].count("\n") > 1:
            self.fail("A formula has no blank lines.", start)

    def fail(self, reason: str, column: int | None = None) -> NoReturn:
        """Refuse the formula, at the token or at a column."""
        raise FormulaError(reason, self.latex, self.column if column is None else column)

    def read(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Read what the token needs after it."""
        self.skip_space()
        found = pattern.match(self.latex, self.at)
        if found is None:
            self.fail(f"{self.token} needs {what}.", min(self.at, len(self.latex)))
        self.at = found.end()
        return found

    def follows(self, character: str) -> bool:
        """Whether a character is next."""
        self.skip_space()
        return self.latex.startswith(character, self.at)

    def delimiter(self) -> str:
        r"""Read what stands after \left or \right, and return what it shows."""
        self.skip_space()
        found = _TOKEN.match(self.latex, self.at)
        if found is None or found[0] not in symbols.DELIMITERS:
            self.fail(f"{self.token} needs a delimiter such as ( or \\|.", self.at)
        self.at = found.end()
        return symbols.DELIMITERS[found[0]]

    def single(self) -> Node | None:
        """Return what TeX takes as an argument without braces, if the token is such a thing."""
        if self.token.isalpha():
            return Node("name", self.token)
        if self.token.isdigit():
            return Node("number", self.token)
        if self.token[0] == "\\" and self.token[1:] in symbols.NAMES:
            return Node("name", symbols.NAMES[self.token[1:]])
        return None

    def symbol(self) -> Node | None:
        """Return what the token shows, if it is one sign or one word."""
        for kind, table in _CHARACTERS:
            if self.token in table:
                return Node(kind, table[self.token])
        if self.token in symbols.SPACES:
            return Node("space", self.token)
        if self.token in symbols.PUNCTUATION:
            return Node("punctuation", self.token)
        if self.token[0] == "\\":
            name = self.token[1:]
            for kind, table in _COMMANDS:
                if name in table:
                    return Node(kind, table[name])
            if name in symbols.FUNCTIONS:
                return Node("limit" if name in symbols.LIMITS else "function", name)
        return self.single()
