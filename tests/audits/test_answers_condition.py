"""Labelled answers to conditions, feasibility, heads and separators: none is misjudged."""

from __future__ import annotations

import pytest

from audits.labelled import Entry, entries, labelled
from regard.checking import check
from regard.errors import InvalidAnswer

KINDS = ("condition", "feasibility", "self_attention", "separator")
ALL = [one for kind in KINDS for one in entries(kind)]
SCORES = {"right": 1.0, "half": 0.5, "undecided": None}


def judge(kind: str, label: str, entry: Entry) -> None:
    problem = labelled(kind).problem(entry["problem"])
    if entry.get("invalid"):
        with pytest.raises(InvalidAnswer, match="answer: "):
            check(problem, entry["answer"])
        return
    found = check(problem, entry["answer"])
    if label == "wrong":
        assert found.decided
        assert found.score is not None
        assert found.score < 1, str(found)
        assert found.counterexample is not None
    else:
        assert found.score == SCORES[label], str(found)


@pytest.mark.parametrize(("kind", "label", "entry"), ALL[::6], ids=str)
def test_a_sample_is_judged_as_it_is_labelled(kind: str, label: str, entry: Entry) -> None:
    judge(kind, label, entry)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "label", "entry"), ALL, ids=str)
def test_every_answer_is_judged_as_it_is_labelled(kind: str, label: str, entry: Entry) -> None:
    judge(kind, label, entry)


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_thirty_five_of_each_kind(kind: str) -> None:
    assert len(entries(kind)) >= 35
