"""Tables in LaTeX: narrow ones beside each other, wide ones in rows that may break over pages.

Right after one run of TeX: a longtable would need several to know its widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from regard.report import decimals, inline
from regard.report.blocks import Facts, Table
from regard.report.inline import shown
from regard.report.latex.flow import Piece
from regard.report.latex.prose import formula
from regard.report.latex.text import escaped, words

_WIDTH: Final = 76  # characters of the table's font in a line, some room for wide ones left
_MOST: Final = 92  # above which columns go into another part; up to it they are made smaller
_GAP: Final = 2
_GAP_POINTS: Final = 10
_TALLEST: Final = 38  # rows of a part
_NARROWEST: Final = 14  # a column of words is not made narrower than this to keep others beside it
_TALL: Final = (r"\begin", r"\frac", r"\dfrac", r"\tfrac", r"\sum", r"\sqrt", r"\left")
_SHORT: Final = 30  # characters of a formula that fits into its column
_OWN_LINE: Final = 120  # characters of a formula that gets a line of its own
_BETWEEN: Final = "\\hskip 1.6em plus .4em\n"  # facts in a line
_SIGNS: Final = {"✓": "good", "✗": "bad", "✕": "bad"}


@dataclass(frozen=True)
class _Column:
    header: str
    cells: tuple[str, ...]
    is_number: bool
    widest: int

    @property
    def least(self) -> int:
        return self.widest if self.is_number else min(self.widest, _NARROWEST)


def table(given: Table, heading: str = "") -> list[Piece]:
    """Return a table with its caption; in parts, if it has too many columns or rows.

    A `heading` goes above the caption.
    """
    top = rf"{{\bfseries {words(heading)}}}" if heading else ""
    said = words(given.caption) if shown(given.caption) else ""
    above = rf"{top}\newline {said}" if top and said else top + said
    columns = [
        _column(name, tuple(row[j] for row in given.rows), given.numeric[j])
        for j, name in enumerate(given.columns)
    ]
    names = columns[:1] if given.names_rows else []
    parts: list[list[_Column]] = []
    for column in columns[len(names) :]:
        if parts and _total([c.least for c in [*parts[-1], column]]) <= _MOST:
            parts[-1].append(column)
        else:
            parts.append([*names, column])
    found: list[Piece] = []
    for i, part in enumerate(parts):
        caption = "" if i else above
        wordy = any(not c.is_number and c.widest > _NARROWEST for c in part)
        if wordy and _total([c.widest for c in part]) > _WIDTH:
            found.append(_rows(part, caption, len(given.rows)))
        else:
            found += _narrow(part, caption, len(given.rows))
    return found


def facts(given: Facts) -> list[Piece]:
    """Return names and values in two columns."""
    if not given.pairs:
        return []
    if any(r"\begin" in value for _, value in given.pairs):  # matrices stand side by side
        return [Piece(_item("", "@{}l@{\\hskip 6pt}l@{}", [_fact(*pair)]), "beside")
                for pair in given.pairs]  # fmt: skip
    columns = [_column("", tuple(pair[i] for pair in given.pairs), False) for i in (0, 1)]
    if _total([column.widest for column in columns]) > _WIDTH:
        return [_rows(columns, "", len(given.pairs))]
    lines = [_fact(*pair) for pair in given.pairs]
    return [Piece(_item("", "@{}l@{\\hskip 14pt}l@{}", lines), "beside")]


def _fact(name: str, value: str) -> str:
    return rf"\textcolor{{regardsoft}}{{{_cell(name)}}} & {_cell(value)} \\"


def line(given: Facts) -> str:
    """Return names and values in running lines, as the fields of an answer are."""
    parts = []
    for name, value in given.pairs:
        parts.append(rf"\mbox{{\textcolor{{regardsoft}}{{{words(name)}}}}}\hskip .6em\relax ")
        match inline.spans(value):
            case [(True, latex)] if len(latex) > _OWN_LINE:
                parts.append(formula(latex))
            case _:
                parts.append(_coloured(value) + _BETWEEN)
    return rf"{{\raggedright {''.join(parts)}\par}}" if parts else ""


def _column(header: str, cells: tuple[str, ...], is_number: bool) -> _Column:
    fewer = tuple(map(decimals.in_table, cells)) if is_number else cells
    widest = max(len(shown(text)) for text in (header, *fewer))
    return _Column(header, cells, is_number, max(1, widest))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _narrow(columns: list[_Column], caption: str, rows: int) -> list[Piece]:
    """Return columns as wide as their words, in parts that stand beside each other."""
    cells = [_aligned(c.cells) if c.is_number else list(map(_cell, c.cells)) for c in columns]
    head = [r"\toprule"]
    if any(shown(column.header) for column in columns):
        head += [" & ".join(words(column.header) for column in columns) + r" \\", r"\midrule"]
    layout = "@{}" + "".join("r" if column.is_number else "l" for column in columns) + "@{}"
    found = []
    for start in range(0, max(rows, 1), _TALLEST):
        lines = list(head)
        for i in range(start, min(start + _TALLEST, rows)):
            lines.append(" & ".join(column[i] for column in cells) + r" \\")
        if not rows:
            lines.append(rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{(no rows)}} \\")
        lines.append(r"\bottomrule")
        found.append(Piece(_item("" if start else caption, layout, lines), "beside"))
    return found


def _item(caption: str, layout: str, lines: Sequence[str]) -> str:
    inside = "\n".join([rf"\small\begin{{tabular}}[t]{{{layout}}}", *lines, r"\end{tabular}"])
    return f"\\regarditem{{{caption}}}{{{inside}}}"


def _aligned(cells: tuple[str, ...]) -> list[str]:
    """Return numbers of a column, as wide to the right of their points as the widest of them."""
    split = decimals.column([shown(cell) for cell in cells])
    longest = escaped(max((rest for _, rest in split), key=len, default=""))
    if not longest:
        return [escaped(whole) for whole, _ in split]
    return [rf"{escaped(a)}\rlap{{{escaped(b)}}}\hphantom{{{longest}}}" for a, b in split]


def _rows(columns: list[_Column], caption: str, rows: int) -> Piece:
    """Return columns of which those of many words share what the others leave."""
    shares = _shares(columns)

    def line(cells: Sequence[str]) -> str:
        return "&".join(
            rf"\regardcell{{{share:.4f}}}{{{look}}}{{{cell}}}"
            for share, look, cell in zip(shares, looks, cells, strict=True)
        ) + r"\cr"  # fmt: skip

    looks = [r"\raggedleft" if column.is_number else r"\raggedright" for column in columns]
    lines = [rf"\begin{{regardrows}}{{{_GAP_POINTS * (len(columns) - 1)}}}"]
    if any(shown(column.header) for column in columns):
        lines += [line([words(column.header) for column in columns]), r"\regardmidrule"]
    for i in range(rows):
        lines.append(
            line(
                [
                    escaped(decimals.in_table(c.cells[i])) if c.is_number else _row_cell(c.cells[i])
                    for c in columns
                ]
            )
        )
    lines.append(r"\end{regardrows}")
    above = rf"\regardcaption{{{caption}}}\nopagebreak" + "\n" if caption else ""
    return Piece(above + "\n".join(lines), "table")


def _shares(columns: list[_Column]) -> list[float]:
    """Return for each column its share of the width: none narrower than words need."""
    fixed = [c.widest + 1 for c in columns if c.is_number or c.widest <= _NARROWEST]
    wide = [c for c in columns if not (c.is_number or c.widest <= _NARROWEST)]
    room = max(_WIDTH - sum(fixed) - _NARROWEST * len(wide), 0)
    total = sum(c.widest for c in wide)
    widths = [
        _NARROWEST + room * c.widest / total if c in wide else c.widest + 1.0 for c in columns
    ]
    return [width / sum(widths) for width in widths]


def _cell(text: str) -> str:
    """Return a cell of one line, with room above and below a formula that is tall."""
    said = _coloured(text)
    return rf"\regardtall{{{said}}}" if any(name in said for name in _TALL) else said


def _row_cell(text: str) -> str:
    """Return a cell that may have several lines; a short formula has room above and below it."""
    alone = [is_math for is_math, _ in inline.spans(text)] == [True]
    return _cell(text) if alone and len(shown(text)) <= _SHORT else _coloured(text)


def _coloured(text: str) -> str:
    """Return words; the sign they begin with has the colour of what it says."""
    if text[:1] in _SIGNS and text[1:2] == " ":
        sign = rf"\textcolor{{regard{_SIGNS[text[0]]}}}{{{words(text[0])}}}"
        return f"{sign} {words(text[2:])}"
    return words(text)
