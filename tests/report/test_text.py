"""Reports as text for a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import ParameterError
from regard.report import Block, Facts, Heading, Report, Table, Text, matrix_rows, to_text
from report.drawing import ANY_TEXT, NARROW_TEXT, reports

FEW = settings(deadline=None, derandomize=True, max_examples=60)


def shown(*blocks: Block, width: int = 80) -> str:
    """Return the text of blocks under the title T, without the title."""
    text = to_text(Report("T", blocks), width)
    assert text.startswith("T\n=\n\n")
    return text.removeprefix("T\n=\n\n")


def test_a_whole_report_looks_like_this() -> None:
    report = Report(
        "Average two values",
        (
            Text(
                "The weights of the two keys are equal, and what is left to the others is bounded."
            ),
            Facts((("query", "(9.21, 9.21, 0)"), ("error", "5e-05"))),
            Heading("Weights"),
            Table(
                ("key", "score", "weight", "what happens"),
                (
                    ("k_a", "9.21", "0.49995", "gets its half"),
                    ("k_b", "9.21", "0.49995", "gets its half"),
                    (
                        "k_2",
                        "0",
                        "5e-05",
                        "leaks, as every other key would, by less than the bound",
                    ),
                ),
                "Scores and weights",
            ),
        ),
    )
    assert (
        to_text(report, 60)
        == """\
Average two values
==================

The weights of the two keys are equal, and what is left to
the others is bounded.

query  (9.21, 9.21, 0)
error  5e-05

Weights
-------

Scores and weights
key  score   weight  what happens
---  -----  -------  -----------------------------------
k_a   9.21  0.49995  gets its half
k_b   9.21  0.49995  gets its half
k_2      0    5e-05  leaks, as every other key would, by
                     less than the bound"""
    )


def test_columns_that_do_not_fit_come_below_with_the_names_of_the_rows() -> None:
    matrix = [[0.125, -0.75, 1000.5, 2, 3.25], [1, 0, -1, 0.0625, 7]]
    table = Table(
        ("", "k_0", "k_1", "k_2", "k_3", "k_4"), matrix_rows(matrix, 5, names=["q_0", "q_1"])
    )
    assert (
        shown(table, width=26)
        == """\
       k_0    k_1     k_2
---  -----  -----  ------
q_0  0.125  -0.75  1000.5
q_1      1      0      -1

        k_3   k_4
---  ------  ----
q_0       2  3.25
q_1  0.0625     7"""
    )


def test_a_table_without_names_of_columns_has_no_header() -> None:
    assert shown(Table(("", ""), (("1", "-2.5"), ("10", "3")))) == " 1  -2.5\n10     3"


def test_a_table_without_rows_says_so() -> None:
    assert shown(Table(("goal", "met"), (), "Goals")) == "Goals\ngoal  met\n----  ---\n(no rows)"


def test_rows_of_several_lines_are_told_apart() -> None:
    table = Table(("what", "why"), (("one thing after another", "x"), ("", "y")))
    assert (
        shown(table, width=20)
        == """\
what             why
---------------  ---
one thing after  x
another

                 y"""
    )


def test_long_headers_are_wrapped_and_stand_on_the_rule() -> None:
    table = Table(("key", "score before scaling", "weight"), (("k_0", "1.5", "1"),))
    assert (
        shown(table, width=22)
        == """\
       score
      before
key  scaling  weight
---  -------  ------
k_0      1.5       1"""
    )


def test_a_number_that_has_no_room_is_shortened_and_never_broken() -> None:
    table = Table(("name", "n"), (("big", "123456789012345678901234567890"), ("small", "1")))
    assert (
        shown(table, width=20)
        == """\
