"""Reports as data: what they accept, and the way to JSON and back."""

from __future__ import annotations

import dataclasses
import inspect
import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings

import regard.report
from regard.errors import ParameterError
from regard.report import Facts, Heading, Report, Table, Text
from report.drawing import ANY_TEXT, reports

FEW = settings(deadline=None, derandomize=True, max_examples=60)
REPORT = Report(
    "Two keys",
    (
        Heading("Weights"),
        Text("Most of the weight is on the first."),
        Table(("key", "weight"), (("k_0", "0.75"), ("k_1", "0.25")), "Weights"),
        Facts((("error", "0"),)),
    ),
)
DATA = {
    "title": "Two keys",
    "blocks": [
        {"type": "heading", "text": "Weights"},
        {"type": "text", "text": "Most of the weight is on the first."},
        {
            "type": "table",
            "columns": ["key", "weight"],
            "rows": [["k_0", "0.75"], ["k_1", "0.25"]],
            "caption": "Weights",
        },
        {"type": "facts", "pairs": [["error", "0"]]},
    ],
}


def test_all_lists_exactly_the_public_names() -> None:
    names = {
        name
        for name, thing in vars(regard.report).items()
        if not name.startswith("_") and not isinstance(thing, ModuleType) and name != "annotations"
    }
    assert names == set(regard.report.__all__)
    assert all(inspect.getdoc(getattr(regard.report, name)) for name in names)


def test_a_report_becomes_this_data() -> None:
    assert REPORT.to_dict() == DATA


def test_this_data_becomes_the_report() -> None:
    assert Report.from_dict(DATA) == REPORT


@FEW
@given(reports(ANY_TEXT))
def test_a_report_comes_back_from_json_as_it_was(report: Report) -> None:
    data = report.to_dict()
    through_json = json.loads(json.dumps(data))
    assert through_json == data
    back = Report.from_dict(through_json)
    assert back == report
    assert hash(back) == hash(report)


def test_a_caption_may_be_left_out_of_the_data() -> None:
    table = {"type": "table", "columns": ["a"], "rows": []}
    assert Report.from_dict({"title": "t", "blocks": [table]}).blocks == (Table(("a",), ()),)


def test_lists_are_stored_as_tuples() -> None:
    rows: Any = [["1", "2"]]
    columns: Any = ["a", "b"]
    table = Table(columns, rows)
    rows[0][0] = "changed"
    assert table == Table(("a", "b"), (("1", "2"),))
    assert {table}


def test_a_report_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        REPORT.title = "other"  # type: ignore[misc]


def test_a_report_prints_as_its_text_and_shows_as_its_fragment() -> None:
    assert str(REPORT).startswith("Two keys\n========\n")
    assert REPORT._repr_html_() == regard.report.to_html_fragment(REPORT)


@pytest.mark.parametrize(
    ("columns", "rows", "numeric", "names_rows"),
    [
        (("key", "weight"), (("k_0", "0.5"), ("k_1", "1e-05")), (False, True), True),
        (("a", "b"), (("1", "x"), ("-2.5", "y")), (True, False), False),
        (("a",), (("x",),), (False,), False),
        (("a", "b"), (("1", ""), ("", "")), (True, False), False),
        (("a", "b"), (), (False, False), True),
    ],
)
def test_columns_of_numbers_and_names_of_rows_are_told_by_the_cells(
    columns: tuple[str, ...], rows: Any, numeric: tuple[bool, ...], names_rows: bool
) -> None:
    table = Table(columns, rows)
    assert table.numeric == numeric
    assert table.names_rows is names_rows


WRONG: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "Text: text must be a string. Got float. Try regard.report.number.": (Text, (0.5,)),
    "Text: text must be a string. Got NoneType.": (Text, (None,)),
    "Heading: text must not be empty.": (Heading, (" \n",)),
    "Table: columns must name at least one column. Got none.": (Table, ((), ())),
    "Table: columns must be a tuple or a list. Got str.": (Table, ("ab", ())),
    "Table: rows must be a tuple or a list. Got str.": (Table, (("a",), "ab")),
    "Table: rows[1] must be a tuple or a list. Got str.": (Table, (("a",), (("1",), "2"))),
    "Table: rows[1] must have one cell per column (2). Got 3.": (
        Table,
        (("a", "b"), (("1", "2"), ("1", "2", "3"))),
    ),
    "Table: rows[0][1] must be a string. Got int. Try regard.report.number.": (
        Table,
        (("a", "b"), (("1", 2),)),
    ),
    "Table: caption must be a string. Got NoneType.": (Table, (("a",), (), None)),
    "Facts: pairs[0] must be a name and a value. Got 3 strings.": (Facts, ((("a", "b", "c"),),)),
    "Report: title must not be empty.": (Report, ("", ())),
    "Report: blocks[1] must be Text, Heading, Table or Facts. Got str.": (
        Report,
        ("t", (Text(""), "paragraph")),
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_no_block_is_refused_with_these_words(message: str) -> None:
    kind, arguments = WRONG[message]
    with pytest.raises(ParameterError) as caught:
        kind(*arguments)
    assert str(caught.value) == message


DAMAGED: dict[str, Any] = {
    "data must be a dict. Got list.": [],
    "Report has the fields title, blocks. Got title.": {"title": "t"},
    "Report has the fields title, blocks. Got nothing.": {},
    "blocks must be a tuple or a list. Got dict.": {"title": "t", "blocks": {}},
    "Report: title must be a string. Got NoneType.": {"title": None, "blocks": []},
    "blocks[0] must be a dict with a type out of text, heading, table, facts. Got str.": {
        "title": "t",
        "blocks": ["paragraph"],
    },
    "blocks[1] must be a dict with a type out of text, heading, table, facts. Got type 'tabel'.": {
        "title": "t",
        "blocks": [{"type": "text", "text": ""}, {"type": "tabel"}],
    },
    "blocks[0] must be a dict with a type out of text, heading, table, facts. Got type ['text'].": {
        "title": "t",
        "blocks": [{"type": ["text"], "text": ""}],
    },
    "blocks[0]: Table has the fields columns, rows, caption. Got columns, row.": {
        "title": "t",
        "blocks": [{"type": "table", "columns": ["a"], "row": []}],
    },
    "blocks[0]: Text has the fields text. Got text, colour.": {
        "title": "t",
        "blocks": [{"type": "text", "text": "", "colour": "red"}],
    },
    "blocks[0]: Facts: pairs[0][1] must be a string. Got int. Try regard.report.number.": {
        "title": "t",
        "blocks": [{"type": "facts", "pairs": [["a", 1]]}],
    },
}


@pytest.mark.parametrize("message", DAMAGED)
def test_damaged_data_is_refused_with_where_and_why(message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Report.from_dict(DAMAGED[message])
    assert str(caught.value) == f"Report.from_dict: {message}"
