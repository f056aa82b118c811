"""Files written whole or not at all, and cells that a spreadsheet takes for text."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path

from regard.errors import ParameterError

# What a spreadsheet reads as the beginning of a formula, also in other widths, and what it drops.
_STARTS = "=+@＝＋－＠﹢﹣﹦﹫\u2212-"
_FORMULA_STARTS = (*_STARTS, "\t", "\r", "\n", "\0", "'")
# Where a comma is written for a point, it takes the semicolon as the end of a cell.
_AFTER_SEPARATOR = re.compile(rf"([;\t]\s*)(?=[{_STARTS}])")
# Texts that it would turn into numbers or dates: 0012, 1e5, 3/4, $5, sixteen digits; 5 Jan, May 24.
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
_POWER_OF_TEN = re.compile(r"[0-9.,]{1,40}[eE][+-]?[0-9]{1,9}")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = re.compile(
    rf"\d{{1,4}}[ ./-]?{_MONTH}(?:[ ./-]?\d{{1,4}})?|"
    rf"{_MONTH}[ ./-]?\d{{1,4}}(?:[ ./,-]+\d{{1,4}})?",
    re.IGNORECASE,
)


def as_text(cell: str) -> str:
    """Return a cell that a spreadsheet shows as the text it is: with ' in front where needed.

    >>> [as_text(name) for name in ("alice", "=1+1", "0012", "1e5", "123456", "May 5", "a;=1")]
    ['alice', "'=1+1", "'0012", "'1e5", '123456', "'May 5", "a;'=1"]
    """
    cell = _AFTER_SEPARATOR.sub(r"\1'", cell)
    bare = cell.strip()
    is_formula = bare.startswith(_FORMULA_STARTS) or cell.startswith(_FORMULA_STARTS)
    return f"'{cell}" if is_formula or _is_taken_for_another(bare, cell) else cell


def _is_taken_for_another(bare: str, cell: str) -> bool:
    """Whether a spreadsheet would show another number, a date or a truth value."""
    if _WHOLE_NUMBER.fullmatch(cell):
        return False
    is_number = any(c.isdigit() for c in bare) and not any(c.isalpha() for c in bare)
    is_word = bare.lower() in ("true", "false")
    return is_number or is_word or bool(_POWER_OF_TEN.fullmatch(bare) or _DATE.fullmatch(bare))


def csv_text(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in CSV; cells are written as they are given."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def write_whole(path: Path, text: str, *, lasting: bool = True) -> None:
    """Write a file beside its place and move it there, so that a half of it is never seen.

    Args:
        path: where it goes. A file there with the same text is left alone.
        text: what it says.
        lasting: whether to wait until it is on the disk.

    Raises:
        ParameterError: it cannot be written; what was at the place is still there.
    """
    data = text.encode("utf-8", "backslashreplace")
    beside = path.with_name(f".{path.name}.part")
    try:
        if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
            return
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        reason = (error.strerror or "no reason given").lower()
        raise ParameterError(f"grade: {path}: cannot be written: {reason}.") from None
