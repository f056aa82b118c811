"""Cells of the table, in the eyes of a spreadsheet: what each has to be was written down first."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from regard.grading import grade
from regard.grading.judging import MOST_MESSAGE
from regard.grading.writing import as_text

PLAIN = (
    *("alice", "student0001", "Zoé", "李雷", "123", "0", "A1", "ann (2)", "March", "Marcus 3"),
    *("6 juniper", "a-b", "x=1", "2nd", "a; b", "<b>"),
)
ODD = (
    *("=1+1", "+1", "-1", "@SUM(A1)", " =1+1", "\tx", "\rx", "＝1", "﹦1", "\u22121", "'x"),
    *("0012", "1e5", "1E+5", "3.50", "1,5", "10%", "$5", "(5)", "1 000", "12:30", "3/4", "1-2"),
    *("2024-01-01", "Jan 5", "5 jan", "mar3", "May 5, 2024", "TRUE", "false", "1234567890123456"),
)


@pytest.mark.parametrize("cell", PLAIN)
def test_a_cell_that_is_text_anyway_stays_as_it_is(cell: str) -> None:
    assert as_text(cell) == cell


@pytest.mark.parametrize("cell", ODD)
def test_a_cell_that_would_be_something_else_is_marked_as_text(cell: str) -> None:
    assert as_text(cell) == f"'{cell}"


@pytest.mark.parametrize(
    ("cell", "shown"), [("x;=1+1;y", "x;'=1+1;y"), ("a; @b", "a; '@b"), ("a\t+b", "a\t'+b")]
)
def test_no_formula_begins_behind_a_semicolon_either(cell: str, shown: str) -> None:
    assert as_text(cell) == shown


@pytest.mark.parametrize("cell", ["1" * 200_000 + "x", "1 " * 100_000 + "x", "; " * 100_000])
def test_long_cells_take_no_time_that_grows_with_their_square(cell: str) -> None:
    started = time.process_time()
    as_text(cell)
    assert time.process_time() - started < 5  # the square takes minutes


def test_no_message_is_longer_than_a_cell_can_be(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ann.toml").write_text("\n".join(f"a{i} = 1" for i in range(20_000)))
    (folder / "bob.json").write_text('{"q": "k_a", "q": "C (k_a + k_b)"}')
    ann, bob = grade("average-two-values", folder, tmp_path / "out", workers=1).rows
    assert ann.message.startswith("answer: q is missing. Got a0, a1")
    assert len(ann.message) == MOST_MESSAGE + 1
    assert (bob.verdict, bob.message) == (
        "unreadable",
        "the file: is not JSON: 'q' is there twice.",
    )
