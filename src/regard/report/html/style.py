"""The looks of HTML: inline styles for notebooks, and the style sheet of a page."""

from __future__ import annotations

from typing import Final

# Inline, since notebooks drop style sheets and bring their own alignment of cells.
SPACE: Final = "margin:0.75em 0"
TABLE: Final = "border-collapse:collapse;table-layout:auto"
# A caption is as wide as its table; the least width keeps it from running down a narrow one, and
# the largest from running out of the screen with a table that scrolls.
CAPTION: Final = (
    "caption-side:top;text-align:left;color:inherit;padding:0.25em 0;"
    "min-width:min(24em,85vw);max-width:min(42em,85vw)"
)
_LINE: Final = "border:0;border-bottom:1px solid rgba(128,128,128,0.4)"
WORDS: Final = f"text-align:left;vertical-align:top;padding:0.25em 1em 0.25em 0;{_LINE}"
NUMBER: Final = (
    "text-align:right;vertical-align:top;padding:0.25em 1em 0.25em 0;white-space:nowrap;"
    f"font-variant-numeric:tabular-nums;{_LINE}"
)
FACT: Final = f"{WORDS};overflow-wrap:anywhere"
SCROLLS: Final = f"overflow-x:auto;{SPACE}"
# Fences reach a little beyond the line: without the padding, the box would scroll up and down too.
FORMULA: Final = "overflow-x:auto;overflow-y:hidden;margin:0.25em 0;padding:0.5em 0"
# Parts of a formula stand side by side where there is room, and below each other where not.
PARTS: Final = (
    "display:flex;flex-wrap:wrap;align-items:baseline;justify-content:safe center;gap:0.25em 2em"
)
CODE: Final = (
    f"overflow-x:auto;{SPACE};padding:0.5em 0.75em;"
    "border:1px solid rgba(128,128,128,0.4);border-radius:4px"
)
FIGURE: Final = "margin:1.25em 0"
FIGURE_CAPTION: Final = "padding:0.25em 0;font-size:0.95em"

LOADS_NOTHING: Final = "default-src 'none'; style-src 'unsafe-inline'"
PAGE: Final = """
:root { color-scheme: light dark; }
html { background: Canvas; color: CanvasText; }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3, h4 { line-height: 1.25; margin: 1.5em 0 0.5em; }
h1 { font-size: 1.6rem; margin-top: 0.5em; }
h2 { font-size: 1.25rem; }
h3 { font-size: 1.05rem; }
h4 { font-size: 1rem; font-style: italic; }
.regard-chapter { border-top: 1px solid rgba(128,128,128,0.4); padding-top: 1em; }
h1, h2, h3, h4, p, li, figcaption { overflow-wrap: anywhere; }
p, li, figcaption, blockquote { max-width: 42em; }
table { font-size: 0.95rem; }
thead > tr > * { border-bottom-width: 2px !important; }
.regard-table tbody th { position: sticky; left: 0; background: Canvas; }
math { font-size: 1.05em; }
.regard-math, pre { max-width: 44em; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.92em; }
blockquote { margin: 0.75em 0; padding-left: 1em; border-left: 3px solid rgba(128,128,128,0.4); }
nav ol { columns: 18em auto; padding-left: 2em; }
nav li { break-inside: avoid; }
a { color: LinkText; }
@media print {
  :root { color-scheme: light; }
  @page { margin: 2cm; }
  body { padding: 0; max-width: none; font-size: 10.5pt; }
  h1, h2, h3, h4, caption { break-after: avoid; }
  tr, figure, .regard-math, li { break-inside: avoid; }
  table { font-size: 8.5pt; }
  .regard-table, .regard-math, pre { overflow: visible !important; }
  pre { white-space: pre-wrap; }
  a { color: inherit; }
}
"""
