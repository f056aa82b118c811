"""Collections: every bundled problem is in one, and people can find their homework."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import regard
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


@pytest.mark.parametrize("name", problems.collections())
def test_the_parts_of_a_collection_are_sorted_into_themes(name: str) -> None:
    found = problems.collection(name)
    assert tuple(part for theme in found.themes for part in theme.parts) == found.parts
    titles = [theme.title for theme in found.themes]
    assert 1 < len(set(titles)) == len(titles)
    for theme in found.themes:
        assert theme.about.endswith(".")
        assert len(theme.about) <= 60  # a line or two beside the parts


def test_noise_of_variance_1_over_c_squared_is_not_small_however_large_c_is() -> None:
    """What `looser` says of (c): weights of k_a and k_b vary as much for every large C."""
    spread = []
    for C in (10.0, 100.0, 1000.0):
        means, covariances = np.eye(3), np.stack([np.eye(3) / C**2] * 3)
        query = C * (means[0] + means[1])
        law = regard.analysis.key_noise(query[None], means, covariances, means)
        spread.append(law.covariance[0, 0])
    # The scores of a and b then differ by a normal number of variance 4, whatever C is.
    points, shares = np.polynomial.hermite_e.hermegauss(80)
    weight = 1 / (1 + np.exp(2 * points))
    wanted = shares @ (weight - 0.5) ** 2 / shares.sum()
    np.testing.assert_allclose(spread[1:], wanted, rtol=1e-6)
    assert wanted > 0.08  # a third of what weights of 0 and 1 by turns have
    small = regard.analysis.key_noise(query[None], means, covariances / 1e4, means)
    assert small.covariance[0, 0] < 1e-3 * wanted


def test_two_values_are_averaged_exactly_when_there_are_no_other_keys() -> None:
    """What `looser` says of (b)."""
    keys = np.eye(2)
    for C in (0.0, 1.0, 20.0):
        query = C * (keys[:1] + keys[1:])
        np.testing.assert_array_equal(regard.attention(query, keys, keys, scale=1), [[0.5, 0.5]])


def test_only_a_document_is_said_to_be_loose_and_each_sentence_is_tested_above() -> None:
    loose = {name: [words for words, _ in problems.collection(name).looser] for name in DOCUMENTS}
    assert {name for name in problems.collections() if problems.collection(name).looser} <= set(
        loose
    )
    assert [words for found in loose.values() for words in found] == [
        "“Vanishingly small” in (c)",
        "“Nearly the average” in (b)",
    ]
