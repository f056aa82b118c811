"""Answers with a label that was settled first, by reasoning and NumPy: the judges agree with all.

See `labelled/KIND.toml` for the answers and `test_labels.py` for the labels themselves.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from audits.labelled_files import KINDS, cases
from regard import InvalidAnswer, checking, problems


def _agrees(problem: dict[str, Any], entry: dict[str, Any]) -> None:
    try:
        verdict = checking.check(problems.from_dict(problem), entry["answer"])
    except InvalidAnswer as refusal:
        message = str(refusal)
        assert entry.get("unreadable_ok"), f"refused: {message}"
        assert any(re.search(rf"\b{field}\b", message) for field in _fields(entry)), message
        assert message.rstrip().endswith(".") or "\n" in message, message
        return
    score = verdict.score
    label = entry["label"]
    if label == "undecided-ok":
        assert score is None or (score == 1) == entry["truth"], (score, entry["why"])
        return
    assert score is not None, f"not decided, but {label}: {entry['why']}"
    if label == "right":
        assert score == 1, (score, entry["why"], [goal.sentence for goal in verdict.goals])
    elif label == "half":
        assert 0 < score < 1, (score, entry["why"])
    else:
        assert score < 1, entry["why"]
        assert score <= entry.get("score", 1), (score, entry["why"])


def _fields(entry: dict[str, Any]) -> set[str]:
    """Return the fields that a refusal may name: those given, and those that are missing."""
    missing = {
        "bound",
        "total",
        "w",
        "B",
        "q",
        "q_2",
        "V",
        "c_2",
        "possible",
        "off_block",
        "shapes",
        "v_3",
        "K",
        "side",
    }
    return set(entry["answer"]) | missing


@pytest.mark.parametrize(("problem", "entry"), cases(*KINDS))
def test_the_verdict_is_the_label(problem, entry):
    _agrees(problem, entry)
