"""Reports as data: what they accept, and the way to JSON and back."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import regard.report
from regard.errors import ParameterError
from regard.report import (
    Code,
    Facts,
    Heading,
    Math,
    Plot,
    Prose,
    Report,
    Series,
    Steps,
    Table,
    Text,
)
from report.drawing import ANY_TEXT, reports

FEW = settings(deadline=None, derandomize=True, max_examples=60)
REPORT = Report(
    "Two keys",
    (
        Heading("Weights"),
        Text("Most of the weight is on the first."),
        Table(("key", "weight"), (("k_0", "0.75"), ("k_1", "0.25")), "Weights"),
        Facts((("error", "0"),)),
        Heading("More", 1),
        Prose("A *word* and $x^2$."),
        Math(r"\alpha \le 1"),
        Steps((("so", "x = 1"), ("done", ""))),
        Code("x = 1", "python"),
        Plot("bars", "Weights", "key", "weight", (Series("a", ("k_0", "k_1"), (0.75, 0.25)),)),
        Plot("heatmap", "Map", rows=((0.5, 1), (0, -2)), row_labels=("q_0", "q_1")),
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
        {"type": "heading", "text": "More", "level": 1},
        {"type": "prose", "markdown": "A *word* and $x^2$."},
        {"type": "math", "latex": r"\alpha \le 1"},
        {"type": "steps", "items": [["so", "x = 1"], ["done", ""]]},
        {"type": "code", "text": "x = 1", "language": "python"},
        {
            "type": "plot",
            "kind": "bars",
            "caption": "Weights",
            "x_label": "key",
            "y_label": "weight",
            "series": [{"name": "a", "x": ["k_0", "k_1"], "y": [0.75, 0.25]}],
            "rows": [],
            "row_labels": [],
            "column_labels": [],
        },
        {
            "type": "plot",
            "kind": "heatmap",
            "caption": "Map",
            "x_label": "",
            "y_label": "",
            "series": [],
            "rows": [[0.5, 1.0], [0.0, -2.0]],
            "row_labels": ["q_0", "q_1"],
            "column_labels": [],
        },
    ],
}


def test_a_report_becomes_this_data() -> None:
    assert REPORT.to_dict() == DATA


def test_this_data_becomes_the_report() -> None:
    assert Report.from_dict(DATA) == REPORT


@FEW
@given(reports(ANY_TEXT, drawn=True))
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


def test_cells_with_formulas_count_as_the_numbers_they_show() -> None:
    table = Table(("a", "b"), ((r"$\frac{1}{3}$", "$x$"), ("$-2$", "$y$")))
    assert table.numeric == (True, False)


def test_reports_are_joined_under_their_titles() -> None:
    one = Report("One", (Heading("A"), Text("a")))
    two = Report("Two", (Heading("B", 1), Heading("C"), Heading("D", 3)))
    joined = Report.join("Both", [one, two], (Text("first"),))
    assert joined == Report(
        "Both",
        (
            Text("first"),
            Heading("One", 1),
            Heading("A", 2),
            Text("a"),
            Heading("Two", 1),
            Heading("B", 2),
            Heading("C", 3),
            Heading("D", 3),
        ),
    )
    with pytest.raises(ParameterError) as caught:
        Report.join("Both", [one, "two"])  # type: ignore[list-item]
    assert str(caught.value) == "Report.join: reports[1] must be a Report. Got str."


def test_numbers_of_numpy_are_stored_as_floats() -> None:
    series = Series("a", (np.int64(2), 3), (np.float32(0.5), np.float64(1)))
    assert series == Series("a", (2.0, 3.0), (0.5, 1.0))
    assert {type(number) for number in (*series.x, *series.y)} == {float}


def test_formulas_that_cannot_be_read_are_found_wherever_they_stand() -> None:
    wrong = r"$\no$"
    blocks = (
        Text(f"fine $x$, {wrong}"),
        Table((wrong, "$y$"), (("1", wrong),), wrong),
        Facts(((wrong, wrong),)),
        Prose(f"fine $$x$$ {wrong}"),
        Steps(((wrong, "x"),)),
        Code(wrong),
        Plot("lines", wrong, series=(Series(wrong, (1,), (1,)),)),
    )
    errors = regard.report.formula_errors(Report(wrong, blocks))
    assert [error.text for error in errors] == [r"\no"] * 11
    assert regard.report.formula_errors(REPORT) == []


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
    "Report: blocks[1] must be one of Text, Heading, Table, Facts, Prose, Math, Steps, Code, Plot, Slider, Checklist, Comparison. "
    "Got str.": (Report, ("t", (Text(""), "paragraph"))),
    "Heading: level must be 1, 2 or 3. Got 4.": (Heading, ("h", 4)),
    "Heading: level must be 1, 2 or 3. Got True.": (Heading, ("h", True)),
    "Prose: markdown must be a string. Got NoneType.": (Prose, (None,)),
    "Math: latex must be a string. Got int. Try regard.report.number.": (Math, (1,)),
    "Math: latex must be a formula of the notation. \\input is not part of the notation.\n"
    "  x = \\input{y}\n      ^": (Math, (r"x = \input{y}",)),
    "Steps: items[0] must be a sentence and a formula. Got 1 strings.": (Steps, ((("a",),),)),
    "Steps: items[1] must be a tuple or a list. Got str.": (Steps, ((("a", ""), "b"),)),
    "Steps: items[0][1] must be a formula of the notation. This { is never closed.\n  {x\n  ^": (
        Steps,
        ((("a", "{x"),),),
    ),
    "Code: text must be a string. Got NoneType.": (Code, (None,)),
    "Code: language must be a string. Got NoneType.": (Code, ("", None)),
    "Series: name must be a string. Got NoneType.": (Series, (None, (), ())),
    "Series: x[1] must be a number. Got str.": (Series, ("a", (1, "b"), (1, 2))),
    "Series: x must be a tuple or a list. Got str.": (Series, ("a", "bc", (1, 2))),
    "Series: y[0] must be a number. Got bool.": (Series, ("a", (1,), (True,))),
    "Series: y[0] must be finite and at most 1e+100 in size. Got nan.": (
        Series,
        ("a", (1,), (float("nan"),)),
    ),
    "Series: y[0] must be finite and at most 1e+100 in size. Got inf.": (
        Series,
        ("a", (1,), (float("inf"),)),
    ),
    "Series: y must have one number per x (2). Got 1.": (Series, ("a", (1, 2), (1,))),
    "Plot: kind must be one of bars, lines, heatmap. Got 'pie'.": (Plot, ("pie", "")),
    "Plot: caption must be a string. Got NoneType.": (Plot, ("bars", None)),
    "Plot: series must be 1 to 8 for lines. Got 0.": (Plot, ("lines", "")),
    "Plot: series[0] must be a Series. Got tuple.": (Plot, ("bars", "", "", "", ((1, 2),))),
    "Plot: series[0] must have 1 to 2000 points. Got 0.": (
        Plot,
        ("lines", "", "", "", (Series("a", (), ()),)),
    ),
    "Plot: series[0] must have 1 to 100 points. Got 101.": (
        Plot,
        ("bars", "", "", "", (Series("a", range_ := tuple(range(101)), range_),)),
    ),
    "Plot: series[1] must have the x of series[0].": (
        Plot,
        ("bars", "", "", "", (Series("a", (1,), (1,)), Series("b", (2,), (1,)))),
    ),
    "Plot: rows and their labels must be empty for bars.": (
        Plot,
        ("bars", "", "", "", (Series("a", (1,), (1,)),), ((1,),)),
    ),
    "Plot: series must be empty for a heatmap.": (
        Plot,
        ("heatmap", "", "", "", (Series("a", (1,), (1,)),)),
    ),
    "Plot: rows must be 1 to 100 rows of 1 to 100 numbers. Got 0 of 0.": (Plot, ("heatmap", "")),
    "Plot: rows[1] must have as many numbers as rows[0] (2). Got 1.": (
        Plot,
        ("heatmap", "", "", "", (), ((1, 2), (1,))),
    ),
    "Plot: row_labels must be one per row (1) or none. Got 2.": (
        Plot,
        ("heatmap", "", "", "", (), ((1, 2, 3),), ("a", "b")),
    ),
    "Plot: column_labels must be one per column (3) or none. Got 2.": (
        Plot,
        ("heatmap", "", "", "", (), ((1, 2, 3),), (), ("a", "b")),
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
    "blocks[0] must be a dict with a type out of text, heading, table, facts, prose, math, steps, code, plot, slider, checklist, comparison. Got str.": {
        "title": "t",
        "blocks": ["paragraph"],
    },
    "blocks[1] must be a dict with a type out of text, heading, table, facts, prose, math, steps, code, plot, slider, checklist, comparison. Got type 'tabel'.": {
        "title": "t",
        "blocks": [{"type": "text", "text": ""}, {"type": "tabel"}],
    },
    "blocks[0] must be a dict with a type out of text, heading, table, facts, prose, math, steps, code, plot, slider, checklist, comparison. Got type ['text'].": {
        "title": "t",
        "blocks": [{"type": ["text"], "text": ""}],
    },
    "blocks[0]: Table has the fields columns, rows, caption. Got columns, row.": {
        "title": "t",
        "blocks": [{"type": "table", "columns": ["a"], "row": []}],
    },
    "blocks[0]: Series has the fields name, x, y. Got name.": {
        "title": "t",
        "blocks": [{"type": "plot", "kind": "bars", "caption": "", "series": [{"name": "a"}]}],
    },
    "blocks[0]: data must be a dict. Got int.": {
        "title": "t",
        "blocks": [{"type": "plot", "kind": "bars", "caption": "", "series": [1]}],
    },
    "blocks[0]: Plot: series must be a tuple or a list. Got int.": {
        "title": "t",
        "blocks": [{"type": "plot", "kind": "bars", "caption": "", "series": 1}],
    },
    "blocks[0]: Text has the fields text, role. Got text, colour.": {
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
