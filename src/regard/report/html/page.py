"""A report as HTML: a fragment for notebooks and a page that needs nothing but itself.

Both are also well-formed XML. Colours are left to the surroundings, but for half
transparent grey lines, which show on light and dark backgrounds, and the colours of plots.
"""

from __future__ import annotations

from regard.report import document as doc
from regard.report.characters import plain
from regard.report.html import style as style
from regard.report.html.prose import code, escaped, formula, prose, steps, words
from regard.report.inline import shown


def to_html_fragment(report: doc.Report) -> str:
    """Render a report as one <div>, to stand inside another page or a notebook."""
    return f'<div class="regard-report">\n{_body(report, 3, is_page=False)}\n</div>'


def to_html_page(report: doc.Report) -> str:
    """Render a report as a whole page that loads nothing, for a screen, a phone or paper."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta http-equiv="Content-Security-Policy" content="{style.LOADS_NOTHING}" />
<title>{escaped(report.title)}</title>
<style>{style.PAGE}</style>
</head>
<body>
<main class="regard-report">
{_body(report, 1, is_page=True)}
</main>
</body>
</html>
"""


def _body(report: doc.Report, top: int, is_page: bool) -> str:
    parts = [f"<h{top}>{words(report.title)}</h{top}>"]
    headings = [block for block in report.blocks if isinstance(block, doc.Heading)]
    highest = min((heading.level for heading in headings), default=2)
    chapters = [heading for heading in headings if heading.level == 1]
    listed = is_page and len(chapters) > 1
    if listed:
        parts.append(_contents(chapters))
    chapter = plots = 0
    level = top + 1  # of the heading that a heading in what follows would stand under
    for block in report.blocks:
        if isinstance(block, doc.Heading):
            level = min(top + 1 + block.level - highest, 6)
            chapter += block.level == 1
            anchor = f' id="chapter-{chapter}"' if listed and block.level == 1 else ""
            look = ' class="regard-chapter"' if is_page and block.level == 1 else ""
            parts.append(f"<h{level}{anchor}{look}>{words(block.text)}</h{level}>")
            continue
        plots += isinstance(block, doc.Plot)
        parts.append(_block(block, min(level + 1, 6), plots))
    return "\n".join(part for part in parts if part)


def _contents(chapters: list[doc.Heading]) -> str:
    rows = [
        f'<li><a href="#chapter-{i}">{words(heading.text)}</a></li>'
        for i, heading in enumerate(chapters, 1)
    ]
    return "\n".join(['<nav aria-label="Contents">', "<ol>", *rows, "</ol>", "</nav>"])


def _block(block: doc.Block, level: int, plots: int) -> str:
    match block:
        case doc.Text(text):
            return f"<p>{words(text)}</p>" if plain(text) else ""
        case doc.Heading(text):
            return f"<h{level}>{words(text)}</h{level}>"
        case doc.Table():
            return _table(block)
        case doc.Facts(pairs):
            return _facts(pairs)
        case doc.Prose(markdown):
            return prose(markdown, level)
        case doc.Math(latex):
            return formula(latex)
        case doc.Steps(items):
            return steps(items)
        case doc.Code(text):
            return code(text)
        case doc.Plot():
            return _figure(block, plots)


def _figure(plot: doc.Plot, which: int) -> str:
    from regard.report.html.svg import svg

    picture = svg(plot, f"plot-{which}")
    if shown(plot.caption):
        caption = words(plot.caption)
        picture += f'\n<figcaption style="{style.FIGURE_CAPTION}">{caption}</figcaption>'
    return f'<figure style="{style.FIGURE}">\n{picture}\n</figure>'


def _table(table: doc.Table) -> str:
    numeric, names_rows = table.numeric, table.names_rows
    lines = [f'<table style="{style.TABLE};margin:0">']
    if plain(table.caption):
        lines.append(f'<caption style="{style.CAPTION}">{words(table.caption)}</caption>')
    if any(plain(name) for name in table.columns):
        # A header cell that is empty would be announced as a header without a name.
        header = [
            _cell(
                "th" if plain(name) else "td", name, style.NUMBER if number else style.WORDS, "col"
            )
            for name, number in zip(table.columns, numeric, strict=True)
        ]
        lines.append(f"<thead><tr>{''.join(header)}</tr></thead>")
    lines.append("<tbody>")
    for row in table.rows:
        cells = [
            _cell("td", cell, style.NUMBER if number else style.WORDS)
            for cell, number in zip(row, numeric, strict=True)
        ]
        if names_rows and plain(row[0]):
            cells[0] = _cell("th", row[0], style.WORDS, "row")
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
        f"<tr>{_cell('th', name, style.WORDS, 'row')}{_cell('td', value, style.FACT)}</tr>"
        for name, value in pairs
    ]
    return "\n".join(
        [f'<table style="{style.TABLE};{style.SPACE}">', "<tbody>", *rows, "</tbody>", "</table>"]
    )


def _cell(tag: str, text: str, look: str, scope: str = "") -> str:
    attribute = f' scope="{scope}"' if tag == "th" else ""
    return f'<{tag}{attribute} style="{look}">{words(text)}</{tag}>'