name               n
-----  -------------
big    123456789012…
small              1"""
    )


def test_facts_keep_every_digit() -> None:
    facts = Facts((("n", "123456789012345678901234567890"), ("m", "1")))
    assert shown(facts, width=20) == "n  12345678901234567\n   8901234567890\nm  1"


def test_wide_and_combining_characters_are_counted_as_a_terminal_shows_them() -> None:
    table = Table(("name", "x"), (("中文", "1"), ("α\u0302", "2"), ("abcde", "3")))
    assert (
        shown(table)
        == """\
name   x
-----  -
中文   1
α\u0302      2
abcde  3"""
    )


def test_white_space_is_one_space_and_control_characters_are_not_obeyed() -> None:
    assert shown(Text(" a\n\n b\tc\u2028d ")) == "a b c d"
    assert shown(Text("\x1b[31mred\x07 \x9b1m \u202ereversed")) == "�[31mred� �1m �reversed"
    assert shown(Facts((("a\nb", "c\x1b[0m"),))) == "a b  c�[0m"


def test_a_very_long_word_is_broken_to_keep_columns_beside_each_other() -> None:
    table = Table(("name", "path", "what"), (("x", "a" * 33, "several words in a row"),))
    assert (
        shown(table, width=40)
        == f"""\
name  path                  what
----  --------------------  ----------
x     {"a" * 20}  several
      {"a" * 13}         words in a
                            row"""
    )


def test_empty_blocks_leave_no_gap() -> None:
    empty = Table(("",), (("",),))
    assert shown(Text("a"), Text(" "), Facts(()), empty, Text("b")) == "a\n\nb"


def test_a_report_without_blocks_is_its_title() -> None:
    assert to_text(Report("Nothing to show", ())) == "Nothing to show\n==============="


def test_long_titles_and_headings_are_wrapped() -> None:
    text = to_text(Report("one title of several words", (Heading("x" * 23),)), 20)
    assert text == f"one title of several\nwords\n{'=' * 20}\n\n{'x' * 20}\nxxx\n{'-' * 20}"


def test_a_terminal_narrower_than_twenty_is_refused() -> None:
    with pytest.raises(ParameterError) as caught:
        to_text(Report("T", ()), 19)
    assert str(caught.value) == "to_text: width must be at least 20. Got 19."


@FEW
@given(reports(NARROW_TEXT), st.integers(20, 120))
def test_no_line_is_wider_than_asked_for(report: Report, width: int) -> None:
    for line in to_text(report, width).split("\n"):
        assert len(line) <= width
        assert line == line.rstrip(" ")


@FEW
@given(reports(ANY_TEXT), st.integers(20, 120))
def test_no_line_is_wider_than_asked_for_whatever_the_characters(
    report: Report, width: int
) -> None:
    for line in to_text(report, width).split("\n"):
        drawn = [c for c in line if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
        wide = sum(unicodedata.east_asian_width(c) in ("W", "F") for c in drawn)
        assert len(drawn) + wide <= width


@FEW
@given(reports(ANY_TEXT))
def test_text_can_be_encoded_and_holds_no_control_characters(report: Report) -> None:
    text = to_text(report)
    text.encode()
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"]
    assert text.splitlines() == text.split("\n")  # nothing else breaks a line


@FEW
@given(NARROW_TEXT, st.integers(20, 120))
def test_wrapping_a_paragraph_loses_nothing_but_spaces(text: str, width: int) -> None:
    assert "".join(shown(Text("x" + text), width=width).split()) == "".join(("x" + text).split())


@FEW
@given(st.lists(st.tuples(NARROW_TEXT, NARROW_TEXT), min_size=1, max_size=5), st.integers(20, 60))
def test_cells_of_words_lose_nothing_but_spaces(pairs: list[tuple[str, str]], width: int) -> None:
    # Wrapped cells stand beside each other, so the letters come in another order.
    rows = tuple((f"x{name}", f"x{value}") for name, value in pairs)
    letters = sorted("".join("".join(name + value for name, value in rows).split()))
    for block in (Facts(rows), Table(("", ""), rows)):
        assert sorted("".join(shown(block, width=width).split())) == letters
