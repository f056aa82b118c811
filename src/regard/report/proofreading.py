"""What a renderer lets pass and an author should not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regard.errors import FormulaError
from regard.language import notation
from regard.report.document import Report


def formula_errors(report: Report) -> list[FormulaError]:
    r"""Return what is wrong with what stands between dollars in a report.

    Renderers show such strings as they are, with their dollars.

    >>> from regard.report import Text
    >>> [error.text for error in formula_errors(Report("$x$", (Text(r"$\foo$"),)))]
    ['\\foo']
    """
    data = report.to_dict()
    kept = [block for block in data["blocks"] if block["type"] != "code"]
    errors = []
    for text in _strings([data["title"], kept]):
        for is_formula, part in notation.split(text):
            try:
                if is_formula:
                    notation.check(part)
            except FormulaError as error:
                errors.append(error)
    return errors


def _strings(data: Any) -> Iterator[str]:
    waiting = [data]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            waiting = [*(value.values() if isinstance(value, dict) else value), *waiting]
