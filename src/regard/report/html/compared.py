"""Goals as a list with signs, and numbers beside those that are wanted, with bars in the table.

Names stand above columns where they are few, as in a matrix, and else before rows.
"""

from __future__ import annotations

from regard.report.compared import Checklist, Comparison
from regard.report.html import style as style
from regard.report.html.prose import aligned, words
from regard.report.inline import shown
from regard.report.numbers import all_numbers

MOST_ACROSS = 4  # names above columns: more of them would not fit beside each other
_MARKS = {"good": ("✓", "reached"), "bad": ("✕", "not reached"), "open": ("○", "not decided")}


def checklist(block: Checklist) -> str:
    """Return goals as a list."""
    return "\n".join(
        ['<ul class="regard-checklist">', *(_item(*item) for item in block.items), "</ul>"]
    )


def _item(tone: str, goal: str, found: str) -> str:
    mark, said = _MARKS.get(tone, ("", ""))
    small = f"<small>{words(found)}</small>" if shown(found) else ""
    return (
        f'<li class="regard-{tone or "open"}"><span class="regard-mark" role="img" '
        f'aria-label="{said}">{mark}</span> <div>{words(goal)}{small}</div></li>'
    )


def comparison(block: Comparison) -> str:
    """Return the numbers as one table, and what its bars and lines mean below it."""
    across = len(block.names) <= MOST_ACROSS
    body = _across(block) if across else _down(block)
    line = '<span class="regard-swatch regard-swatch-line" aria-hidden="true"></span> wanted'
    legend = (
        '<p class="regard-legend"><span><span class="regard-swatch" aria-hidden="true"></span> '
        f"yours</span>{f'<span>{line}</span>' if block.wanted else ''}</p>"
    )
    kind = "regard-across" if across else "regard-down"
    return (
        f'<div class="regard-table regard-comparison {kind}" style="{style.SCROLLS}" role="group" '
        f'tabindex="0" aria-label="Yours and wanted">\n<table style="{style.TABLE};margin:0">\n'
        f"{body}\n</table>\n</div>\n{legend}"
    )


def _across(block: Comparison) -> str:
    header = "".join(f'<th scope="col">{words(name)}</th>' for name in block.names)
    columns = [_aligned([row[j + 2] for row in block.rows]) for j in range(len(block.names))]
    lines = [f"<thead><tr><td></td>{header}</tr></thead>", "<tbody>"]
    for i, row in enumerate(block.rows):
        cells = []
        for j, column in enumerate(columns):
            bar = f"\n{_bar(block, j)}" if row[1] == "yours" else ""
            cells.append(f"<td>{column[i]}{bar}</td>")
        lines.append(
            f'<tr class="regard-row-{row[1] or "plain"}"><th scope="row">{words(row[0])}</th>'
            f"{''.join(cells)}</tr>"
        )
    return "\n".join([*lines, "</tbody>"])


def _down(block: Comparison) -> str:
    columns = [_aligned(list(row[2:])) for row in block.rows]
    header = ["<td></td>"]
    for row in block.rows:
        wide = ' colspan="2"' if row[1] == "yours" else ""
        header.append(f'<th scope="col"{wide}>{words(row[0])}</th>')
    lines = [f"<thead><tr>{''.join(header)}</tr></thead>", "<tbody>"]
    for j, name in enumerate(block.names):
        cells = []
        for row, column in zip(block.rows, columns, strict=True):
            cells.append(f'<td class="regard-row-{row[1] or "plain"}">{column[j]}</td>')
            if row[1] == "yours":
                cells.append(f'<td class="regard-bar-cell">{_bar(block, j)}</td>')
        lines.append(f'<tr><th scope="row">{words(name)}</th>{"".join(cells)}</tr>')
    return "\n".join([*lines, "</tbody>"])


def _aligned(cells: list[str]) -> list[str]:
    """Return numbers that meet at their decimal points; what are no numbers, as it is."""
    if not all_numbers(shown(cell) for cell in cells):
        return [words(cell) for cell in cells]
    return aligned(cells)


def _bar(block: Comparison, at: int) -> str:
    """Return one bar from 0; shares of a whole are drawn on the whole."""
    numbers = [*block.yours, *block.wanted]
    is_share = abs(sum(block.wanted) - 1) < 1e-6 and max(numbers) <= 1 and min(numbers) >= 0
    low = min(0.0, *numbers)
    span = (1.0 if is_share else max(0.0, *numbers) - low) or 1.0

    def percent(x: float) -> float:
        return round(100 * (x - low) / span, 4)

    zero, end = percent(0.0), percent(block.yours[at])
    line = ""
    if block.wanted:
        place = percent(block.wanted[at])
        line = f'<line class="regard-wanted" x1="{place}%" x2="{place}%" y1="0" y2="100%" />'
    return (
        '<svg class="regard-track" aria-hidden="true">'
        '<rect class="regard-rail" x="0" y="4" width="100%" height="10" rx="5" />'
        f'<rect class="regard-fill-2" x="{min(zero, end)}%" y="4" width="{abs(end - zero):.4g}%" '
        f'height="10" rx="5" />{line}</svg>'
    )
