"""Reports in a terminal with colours."""

from __future__ import annotations

import io
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

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
    to_terminal,
    to_text,
)
from report.drawing import ANY_TEXT, MARKUP, reports

ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def printed(report: Report, width: int = 80, *, colours: bool = True) -> str:
    file = io.StringIO()
    system = "256" if colours else None
    console = Console(file=file, width=width, force_terminal=colours, color_system=system)  # type: ignore[arg-type]
    to_terminal(report, console)
    return file.getvalue()


def lines(*blocks: Block, width: int = 80) -> list[str]:
    """Return the lines of blocks under the title T, without colours and the title."""
    text = ESCAPE.sub("", printed(Report("T", blocks), width))
    shown = [line.rstrip() for line in text.split("\n")]
    assert shown[:3] == ["T", "━", ""]
    return shown[3:-1]


BARS = Plot(
    "bars",
    "Weights",
    "key",
    "weight",
    (Series("old", ("k_a", "k_b"), (0.5, 0.25)), Series("new", ("k_a", "k_b"), (1, -0.5))),
)
TABLE = Table(("key", "weight"), (("$k_a$", "0.75"), ("k_b", "10")), "Weights")


def test_without_colours_it_is_the_plain_text() -> None:
    report = Report("T", (Heading("H"), Text("$x^2$ [red]"), TABLE, BARS))
    assert printed(report, 60, colours=False) == to_text(report, 60) + "\n"


def test_no_color_is_respected() -> None:
    file = io.StringIO()
    console = Console(file=file, width=60, force_terminal=True, color_system="256", no_color=True)
    to_terminal(Report("T", (TABLE,)), console)
    assert file.getvalue() == to_text(Report("T", (TABLE,)), 60) + "\n"


def test_there_are_colours() -> None:
    report = Report("T", (Heading("H", 1), Text("so $x$"), BARS))
    text = printed(report)
    assert "\x1b[1;36mT" in text
    assert "so \x1b[36mx\x1b[0m" in text
    assert len(set(re.findall("\x1b\\[(3[0-7])m[█▌]", text))) == 2


def test_blocks_look_like_this() -> None:
    assert lines(Heading("One", 1), Heading("Two"), Heading("Three", 3)) == [
        *("One", "━━━", "", "Two", "───", "", "Three")
    ]
    assert lines(TABLE) == [
        "Weights",
        "key   weight",
        "────────────",
        "k_a     0.75",
        "k_b       10",
    ]
    assert lines(Facts((("error", "$10^{-3}$"), ("n", "6")))) == ["error  10⁻³", "n      6"]
    assert lines(Math("a = b")) == ["    a = b"]
    assert lines(Steps((("Add.", "x + y"), ("Done.", "")))) == ["1. Add.", "     x + y", "2. Done."]
    assert lines(Code("if x:\n\ty", "python")) == ["    if x:", "        y"]
    assert lines(Prose("*a* $x^2$\n\n- b\n- [c](https://example.org)")) == [
        *("a x²", "", "- b", "- c (https://example.org)")
    ]


def test_bars_look_like_this() -> None:
    assert lines(BARS, width=30) == [
        "Weights",
        "weight by key",
        "k_a  old  ███████▌ 0.5",
        "     new  ███████████████ 1",
        "k_b  old  ███▊ 0.25",
        "     new  ░░░░░░░ -0.5",
    ]


def test_markup_of_rich_is_not_obeyed() -> None:
    assert lines(Text("[bold]x[/] :smile: [link=a]b")) == ["[bold]x[/] :smile: [link=a]b"]
    assert lines(Facts((("[red]", "[/red]"),))) == ["[red]  [/red]"]


def test_control_characters_never_reach_the_terminal() -> None:
    evil = "\x1b]0;title\x07\x1b[31m\x9b31m"
    blocks = (
        Text(evil),
        Facts(((evil, evil),)),
        Code(evil, evil),
        Prose(evil),
        Heading("h" + evil),
    )
    text = ESCAPE.sub("", printed(Report("T", (*blocks, Table((evil,), ((evil,),), evil)))))
    assert not [c for c in text if unicodedata.category(c) == "Cc" and c != "\n"]


def test_a_table_that_does_not_fit_comes_in_parts() -> None:
    wide = Table(tuple(f"column{i}" for i in range(9)), (tuple("123456789"),))
    shown = lines(wide, width=50)
    assert [line.split() for line in shown] == [
        line.split() for line in to_text(Report("T", (wide,)), 50).split("\n")[3:]
    ]


@pytest.mark.parametrize("width", [50, 80])
@settings(deadline=None, derandomize=True, max_examples=60)
@given(report=reports(ANY_TEXT | MARKUP, drawn=True), narrower=st.integers(0, 20))
def test_any_report_is_printed_within_the_width(report: Report, width: int, narrower: int) -> None:
    for line in ESCAPE.sub("", printed(report, width - narrower)).split("\n"):
        drawn = [c for c in line if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
        assert len(drawn) <= width - narrower
