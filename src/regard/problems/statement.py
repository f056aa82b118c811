"""Statements: Markdown with $math$ out of a list of known commands, and no HTML."""

from __future__ import annotations

from regard.errors import FormulaError
from regard.language import notation
from regard.problems.statement_numbers import NAME


def check_statement(text: str) -> str:
    """Return text, if every formula in it can be typeset; ValueError otherwise.

    What stands in double braces is a number there.
    """
    for is_math, part in notation.split(NAME.sub("0", text)):
        if is_math:
            try:
                notation.check(part)
            except FormulaError as error:
                shown = f"${part[:60]}$"
                raise ValueError(f"the formula {shown} cannot be typeset: {error.reason}") from None
    return text
