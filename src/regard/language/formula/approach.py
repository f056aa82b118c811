"""Limits such as `alpha -> 0`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from regard.errors import FormulaError
from regard.language.formula.evaluation.evaluator import constant
from regard.language.formula.formula import Formula, parse
from regard.language.formula.size_limits import LONGEST

_ARROW: Final = re.compile(r"->|→|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
_SIDE: Final = re.compile(r"(?:\^[ ]*(?:\{[ ]*([+-])[ ]*\}|([+-]))|([+-]))[ ]*\Z")


@dataclass(frozen=True)
class Limit:
    """A quantity that goes somewhere.

    Attributes:
        name: of the quantity.
        target: where it goes; may be infinite.
        side: "+" from above, "-" from below, "" if not said.
    """

    name: str
    target: float
    side: str = ""

    def __str__(self) -> str:
        return f"{self.name} -> {self.target:g}{self.side}"


def parse_limit(text: str) -> Limit:
    r"""Read a limit.

    Raises:
        FormulaError: it cannot be read.

    >>> parse_limit("alpha -> 0").name, parse_limit(r"C \to \infty").target
    ('alpha', inf)
    """
    arrows = list(_ARROW.finditer(text)) if isinstance(text, str) and len(text) <= LONGEST else []
    if len(arrows) != 1:
        if not isinstance(text, str) or len(text) > LONGEST:
            parse(text)  # which says what is wrong
        raise FormulaError("A limit has one arrow, as in alpha -> 0 or C -> inf.", text, 0)
    before, after = arrows[0].span()
    quantity = _part(text[:before], text, 0)
    if len(quantity.tree) != 1 or quantity.tree[0].op != "name":
        raise FormulaError("Before the arrow of a limit stands one name.", text, 0)
    target = text[after:]
    found = _SIDE.search(target)
    side = "".join(sign or "" for sign in found.groups()) if found else ""
    value = constant(_part(target[: found.start()] if found else target, text, after).tree)
    if value is None or value != value:
        raise FormulaError("After the arrow of a limit stands a number, or inf.", text, after)
    return Limit(str(quantity), value, side)


def _part(part: str, text: str, column: int) -> Formula:
    """Read one side of the arrow, with errors that point into the whole."""
    try:
        return parse(part)
    except FormulaError as error:
        raise FormulaError(error.reason, text, column + error.column) from None
