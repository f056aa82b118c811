"""The looks of HTML within an element, which notebooks keep; a page has `page.css` as well."""

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
TOGETHER: Final = "white-space:nowrap"
CODE: Final = (
    f"overflow-x:auto;{SPACE};padding:0.5em 0.75em;"
    "border:1px solid rgba(128,128,128,0.4);border-radius:4px"
)
FIGURE: Final = "margin:1.25em 0"
FIGURE_CAPTION: Final = "padding:0.25em 0;font-size:0.95em"

LOADS_NOTHING: Final = "default-src 'none'; style-src {style}; script-src {script}; font-src data:"
