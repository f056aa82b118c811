"""Files written whole or not at all, and cells that a spreadsheet takes for text."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path

from regard.errors import ParameterError

# What a spreadsheet reads as the beginning of a formula, also in full width, and what it drops.
_FORMULA_STARTS = tuple("=+-@\t\r\n\0'＝＋－＠")
# Texts that it would turn into other numbers or dates: 0012, 1e5, 3/4, 1-2, sixteen digits.
_NUMBER_LIKE = re.compile(r"0[0-9]+|[0-9.,]*[eE][0-9]+|[0-9]{16,}|[0-9]+([./:-][0-9]+)+")


def as_text(cell: str) -> str:
    """Return a cell that a spreadsheet shows as the text it is: with ' in front where needed.

    >>> [as_text(name) for name in ("alice", "=1+1", "0012", "1e5", "123456")]
    ['alice', "'=1+1", "'0012", "'1e5", '123456']
    """
    odd = cell.startswith(_FORMULA_STARTS) or _NUMBER_LIKE.fullmatch(cell)
    return f"'{cell}" if odd or cell.lower() in ("true", "false") else cell


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
