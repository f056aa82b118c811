"""Collections: every bundled problem is in one, and people can find their homework."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from regard import problems
from regard.errors import InvalidProblem
from regard.problems.problem_sets import place

DOCUMENTS = {
    "ece537-ps9": "000_864f93c60dd98ecb",
    "cs114b-hw4": "001_725e95d9063a7e6c",
    "discussion-10": "002_3bdb44851b502ebf",
    "homework-2": "003_68df008254cf0bc6",
    "attention-exam": "004_7161af3af673ab01",
}


def test_every_bundled_problem_is_in_a_collection_and_every_part_exists() -> None:
    found = [p.id for name in problems.collections() for p in problems.collection(name).problems]
    assert set(found) == set(problems.names())


@pytest.mark.parametrize("name", problems.collections())
def test_a_collection_names_each_part_and_each_problem_once(name: str) -> None:
    found = problems.collection(name)
    labels = [part.label for part in found.parts]
    assert len(set(labels)) == len(labels) > 0
    assert len({part.problem for part in found.parts}) == len(labels)
    assert found.about.endswith(".")


@pytest.mark.parametrize(("name", "source"), DOCUMENTS.items())
def test_a_document_is_found_by_its_title_and_by_the_name_of_its_file(
    name: str, source: str
) -> None:
    assert problems.collection(source) is problems.collection(name)
    for part, problem in zip(
        problems.collection(name).parts, problems.collection(name).problems, strict=True
    ):
        # The problem knows its part by the file; the collection may say more about it.
        document, _, label = (problem.source or "").partition(" ")
        assert document == source
        assert part.label.startswith(label.split(",")[0])


def test_no_name_of_a_file_is_shown_to_a_person() -> None:
    for name in problems.names():
        shown = place(problems.load(name))
        assert shown
        assert not re.search(r"[0-9a-f]{16}", shown)


@pytest.mark.parametrize("label", ["(c-ii)", "c-ii", "C-II", "one-head-under-noise"])
def test_a_part_is_found_by_its_label_in_any_spelling(label: str) -> None:
    part = problems.collection("cs114b-hw4").part(label)
    assert part is not None
    assert part.problem == "one-head-under-noise"


def test_there_is_no_part_of_a_strange_label() -> None:
    assert problems.collection("cs114b-hw4").part("z") is None


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one() -> None:
    with pytest.raises(InvalidProblem, match=r"^cs114-hw4: .* Did you mean cs114b-hw4\?$"):
        problems.collection("cs114-hw4")


def test_a_problem_loads_as_itself() -> None:
    problem = problems.load("average-two-values")
    assert problems.load(problem) is problem


@pytest.mark.parametrize("name", problems.collections())
def test_every_collection_has_a_page_in_the_docs(name: str) -> None:
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "collections" / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"# {problems.collection(name).title}\n")
    assert f"collections/{name}\n" in (docs / "index.md").read_text("utf-8")
