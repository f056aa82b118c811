"""The blocks of a report as HTML, each by itself. Also well-formed XML.

Looks are inline, since notebooks drop style sheets; a page adds its own (`page.css`).
"""

from __future__ import annotations

from regard.report.blocks import Facts, Heading, Table, Text
from regard.report.characters import plain
from regard.report.compared import Checklist, Comparison
from regard.report.decimals import in_table
from regard.report.document import Block
from regard.report.html import bars, compared, curves, heat, slider
from regard.report.html import style as style
from regard.report.html.prose import (
    aligned,
    code,
    coloured,
    escaped,
    folded_steps,
    formula,
    prose,
    steps,
    words,
)
from regard.report.inline import shown
from regard.report.plot import Plot
from regard.report.slider import Slider
from regard.report.writing import Code, Math, Prose, Steps

_NAME = 40  # characters of the name of a row; what is longer is a sentence, and wraps


def to_html(block: Block, level: int, plots: int, page: bool = False) -> str:
    """Return a block; headings within it are at `level`, and ids of plots end in their number.

    On a page, which has a style sheet, plots are drawn with its classes and sliders move.
    """
    match block:
        case Text(text, "headline"):
            return f"<p>{coloured(text)}</p>"
        case Text(text, "shows"):
            return (
                f'<p class="regard-shows">{coloured(text)}</p>'
                if page
                else f"<p>{coloured(text)}</p>"
            )
        case Text(text, "hint") if page:
            return f'<p class="regard-hint">{words(text)}</p>'
        case Text(text):
            return f"<p>{words(text)}</p>" if plain(text) else ""
        case Heading():
            return f"<h{level}>{words(block.words)}</h{level}>"
        case Table():
            return _table(block, page)
        case Checklist():
            return compared.checklist(block) if page else _table(block.table, page)
        case Comparison():
            return compared.comparison(block) if page else _table(block.table, page)
        case Facts(pairs):
            return _facts(pairs)
        case Prose(markdown):
            return prose(markdown, level)
        case Math(latex):
            return formula(latex)
        case Steps():
            return folded_steps(block.named) if page else steps(block.named)
        case Code(text):
            return code(text)
        case Plot():
            return _figure(block, plots, page)
        case Slider():
            return slider.figure(block, plots) if page else _figure(block.plot, plots, page)


def _figure(plot: Plot, which: int, page: bool) -> str:
    if page and curves.can_draw(plot):
        picture = f'<div class="regard-drawn">{curves.chart(plot)}</div>'
    elif page and bars.can_draw(plot):
        picture = bars.chart(plot)
    elif page and heat.can_draw(plot):
        picture = heat.chart(plot)
    else:
        from regard.report.html.svg import svg

        picture = svg(plot, f"plot-{which}")
    if shown(plot.caption):
        caption = words(plot.caption)
        picture += f'\n<figcaption style="{style.FIGURE_CAPTION}">{caption}</figcaption>'
    return f'<figure style="{style.FIGURE}">\n{picture}\n</figure>'


def _table(table: Table, page: bool) -> str:
    numeric, names_rows = table.numeric, table.names_rows
    columns = [
        aligned([row[j] for row in table.rows]) if page and number else None
        for j, number in enumerate(numeric)
    ]
    lines = [f'<table style="{style.TABLE};margin:0">']
    if plain(table.caption):
        lines.append(f'<caption style="{style.CAPTION}">{words(table.caption)}</caption>')
    if any(plain(name) for name in table.columns):
        # A header cell that is empty would be announced as a header without a name.
        header = [
            _cell(
                "th" if plain(name) else "td",
                name,
                style.NUMBER if number and not page else style.WORDS,
                "col",
            )
            for name, number in zip(table.columns, numeric, strict=True)
        ]
        lines.append(f"<thead><tr>{''.join(header)}</tr></thead>")
    lines.append("<tbody>")
    for i, row in enumerate(table.rows):
        cells = [
            _cell("td", cell, style.NUMBER if number else style.WORDS)
            if column is None
            else f'<td class="regard-number">{column[i]}</td>'
            for cell, number, column in zip(row, numeric, columns, strict=True)
        ]
        if names_rows and plain(row[0]):
            sentence = ' class="regard-sentence"' if page and len(shown(row[0])) > _NAME else ""
            cells[0] = _cell("th", row[0], style.WORDS, "row", sentence)
        lines.append(f"<tr>{''.join(cells)}</tr>")
    if not table.rows:
        lines.append(f'<tr><td colspan="{len(numeric)}" style="{style.WORDS}">(no rows)</td></tr>')
    return _scrolling("\n".join([*lines, "</tbody>", "</table>"]), shown(table.caption) or "Table")


def _scrolling(table: str, label: str) -> str:
    """Let a wide table scroll by itself, also from the keyboard, under a page that stands still."""
    return (
        f'<div class="regard-table" style="{style.SCROLLS}" role="group" '
        f'tabindex="0" aria-label="{escaped(label)}">\n{table}\n</div>'
    )


def _facts(pairs: tuple[tuple[str, str], ...]) -> str:
    if not pairs:
        return ""
    rows = [
        f"<tr>{_cell('th', name, style.WORDS, 'row')}"
        f"{_cell('td', in_table(value), style.FACT)}</tr>"
        for name, value in pairs
    ]
    if any("$" in value for _, value in pairs):  # a formula cannot be broken into lines
        table = [
            f'<table style="{style.TABLE};margin:0">',
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
        ]
        return _scrolling("\n".join(table), "Facts")
    return "\n".join(
        [f'<table style="{style.TABLE};{style.SPACE}">', "<tbody>", *rows, "</tbody>", "</table>"]
    )


def _cell(tag: str, text: str, look: str, scope: str = "", more: str = "") -> str:
    attribute = f' scope="{scope}"{more}' if tag == "th" else ""
    return f'<{tag}{attribute} style="{look}">{words(text)}</{tag}>'
