"""Tables in LaTeX, in parts if they are long or wide: right after one run of TeX.

A longtable would need several runs to know its widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from regard.report.blocks import Table
from regard.report.decimals import in_table
from regard.report.inline import shown
from regard.report.latex.text import words

_WIDTH = 80  # characters of the table's font in a line, some room for wide ones left
_GAP = 2
_TALLEST = 38  # lines of a part
_NARROWEST = 14  # a column of words is not made narrower than this to keep others beside it


@dataclass(frozen=True)
class _Column:
    header: str
    cells: tuple[str, ...]
    is_number: bool
    widest: int

    @property
    def least(self) -> int:
        return self.widest if self.is_number else min(self.widest, _NARROWEST)


def table(given: Table) -> str:
    """Return a table with its caption."""
    columns = [
        _column(name, tuple(row[j] for row in given.rows), given.numeric[j])
        for j, name in enumerate(given.columns)
    ]
    names = columns[:1] if given.names_rows else []
    parts: list[list[_Column]] = []
    for column in columns[len(names) :]:
        if parts and _total([c.least for c in [*parts[-1], column]]) <= _WIDTH:
            parts[-1].append(column)
        else:
            parts.append([*names, column])
    captions = [given.caption] + [""] * len(parts)
    laid_out = [
        _part(part, caption, len(given.rows))
        for part, caption in zip(parts, captions, strict=False)
    ]
    return "\n\n".join(laid_out)


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names and values in two columns."""
    if not pairs:
        return ""
    columns = [_column("", tuple(pair[i] for pair in pairs), False) for i in (0, 1)]
    return _part(columns, "", len(pairs))


def _column(header: str, cells: tuple[str, ...], is_number: bool) -> _Column:
    cells = tuple(map(in_table, cells)) if is_number else cells
    widest = max(len(shown(text)) for text in (header, *cells))
    return _Column(header, cells, is_number, max(1, widest))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _part(columns: list[_Column], caption: str, rows: int) -> str:
    header = any(shown(column.header) for column in columns)
    layout, shares = _layout(columns)
    head = [r"\toprule"]
    if header:
        names = " & ".join(words(column.header) for column in columns)
        head += [names + r" \\", r"\midrule"]
    parts = []
    for chunk in _chunks(columns, shares, rows) or [range(0)]:
        lines = [rf"\begin{{tabular}}{{@{{}}{layout}@{{}}}}", *head]
        for i in chunk:
            lines.append(" & ".join(words(column.cells[i]) for column in columns) + r" \\")
        if not rows:
            lines.append(rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{(no rows)}} \\")
        parts.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}\par"]))
    above = rf"{{\raggedright {words(caption)}\par\nopagebreak}}" + "\n" if shown(caption) else ""
    return (
        r"{\small\medskip\noindent " + above + r"\noindent " + "\n\n\\noindent ".join(parts) + "}"
    )


def _chunks(columns: list[_Column], shares: list[int], rows: int) -> list[range]:
    """Return rows that stand together on a page, by how many lines their cells take."""
    found, start, height = [], 0, 0
    for i in range(rows):
        lines = max(
            -(-len(shown(column.cells[i])) // share)
            for column, share in zip(columns, shares, strict=True)
        )
        if height and height + lines > _TALLEST:
            found.append(range(start, i))
            start, height = i, 0
        height += lines
    return [*found, range(start, rows)] if rows else found


def _layout(columns: list[_Column]) -> tuple[str, list[int]]:
    """Return the columns' types: those of many words share what the others leave.

    Beside them, how many characters of a line each has.
    """
    if _total([column.widest for column in columns]) <= _WIDTH:
        plain = "".join("r" if column.is_number else "l" for column in columns)
        return plain, [column.widest for column in columns]
    fixed = [c for c in columns if c.is_number or c.widest <= _NARROWEST]
    wide = [c for c in columns if c not in fixed]
    room = _WIDTH - _total([c.widest for c in fixed]) - _GAP * len(wide)
    total = sum(c.widest for c in wide)
    layout, shares = "", []
    for column in columns:
        if column in fixed:
            layout += "r" if column.is_number else "l"
            shares.append(column.widest)
            continue
        # In proportion to their words, but none below its least width.
        spare = room - _NARROWEST * len(wide)
        share = (_NARROWEST + spare * column.widest / total) / _WIDTH if spare > 0 else 1 / 6
        share = min(0.9, 0.97 * share)
        layout += rf">{{\raggedright\arraybackslash}}p{{{share:.3f}\linewidth}}"
        shares.append(max(1, int(share * _WIDTH)))
    return layout, shares
