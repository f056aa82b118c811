"""Every part of every source document has a problem."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from regard import problems

PARTS = {
    "000_864f93c60dd98ecb": ["(a)", "(b)", "(c)"],
    "001_725e95d9063a7e6c": ["(a)", "(b)", "(c-i)", "(c-ii)", "(d-i)", "(d-ii)", "(e-i)", "(e-ii)"],
    "002_3bdb44851b502ebf": [*(f"1({x})" for x in "abcdef"), *(f"2({x})" for x in "abc")],
    "003_68df008254cf0bc6": [
        "(a-i)", "(a-ii)", "(a-iii)", "(a-iv)", "(b-i)", "(b-ii)", "(c-i)", "(c-ii)", "(d-i)", "(d-ii)",
    ],
    "004_7161af3af673ab01": [*(f"1({x})" for x in "abcdef"), "2"],
}  # fmt: skip
SOURCES = [problems.load(name).source or "" for name in problems.names()]


@pytest.mark.parametrize(
    "part", [f"{doc} {part}" for doc, parts in PARTS.items() for part in parts]
)
def test_every_part_has_a_problem(part: str) -> None:
    assert any(source == part or source.startswith(part + ",") for source in SOURCES), part


def test_the_readme_says_how_many_bundled_problems_there_are() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    said = re.findall(r"(\d+) (?:bundled )?problems", text)
    assert said
    assert set(said) == {str(len(problems.names()))}


def test_every_problem_of_a_document_names_a_part_that_exists() -> None:
    known = {f"{doc} {part}" for doc, parts in PARTS.items() for part in parts}
    from_documents = {s.split(",")[0] for s in SOURCES if s.split(" ")[0] in PARTS}
    assert from_documents == known


def test_every_kind_has_a_bundled_example() -> None:
    assert {problems.load(name).kind for name in problems.names()} == set(problems.KINDS)


@pytest.mark.parametrize("name", problems.names())
def test_statements_are_more_than_a_line_and_end_as_sentences(name: str) -> None:
    statement = problems.load(name).statement.strip()
    assert len(re.findall(r"\w+", statement)) >= 12
    assert statement[-1] in ".?)"
