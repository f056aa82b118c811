"""Reports as JSON, checked against their schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from regard.report import Report, json_schema, to_json
from regard.report.document import BLOCKS
from report.drawing import ANY_TEXT, reports

VALIDATOR = jsonschema.Draft202012Validator(json_schema())


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    assert json.loads(json.dumps(json_schema())) == json_schema()


@settings(deadline=None, derandomize=True, max_examples=100)
@given(reports(ANY_TEXT, drawn=True))
def test_every_report_is_json_that_fits_the_schema(report: Report) -> None:
    text = to_json(report)
    assert text.isascii()
    data = json.loads(text)
    VALIDATOR.validate(data)
    assert Report.from_dict(data) == report


def test_the_schema_has_every_block() -> None:
    blocks = json_schema()["properties"]["blocks"]["items"]["oneOf"]
    assert [block["properties"]["type"]["const"] for block in blocks] == list(BLOCKS)


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"title": "t"},
        {"title": "", "blocks": []},
        {"title": "t", "blocks": [{"type": "tabel"}]},
        {"title": "t", "blocks": [{"type": "text", "text": 1}]},
        {"title": "t", "blocks": [{"type": "text", "text": "a", "colour": "red"}]},
        {"title": "t", "blocks": [{"type": "heading", "text": "a", "level": 4}]},
        {"title": "t", "blocks": [{"type": "steps", "items": [["a"]]}]},
        {"title": "t", "blocks": [{"type": "plot", "kind": "pie", "caption": ""}]},
        {"title": "t", "blocks": [], "more": 1},
    ],
)
def test_what_is_no_report_does_not_fit_the_schema(data: Any) -> None:
    assert not VALIDATOR.is_valid(data)
