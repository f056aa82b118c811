"""Chapters and sections of a report, and how a page sets them."""

from __future__ import annotations

import pytest

from regard.errors import ParameterError
from regard.report import Facts, Heading, Report, Text, to_html_page, to_text
from regard.report.outline import chapters

ANSWER = Heading("Answer", role="answer", status="solved and proved", tone="good")


def test_blocks_fall_into_chapters_leads_and_sections() -> None:
    blocks = (
        Text("Week 3", "eyebrow"), Text("lead"), Heading("A"), Text("a"), Heading("part", 3),
        Heading("Chapter", 1), Text("b"), Heading("B"), Text("c"),
    )  # fmt: skip
    first, second = chapters(blocks)
    assert (first.heading, first.eyebrow, first.lead) == (None, "Week 3", (Text("lead"),))
    assert [section.heading.text for section in first.sections] == ["A"]
    assert first.sections[0].blocks == (Text("a"), Heading("part", 3))
    assert second.heading == Heading("Chapter", 1)
    assert (second.eyebrow, second.lead) == ("", (Text("b"),))


def test_a_report_without_blocks_has_one_empty_chapter() -> None:
    (only,) = chapters(())
    assert (only.heading, only.lead, only.sections) == (None, (), ())


def test_an_answer_stands_beside_the_question_with_its_status() -> None:
    page = to_html_page(Report("T", (Text("Why?"), ANSWER, Text("Because."))))
    assert page.index("The question") < page.index("Why?") < page.index("Because.")
    assert 'class="regard-card regard-good"' in page
    assert "Solved and proved</p>" in page
    assert "Answer: solved and proved" in to_text(Report("T", (ANSWER,)))


def test_what_went_wrong_stands_beside_the_answer() -> None:
    blocks = (Heading("What went wrong", role="beside"), Text("No."), ANSWER)
    page = to_html_page(Report("T", blocks))
    aside = '<section class="regard-callout regard-aside regard-bad">'
    assert page.index('<section class="regard-card regard-good">') < page.index(aside)
    assert "The question" not in page


def test_an_answer_without_a_question_is_a_card_alone() -> None:
    assert 'class="regard-pair"' not in to_html_page(Report("T", (ANSWER,)))


def test_a_folded_section_is_closed_and_callouts_stand_by_themselves() -> None:
    blocks = (
        Heading("Mistakes", role="callouts"), Text("One."), Text("Two."), Facts((("a", "b"),)),
        Heading("Proof", role="folded"), Text("Checked."),
    )  # fmt: skip
    page = to_html_page(Report("T", blocks))
    assert page.count('<div class="regard-callout">') == 2
    assert '<details class="regard-row">\n<summary><h2>Proof</h2></summary>' in page


def test_roles_and_tones_are_stored_and_read_back() -> None:
    report = Report("T", (Text("x", "eyebrow"), ANSWER))
    assert Report.from_dict(report.to_dict()) == report
    assert report.to_dict()["blocks"][1]["role"] == "answer"
    assert "role" not in Report("T", (Text("x"), Heading("y"))).to_dict()["blocks"][0]


@pytest.mark.parametrize(("field", "value"), [("role", "card"), ("tone", "red")])
def test_what_is_no_role_or_tone_is_refused(field: str, value: str) -> None:
    with pytest.raises(ParameterError, match=f"^Heading: {field} must be one of .* Got '{value}'"):
        Heading("x", **{field: value})  # type: ignore[arg-type]
