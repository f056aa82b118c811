"""Numbers as they are set: a true minus, powers of ten, columns that meet at the point.

Strings keep the notation of `numbers.number`, which can be read back; this is for the eye.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.report.numbers import rounds_onto

DIGITS = 4  # of a number in a table
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([-+]?\d+)(?!\w|\.\d)")
_MINUS = re.compile(r"(?<![^\s(\[,=<>≤≥≈|…])-(?=\d|infinity\b)")
_DECIMAL = re.compile(r"[-−]?\d+\.\d+(?:e[-+]?\d+)?")
_PERCENT = re.compile(r"\s?%$")


def typeset(text: str) -> str:
    r"""Return words with their numbers set.

    >>> typeset("from -2.5 to 7.799e-07"), typeset("S^-1 and x-1")
    ('from −2.5 to 7.799\xa0×\xa010⁻⁷', 'S^-1 and x-1')
    """
    if not any(character.isdigit() for character in text):
        return text
    raised = _POWER.sub(lambda m: f"{m[1]}\u00a0×\u00a010{str(int(m[2])).translate(_RAISED)}", text)
    return _MINUS.sub("−", raised)


def in_table(cell: str, digits: int = DIGITS) -> str:
    """Return a number in few digits, never rounded onto a round one that it does not reach.

    >>> in_table("0.000499997"), in_table("0.499960"), in_table("1048576"), in_table("6.90576")
    ('0.0005000', '0.49996', '1048576', '6.906')
    >>> in_table("14.1671"), in_table("14.9998")
    ('14.17', '14.9998')
    >>> in_table("−0.3185"), in_table("-0.3185")  # a minus is no digit
    ('−0.3185', '-0.3185')
    """
    if _DECIMAL.fullmatch(cell) is None:
        return cell
    value = float(cell.replace("−", "-"))
    if len(cell.partition("e")[0].lstrip("-−").replace(".", "").lstrip("0")) <= digits:
        return cell
    for more in range(digits, 17):
        text = f"{value:#.{more}g}".rstrip(".")
        if not rounds_onto(text, value):
            return text
    return cell


def column(cells: Sequence[str]) -> list[tuple[str, str]]:
    r"""Return the numbers of a column, each in two parts that meet at the decimal point.

    >>> column(["0.5", "-12.25", "3", "2.27e-05", "15 %"])
    [('0', '.5'), ('−12', '.25'), ('3', ''), ('2', '.27\xa0×\xa010⁻⁵'), ('15', ' %')]
    """
    found = []
    for cell in cells:
        said = typeset(in_table(cell))
        whole, point, rest = said.partition(".")
        if not point and (percent := _PERCENT.search(whole)):
            whole, rest = whole[: percent.start()], percent[0]
        found.append((whole, point + rest))
    return found
