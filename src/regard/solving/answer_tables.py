"""How the fields of an answer, and the claims of its proof, are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from regard.certify import Verification
from regard.errors import FormulaError
from regard.language import parse
from regard.report import document as doc
from regard.report import number
from regard.report.arrays import array
from regard.solving.often import Often

# What is believed ends with a full stop or a colon that is not in a formula; then comes the rest.
_BELIEF = re.compile(r"((?:\$[^$]*\$|[^$.:]|[.:](?!”? ))+(?:\.”)?)[.:]? (.+)", re.DOTALL)
_LONGEST_TITLE = 110
_MOST_ENTRIES = 24  # of an array that an answer shows in full


def proof_table(verification: Verification) -> doc.Table:
    """Return the claims of a certificate, and what was found about each."""
    rows = tuple((c.statement, c.status, c.reason) for c in verification.claims)
    return doc.Table(("claim", "verified", "found"), rows)


def callout(wrong: Often) -> list[doc.Block]:
    """Return a wrong answer as a title in the words of whoever gives it, and what is wrong."""
    said = wrong.sentence if wrong.formula else f"{wrong.answer} {wrong.sentence}"
    formula = [doc.Math(wrong.formula)] if wrong.formula else []
    return [doc.Heading(wrong.idea, 3), *formula, doc.Text(said)]


def belief(text: str) -> list[doc.Block]:
    """Return what is often believed as a title, and below it why it is not so."""
    found = _BELIEF.match(text)
    if found is None or len(found[1]) > _LONGEST_TITLE:
        return [doc.Text(text)]
    return [doc.Heading(found[1], 3), doc.Text(found[2][:1].upper() + found[2][1:])]


def is_table(value: Any) -> bool:
    """Whether a field is a list of things with the same fields, such as atoms."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, Mapping) and list(item) == list(value[0]) for item in value)
    )


def field_table(name: str, value: list[Mapping[str, Any]]) -> doc.Table:
    """Return such a field as a table under its name."""
    rows = tuple(tuple(_shown(x) for x in item.values()) for item in value)
    return doc.Table(tuple(value[0]), rows, name)


def typeset_field(value: Any) -> str:
    """Write a field of an answer for a page: a formula as one."""
    if not isinstance(value, str) or "\n" in value:
        return array(value) or _shown(value)
    try:
        formula = parse(value)
    except FormulaError:
        return value
    return f"${formula.to_latex()}$" if formula.names else value


def _shown(value: Any) -> str:
    """Write a field of an answer as an answer file would."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list | tuple):
        if _size(value) > _MOST_ENTRIES:
            return f"{_size(value)} numbers (in the JSON output)"
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_shown(item)}" for name, item in value.items())
    return str(value)


def _size(value: Any) -> int:
    return sum(map(_size, value)) if isinstance(value, list | tuple) else 1
