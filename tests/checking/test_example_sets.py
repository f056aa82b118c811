"""The answers of a whole document, graded part by part."""

from __future__ import annotations

import json

import jsonschema
import pytest

from regard import report
from regard.checking import TAGS, Grading, example_names, grade_example
from regard.checking.verdict_report import title_of
from regard.errors import InvalidProblem

# What is wrong with the answers of homework-2, part by part, by hand; "" is right.
EXPECTED = {
    "(a-i)": "",
    "(a-ii)": "ratio-instead-of-difference",
    "(a-iii)": "",
    "(a-iv)": "alignment-without-norms",
    "(b-i)": "coordinates-instead-of-projection",
    "(b-ii)": "",
    "(c-i)": "no-upper-limit-on-scale",
    "(c-ii) γ": "variance-read-as-standard-deviation",
    "(c-ii)": "",
    "(d-i)": "no-large-scale",
    "(d-ii)": "",
    "(d-ii) reason": "independent-because-queries-differ",
}


@pytest.fixture(scope="module")
def graded() -> Grading:
    return grade_example("homework-2")


def test_the_mistakes_of_homework_2_are_found_and_named(graded: Grading) -> None:
    assert {part.label: part.tag for part in graded.parts} == EXPECTED
    assert set(EXPECTED.values()) - {""} <= set(TAGS)
    for part in graded.parts:
        assert part.verdict.right == (EXPECTED[part.label] == "")
        assert part.sentence.endswith(".")


def test_the_score_is_the_mean_of_the_parts(graded: Grading) -> None:
    scores = [part.verdict.score for part in graded.parts]
    assert graded.score == pytest.approx(sum(scores) / len(scores))
    assert not graded.right
    assert [part.label for part in graded.mistakes] == [
        name for name, tag in EXPECTED.items() if tag
    ]


def test_it_is_one_report_and_plain_data(graded: Grading) -> None:
    jsonschema.validate(graded.report().to_dict(), report.json_schema())
    data = json.loads(json.dumps(graded.to_dict(), allow_nan=False))
    assert [part["part"] for part in data["parts"]] == list(EXPECTED)
    text = str(graded)
    for tag in EXPECTED.values():
        assert title_of(tag) in text


def test_only_what_is_bundled_can_be_graded_by_name() -> None:
    assert example_names() == ("homework-2",)
    with pytest.raises(InvalidProblem) as caught:
        grade_example("004")
    assert str(caught.value) == ("004: there are no answers of this name, only homework-2.")
