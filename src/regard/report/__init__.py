"""What a person is shown, as plain data, and its renderers; knows nothing of attention.

>>> table = Table(("key", "weight"), (("k_0", number(0.75)), ("k_1", number(0.25))))
>>> print(Report("Two keys", (Text("Most of the weight is on the first."), table)))
Two keys
========
<BLANKLINE>
Most of the weight is on the first.
<BLANKLINE>
key  weight
---  ------
k_0    0.75
k_1    0.25
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names
from regard.report.document import (
    Block,
    Code,
    Facts,
    Heading,
    Math,
    Plot,
    Prose,
    Report,
    Series,
    Slider,
    Steps,
    Table,
    Text,
)
from regard.report.numbers import matrix_rows, number, vector

if TYPE_CHECKING:
    from regard.report.html.page import to_html_fragment, to_html_page
    from regard.report.html.svg import draw
    from regard.report.latex.article import to_latex
    from regard.report.proofreading import formula_errors
    from regard.report.schema import json_schema, to_json
    from regard.report.text.plain import to_text
    from regard.report.text.terminal import to_terminal
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "html.page": "to_html_fragment to_html_page",
            "html.svg": "draw",
            "latex.article": "to_latex",
            "proofreading": "formula_errors",
            "schema": "json_schema to_json",
            "text.plain": "to_text",
            "text.terminal": "to_terminal",
        },
    )

__all__ = [
    "Block",
    "Code",
    "Facts",
    "Heading",
    "Math",
    "Plot",
    "Prose",
    "Report",
    "Series",
    "Slider",
    "Steps",
    "Table",
    "Text",
    "draw",
    "formula_errors",
    "json_schema",
    "matrix_rows",
    "number",
    "to_html_fragment",
    "to_html_page",
    "to_json",
    "to_latex",
    "to_terminal",
    "to_text",
    "vector",
]
