"""Answers with a label that was settled first, by reasoning and NumPy: the judges agree with all.

See `labelled/KIND.toml` for the answers and `test_labels.py` for the labels themselves.
"""

from __future__ import annotations

from typing import Any

import pytest

from audits.labelled_files import KINDS, entries
from regard import InvalidAnswer, checking, problems

# The quick part of every kind is in the ordinary suite; `make test-slow` has all of them.
EVERY = 8


def _cases(slow: bool) -> list[Any]:
    found = []
    for kind in KINDS:
        for number, (name, problem, entry) in enumerate(entries(kind)):
            if (number % EVERY != 0) == slow:
                found.append(pytest.param(problem, entry, id=f"{kind}-{name}"))
    return found


def _agrees(problem: dict[str, Any], entry: dict[str, Any]) -> None:
    try:
        verdict = checking.check(problems.from_dict(problem), entry["answer"])
    except InvalidAnswer as refusal:
        message = str(refusal)
        assert entry.get("unreadable_ok"), f"refused: {message}"
        assert any(field in message for field in _fields(entry)), message
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


def _fields(entry: dict[str, Any]) -> set[str]:
    """Return the fields that a refusal may name: those given, and those that are missing."""
    missing = {"q_2", "V", "c_2", "possible", "off_block", "shapes", "v_3", "K", "side"}
    return set(entry["answer"]) | missing


@pytest.mark.parametrize(("problem", "entry"), _cases(slow=False))
def test_the_verdict_is_the_label(problem, entry):
    _agrees(problem, entry)


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "entry"), _cases(slow=True))
def test_the_verdict_is_the_label_on_all_others(problem, entry):
    _agrees(problem, entry)
