"""A report as HTML: a fragment for notebooks and a page that needs nothing but itself.

Both are also well-formed XML. Colours are left to the surroundings, but for half
transparent grey lines, which show on light and dark backgrounds.
"""

from __future__ import annotations

from html import escape

from regard.report.characters import plain
from regard.report.document import Block, Facts, Heading, Report, Table, Text

# Inline, since notebooks drop style sheets and bring their own alignment of cells.
_SPACE = "margin:0.75em 0"
_TABLE = "border-collapse:collapse;table-layout:auto"
_CAPTION = "caption-side:top;text-align:left;color:inherit;padding:0.25em 0"
_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,0.4)"
_WORDS = f"text-align:left;vertical-align:top;padding:0.25em 1em 0.25em 0;{_LINE}"
_NUMBER = (
    "text-align:right;vertical-align:top;padding:0.25em 1em 0.25em 0;white-space:nowrap;"
    f"font-variant-numeric:tabular-nums;{_LINE}"
)
_FACT = f"{_WORDS};overflow-wrap:anywhere"

_LOADS_NOTHING = "default-src 'none'; style-src 'unsafe-inline'"
_PAGE_STYLE = """
:root { color-scheme: light dark; }
html { background: Canvas; color: CanvasText; }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; font: 1rem/1.5 system-ui, sans-serif; }
h1, h2 { line-height: 1.25; margin: 1.5em 0 0.5em; }
h1 { font-size: 1.6rem; margin-top: 0.5em; }
h2 { font-size: 1.2rem; }
h1, h2, p { overflow-wrap: anywhere; }
p { max-width: 42em; }
table { font-size: 0.95rem; }
thead > tr > * { border-bottom-width: 2px !important; }
.regard-table tbody th { position: sticky; left: 0; background: Canvas; }
@media print {
  :root { color-scheme: light; }
  @page { margin: 2cm; }
  body { padding: 0; max-width: none; font-size: 10.5pt; }
  h1, h2, caption { break-after: avoid; }
  tr { break-inside: avoid; }
  table { font-size: 8.5pt; }
  .regard-table { overflow: visible !important; }
}
"""


def to_html_fragment(report: Report) -> str:
    """Render a report as one <div>, to stand inside another page or a notebook."""
    return f'<div class="regard-report">\n{_body(report, level=3)}\n</div>'


def to_html_page(report: Report) -> str:
    """Render a report as a whole page that loads nothing, for a screen, a phone or paper."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta http-equiv="Content-Security-Policy" content="{_LOADS_NOTHING}" />
<title>{_escaped(report.title)}</title>
<style>{_PAGE_STYLE}</style>
</head>
<body>
<main class="regard-report">
{_body(report, level=1)}
</main>
</body>
</html>
"""


def _body(report: Report, level: int) -> str:
    parts = [f"<h{level}>{_escaped(report.title)}</h{level}>"]
    parts += [_block(block, level + 1) for block in report.blocks]
    return "\n".join(part for part in parts if part)


def _block(block: Block, level: int) -> str:
    match block:
        case Text(text):
            return f"<p>{_escaped(text)}</p>" if plain(text) else ""
        case Heading(text):
            return f"<h{level}>{_escaped(text)}</h{level}>"
        case Table():
            return _table(block)
        case Facts(pairs):
            return _facts(pairs)


def _table(table: Table) -> str:
    numeric, names_rows = table.numeric, table.names_rows
    lines = [f'<table style="{_TABLE};margin:0">']
    if plain(table.caption):
        lines.append(f'<caption style="{_CAPTION}">{_escaped(table.caption)}</caption>')
    if any(plain(name) for name in table.columns):
        # A header cell that is empty would be announced as a header without a name.
        header = [
            _cell("th" if plain(name) else "td", name, _NUMBER if number else _WORDS, "col")
            for name, number in zip(table.columns, numeric, strict=True)
        ]
        lines.append(f"<thead><tr>{''.join(header)}</tr></thead>")
    lines.append("<tbody>")
    for row in table.rows:
        cells = [
            _cell("td", cell, _NUMBER if number else _WORDS)
            for cell, number in zip(row, numeric, strict=True)
        ]
        if names_rows and plain(row[0]):
            cells[0] = _cell("th", row[0], _WORDS, "row")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    if not table.rows:
        lines.append(f'<tr><td colspan="{len(numeric)}" style="{_WORDS}">(no rows)</td></tr>')
    return _scrolling("\n".join([*lines, "</tbody>", "</table>"]), plain(table.caption) or "Table")


def _scrolling(table: str, label: str) -> str:
    """Let a wide table scroll by itself, also from the keyboard, under a page that stands still."""
    return (
        f'<div class="regard-table" style="overflow-x:auto;{_SPACE}" role="group" '
        f'tabindex="0" aria-label="{_escaped(label)}">\n{table}\n</div>'
    )


def _facts(pairs: tuple[tuple[str, str], ...]) -> str:
    if not pairs:
        return ""
    rows = [
        f"<tr>{_cell('th', name, _WORDS, 'row')}{_cell('td', value, _FACT)}</tr>"
        for name, value in pairs
    ]
    return "\n".join(
        [f'<table style="{_TABLE};{_SPACE}">', "<tbody>", *rows, "</tbody>", "</table>"]
    )


def _cell(tag: str, text: str, style: str, scope: str = "") -> str:
    attribute = f' scope="{scope}"' if tag == "th" else ""
    return f'<{tag}{attribute} style="{style}">{_escaped(text)}</{tag}>'


def _escaped(text: str) -> str:
    return escape(plain(text), quote=True)
