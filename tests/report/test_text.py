"""Reports as text for a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import ParameterError
from regard.report import (
    Block,
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
    matrix_rows,
    to_text,
)
from report.drawing import ANY_TEXT, MARKUP, NARROW_TEXT, reports

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


def test_headings_of_each_level_have_their_own_rule() -> None:
    blocks = [Heading("One", 1), Heading("Two"), Heading("Three", 3)]
    assert shown(*blocks) == "One\n===\n\nTwo\n---\n\nThree\n~~~~~"


def test_formulas_in_any_string_are_unicode() -> None:
    assert shown(Text(r"so $\alpha_a \le 1$, at \$5")) == "so α_a ≤ 1, at $5"
    assert shown(Facts(((r"$\|q\|$", "$10^{-3}$"),))) == "‖q‖  10⁻³"
    table = Table(("$k_a$", "b"), (("x", r"$\frac{1}{2}$"), ("y", "10")), r"At $\beta$")
    assert shown(table) == "At β\nk_a    b\n---  ---\nx    1/2\ny     10"
    assert to_text(Report("About $x^2$", ())) == "About x²\n========"


def test_what_is_no_formula_keeps_its_dollars() -> None:
    assert shown(Text(r"$\input{x}$ and $y$")) == r"$\input{x}$ and y"


def test_prose_looks_like_this() -> None:
    markdown = r"""
Find a *query* $q$ with **small** `norm`,
see [here](https://example.org) or [there](javascript:x).

$$
\frac{1}{2}(v_a + v_b)
= c
$$

- one item that is long enough to be wrapped
- another
  1. nested
  2. list

3. three
4. four

> quoted

```python
if x:
    y
```

# Head

***

![image](x.png) <b>bold</b>
"""
    assert (
        shown(Prose(markdown), width=40)
        == """\
Find a query q with small `norm`, see
here (https://example.org) or there.

  1/2 (v_a + v_b) = c

- one item that is long enough to be
  wrapped
- another
  1. nested
  2. list

3. three
4. four

| quoted

  if x:
      y

Head

--------------------

image <b>bold</b>"""
    )


def test_a_formula_stands_on_its_own_line_and_goes_on_further_right() -> None:
    assert shown(Math(r"q = C (k_a + k_b)")) == "    q = C (k_a + k_b)"
    assert shown(Math(r"q = C (k_a + k_b + k_c)"), width=22) == (
        "    q = C (k_a + k_b\n      + k_c)"
    )
    aligned = Math(r"\begin{aligned} ab &= c \\ &= d \end{aligned}")
    assert shown(aligned) == "    ab = c\n       = d"


def test_steps_are_numbered_with_their_formulas_below() -> None:
    steps = Steps(((r"The scores are $s_j$, as was said above.", "s_a = C"), ("Done.", "")))
    assert (
        shown(steps, width=30)
        == """\
1. The scores are s_j, as was
   said above.
     s_a = C
2. Done."""
    )


def test_code_keeps_its_lines_and_its_indents() -> None:
    assert shown(Code("if x:\n\ty  =  1\n\n", "python")) == "    if x:\n        y  =  1"
    assert shown(Code("a $x$ \x1b[0m")) == "    a $x$ �[0m"


def test_bars_are_drawn_as_long_as_they_are() -> None:
    one = Plot("bars", "Weights", "key", "weight", (Series("", ("k_a", "k_b"), (0.5, 0.25)),))
    assert (
        shown(one, width=20)
        == """\
Weights
weight by key
k_a  ██████████ 0.5
k_b  █████ 0.25"""
    )
    two = Plot("bars", "", series=(Series("a", (1, 2), (4, -2)), Series("b", (1, 2), (0, 1e-9))))
    assert (
        shown(two, width=20)
        == """\
1  a  ████████ 4
   b   0
2  a  ░░░░ -2
   b  ▏ 1e-09"""
    )


def test_lines_are_some_of_their_numbers() -> None:
    places = tuple(range(101))
    plot = Plot(
        "lines", "Squares", "n", "size", (Series("a", places, tuple(n * n for n in places)),)
    )
    lines = shown(plot).split("\n")
    assert lines[:4] == ["Squares", "size against n", "  n      a", "---  -----"]
    assert [line.split() for line in lines[4:]] == [[str(n), str(n * n)] for n in range(0, 101, 10)]
    titled = Plot("lines", "size against n", "n", "size", plot.series)
    assert shown(titled).split("\n")[:2] == ["size against n", "  n      a"]
    apart = Plot("lines", "", series=(Series("a", (1,), (2,)), Series("b", (3,), (4,))))
    assert shown(apart) == "a\nx  y\n-  -\n1  2\n\nb\nx  y\n-  -\n3  4"


def test_a_heat_map_is_its_numbers() -> None:
    plot = Plot(
        "heatmap",
        "Map",
        "key",
        "query",
        rows=((0.5, 1), (0, -2)),
        row_labels=("q_0", "q_1"),
        column_labels=("k_0", "k_1"),
    )
    assert (
        shown(plot)
        == """\
Map
rows: query, columns: key
     k_0  k_1
---  ---  ---
q_0  0.5    1
q_1    0   -2"""
    )
    large = Plot("heatmap", "", rows=tuple(tuple(range(50)) for _ in range(13)))
    lines = shown(large).split("\n")
    assert len(lines) == 12
    assert lines[0].split() == [*(str(i) for i in range(10)), "…", "49"]
    assert set(lines[10].split()) == {"…"}


def test_a_terminal_narrower_than_twenty_is_refused() -> None:
    with pytest.raises(ParameterError) as caught:
        to_text(Report("T", ()), 19)
    assert str(caught.value) == "to_text: width must be at least 20. Got 19."


@FEW
@given(reports(NARROW_TEXT, drawn=True), st.integers(20, 120))
def test_no_line_is_wider_than_asked_for(report: Report, width: int) -> None:
    for line in to_text(report, width).split("\n"):
        assert len(line) <= width
        assert line == line.rstrip(" ")


@FEW
@given(reports(ANY_TEXT | MARKUP, drawn=True), st.integers(20, 120))
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
