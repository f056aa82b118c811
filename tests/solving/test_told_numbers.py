"""What every solution is told with: few digits, a name for each step, a title for each belief."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from regard import problems, report, solving
from regard.report import Facts, Heading, Table, Text
from regard.report.decimals import in_table
from regard.report.inline import shown
from solving.reading import solved

NAMES = problems.names()
MOST = 4  # digits
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]\d)")


def digits(decimal: str) -> int:
    return len(decimal.replace(".", "").lstrip("0"))


def would_be_a_round_number(decimal: str) -> bool:
    """Whether in few digits it would read as a round number, which it is not: 0.49996."""
    value = float(decimal)
    least = 10.0 ** (len(decimal.partition(".")[0].lstrip("0")) - MOST)
    return abs(value - round(value, 0 if value >= 1 else 2)) <= 0.6 * least


def said(solution: solving.Solution) -> Iterator[str]:
    """Every string that tells the solution; not the answer, which has the digits asked for."""
    told = solution.explanation
    yield from (text for step in told.steps for text in step)
    yield from told.beliefs
    if getattr(solution.finding, "printed", ()):
        return  # numbers that are printed are compared digit by digit
    for block in told.details:
        if isinstance(block, Text):
            yield block.text
        elif isinstance(block, Facts):
            yield from (in_table(value) for _, value in block.pairs)
        elif isinstance(block, Table):
            yield from (in_table(shown(cell)) for row in block.rows for cell in row)


@pytest.mark.parametrize("name", NAMES)
def test_no_number_on_the_way_has_more_digits_than_a_reader_needs(name: str) -> None:
    decimals = [x for text in said(solved(name)) for x in _DECIMAL.findall(text)]
    long = [x for x in decimals if digits(x) > MOST and not would_be_a_round_number(x)]
    assert long == []


@pytest.mark.parametrize("name", NAMES)
def test_every_step_begins_with_what_it_is_about(name: str) -> None:
    solution = solved(name)
    assert all(solution.step_names)
    assert max(map(len, solution.step_names)) <= 60
    assert not any("**" in sentence for sentence, _ in solution.steps)


@pytest.mark.parametrize("name", NAMES)
def test_everything_often_got_wrong_has_a_title(name: str) -> None:
    blocks = solved(name).report().blocks
    if not solved(name).mistakes:
        assert not any(isinstance(x, Heading) and x.role == "callouts" for x in blocks)
        return
    begin = blocks.index(Heading("Often got wrong", role="callouts"))
    rest = blocks[begin + 1 :]
    end = next(i for i, x in enumerate(rest) if isinstance(x, Heading) and x.level == 2)
    callouts = rest[:end]
    titles = [x for x in callouts if isinstance(x, Heading)]
    texts = [x for x in callouts if isinstance(x, Text)]
    assert isinstance(callouts[0], Heading)
    assert len(titles) == len(texts) == len(solved(name).mistakes)


def test_names_of_steps_stand_before_their_sentences_wherever_a_report_is_shown() -> None:
    steps = report.Steps((("They sum to 1.", r"\sum_i a_i = 1"),), ("Weights",))
    page = report.Report("One step", (steps,))
    assert "1. Weights. They sum to 1." in report.to_text(page)
    assert "<b>Weights.</b> They sum to 1." in report.to_html_page(page)
    assert r"\textbf{Weights.} They sum to 1." in report.to_latex(page)
    assert report.Report.from_dict(page.to_dict()) == page
