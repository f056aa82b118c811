r"""Strings with formulas in them: `the weight $\alpha_a$ of a key`."""

from __future__ import annotations

from functools import lru_cache

from regard.errors import FormulaError
from regard.language import notation
from regard.report.characters import plain


def spans(text: str) -> list[tuple[bool, str]]:
    """Return the plain words and the formulas of a string, in order.

    What stands between dollars and is no formula stays as it is, with its dollars: a report
    never fails for what it says.
    """
    result: list[tuple[bool, str]] = []
    for is_formula, part in notation.split(plain(text)):
        result.append((True, part) if is_formula and is_valid(part) else _words(is_formula, part))
    return result


def _words(has_dollars: bool, part: str) -> tuple[bool, str]:
    return (False, f"${part}$" if has_dollars else part)


@lru_cache(maxsize=1024)
def is_valid(latex: str) -> bool:
    """Whether a string is a formula of the notation."""
    try:
        notation.check(latex)
    except FormulaError:
        return False
    return True


def shown(text: str) -> str:
    r"""Return a string for a terminal, its formulas as Unicode.

    >>> shown(r"the weight $\alpha_a \le 1$ of a key")
    'the weight α_a ≤ 1 of a key'
    """
    if "$" not in text:
        return plain(text)
    joined = "".join(notation.to_text(part) if math else part for math, part in spans(text))
    return plain(joined)
