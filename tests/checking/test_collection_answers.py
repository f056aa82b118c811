"""The answers to a collection, in one file or dict."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard.checking import check_collection
from regard.errors import InvalidAnswer, InvalidProblem

ANSWERS = """
collection = "cs114b-hw4"

[a]
condition = "s_j > s_i"

["(b)"]
q = "C (k_a + k_b)"

[average-under-small-noise]
q = "C (k_z + mu_a)"
"""


def test_each_part_is_judged_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "answers.toml"
    path.write_text(ANSWERS)
    graded = check_collection("cs114b-hw4", path)
    found = {part.label: (part.percent, part.found) for part in graded.parts}
    assert found["(a)"] == ("0%", "largest-score-only")
    assert found["(b)"] == ("100%", "right")
    assert found["(c-i)"] == ("–", "cannot be read")
    assert {found[label] for label in ("(c-ii)", "(d-i)", "(d-ii)", "(e-i)", "(e-ii)")} == {
        ("–", "not handed in")
    }
    assert graded.score == 1 / 8  # one part of eight; what is missing counts as nothing
    assert (graded.right, graded.readable) == (False, False)
    assert graded.count == "1 of 8 answers are right, 2 are not; 5 not handed in."
    assert "k_z is not a name" in str(graded)


def test_the_name_of_the_file_of_a_document_serves() -> None:
    graded = check_collection("000_864f93c60dd98ecb", {"c": {"mean": "0"}})
    assert graded.name == "ece537-ps9"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"z": {"q": "k_a"}}, r"answers: 'z' is no part of cs114b-hw4\..* Its parts are \(a\), "),
        ({"average-two-value": {}}, r"Did you mean average-two-values\?"),
        ({"b": {"q": "k_a"}, "(b)": {"q": "k_a"}}, r"answers: part \(b\) is answered twice\."),
        ({"collection": "homework-2"}, "check: the answers are to 'homework-2', and the collec"),
    ],
)
def test_what_cannot_be_meant_is_refused(answers: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidAnswer, match=message):
        check_collection("cs114b-hw4", answers)


def test_a_collection_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidProblem, match="there is no collection of this name"):
        check_collection("hw-99", {})


def test_a_part_that_is_no_table_cannot_be_read() -> None:
    part = check_collection("cs114b-hw4", {"b": 3}).parts[1]
    assert (part.found, part.sentence) == (
        "cannot be read",
        "must be a table of fields. Got int.",
    )
