"""Reports as JSON, and the schema that says what such JSON looks like."""

from __future__ import annotations

import json
from typing import Any, Final

from regard.report.blocks import HEADING_ROLES, TEXT_ROLES, TONES
from regard.report.document import Report
from regard.report.plot import KINDS, MOST_SERIES, SCALES, UNITS

_STRING: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_STRINGS: Final = {"type": "array", "items": _STRING}

_COMPARISON: Final = {
    "names": _STRINGS,
    "rows": {"type": "array", "items": _STRINGS},
    "yours": {"type": "array", "items": _NUMBER},
    "wanted": {"type": "array", "items": _NUMBER},
}

_HEADING: Final = {
    "text": _STRING,
    "level": {"enum": [1, 2, 3]},
    "role": {"enum": list(HEADING_ROLES)},
    "status": _STRING,
    "tone": {"enum": list(TONES)},
    "label": _STRING,
    "anchor": _STRING,
}


def to_json(report: Report) -> str:
    """Return a report as JSON, in ASCII; `Report.from_dict(json.loads(text))` is the report."""
    return json.dumps(report.to_dict(), allow_nan=False)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of what `to_json` writes."""
    pair = {**_STRINGS, "minItems": 2, "maxItems": 2}
    blocks = [
        _block("text", {"text": _STRING, "role": {"enum": list(TEXT_ROLES)}}, ["role"]),
        _block("heading", _HEADING, [name for name in _HEADING if name != "text"]),
        _block(
            "table",
            {
                "columns": {**_STRINGS, "minItems": 1},
                "rows": {"type": "array", "items": _STRINGS},
                "caption": _STRING,
            },
            ["caption"],
        ),
        _block("facts", {"pairs": {"type": "array", "items": pair}}),
        _block("prose", {"markdown": _STRING}),
        _block("math", {"latex": _STRING}),
        _block("steps", {"items": {"type": "array", "items": pair}, "names": _STRINGS}, ["names"]),
        _block("code", {"text": _STRING, "language": _STRING}, ["language"]),
        _plot(),
        _slider(),
        _block("checklist", {"items": {"type": "array", "items": _of_three()}}),
        _block("comparison", _COMPARISON),
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A report of regard",
        **_object(
            {
                "title": {**_STRING, "minLength": 1},
                "blocks": {"type": "array", "items": {"oneOf": blocks}},
            },
        ),
    }


def _of_three() -> dict[str, Any]:
    return {**_STRINGS, "minItems": 3, "maxItems": 3}


def _slider() -> dict[str, Any]:
    numbers = {"type": "array", "items": _NUMBER}
    noted = {"type": "array", "prefixItems": [_NUMBER, _STRING], "minItems": 2, "maxItems": 2}
    plot = _plot()
    plot["properties"] = {k: v for k, v in plot["properties"].items() if k != "type"}
    plot["required"] = [name for name in plot["required"] if name != "type"]
    fields = {
        "plot": plot,
        "at": {"type": "integer"},
        "sentences": _STRINGS,
        "labels": _STRINGS,
        "bars": {"type": "array", "items": numbers},
        "wanted": numbers,
        "limit": noted,
        "enough": noted,
        "output": _object({"start": _STRING, "end": _STRING, "at": numbers, "left": numbers}),
        "mean": {"const": True},
    }
    optional = ["labels", "bars", "wanted", "limit", "enough", "output", "mean"]
    return _block("slider", fields, optional)


def _plot() -> dict[str, Any]:
    numbers = {"type": "array", "items": _NUMBER}
    places = {"type": "array", "items": {"type": ["number", "string"]}}
    series = _object({"name": _STRING, "x": places, "y": numbers})
    fields = {
        "kind": {"enum": list(KINDS)},
        "caption": _STRING,
        "x_label": _STRING,
        "y_label": _STRING,
        "series": {"type": "array", "items": series, "maxItems": MOST_SERIES},
        "rows": {"type": "array", "items": numbers},
        "row_labels": _STRINGS,
        "column_labels": _STRINGS,
        "y_scale": {"enum": list(SCALES)},
        "y_unit": {"enum": list(UNITS)},
    }
    return _block("plot", fields, [name for name in fields if name not in ("kind", "caption")])


def _block(kind: str, fields: dict[str, Any], optional: list[str] | None = None) -> dict[str, Any]:
    return _object({"type": {"const": kind}, **fields}, optional)


def _object(fields: dict[str, Any], optional: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in (optional or [])],
        "additionalProperties": False,
    }
