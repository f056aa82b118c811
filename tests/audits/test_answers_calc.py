"""Labelled answers about numbers, moments and positions: no right one fails, no wrong one passes."""

from __future__ import annotations

import json

import pytest

from audits.labelled import Labelled, labelled, problem
from regard.checking import check

KINDS = ("compute", "moments", "offset", "band")
EVERY = {"compute": 1, "moments": 2, "offset": 3, "band": 2}  # in `make test`; the rest is slow
ANSWERS = [
    pytest.param(answer, marks=[pytest.mark.slow] if at % EVERY[kind] else [], id=str(answer))
    for kind in KINDS
    for at, answer in enumerate(labelled(kind))
]


@pytest.mark.parametrize("one", ANSWERS)
def test_the_verdict_is_the_label(one: Labelled) -> None:
    found = check(problem(one.kind, one.problem), one.answer)
    assert found.decided
    assert (found.score == 1) == one.right, str(found)
    assert (found.counterexample is None) == one.right
    assert found.misconception is None or not one.right


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_35_answers_of_each_label_and_no_two_are_alike(kind: str) -> None:
    answers = labelled(kind)
    assert min(sum(one.right for one in answers), sum(not one.right for one in answers)) >= 35
    assert len({json.dumps([one.problem, one.answer]) for one in answers}) == len(answers)
