"""Rubrics: what they list is what the judge says."""

from __future__ import annotations

import json

import pytest

from cli.running import run
from regard import problems
from regard.checking import check
from regard.grading import rubric
from regard.problems.answer_fields import goal_names

# One of each kind that can be checked.
FIRST = {}
for _name in problems.names():
    FIRST.setdefault(problems.load(_name).kind, _name)
FIRST.pop("code", None)
ORDINARY = ("query", "compute", "count")


@pytest.mark.parametrize(
    "kind", [k if k in ORDINARY else pytest.param(k, marks=pytest.mark.slow) for k in sorted(FIRST)]
)
def test_every_example_gets_the_tag_and_the_score_that_are_printed(kind: str) -> None:
    problem = problems.load(FIRST[kind])
    found = rubric(problem)
    assert check(problem, dict(found.answer)).right
    assert [goal.name for goal in found.goals] == [*goal_names(problem)]
    assert sum(goal.share for goal in found.goals) == pytest.approx(1)
    assert found.mistakes
    for mistake in found.mistakes:
        verdict = check(problem, dict(mistake.answer))
        assert verdict.misconception is not None
        assert verdict.misconception.tag == mistake.tag
        assert verdict.score == mistake.score
    tags = [mistake.tag for mistake in found.mistakes] + [tag for tag, _ in found.others]
    assert len(tags) == len(set(tags))


def test_points_of_the_file_are_printed() -> None:
    data = problems.to_dict(problems.load("worked-weighted-sum"))
    found = rubric(problems.from_dict({**data, "points": {"a_3": 3, "c_3": 1}}))
    assert [(goal.points, goal.share) for goal in found.goals] == [(3, 0.75), (1, 0.25)]
    assert "4 points in all." in str(found)


def test_the_command_prints_a_rubric() -> None:
    shown = run("rubric", "average-two-values")
    assert shown.returncode == 0
    words = " ".join(shown.stdout.split())
    assert "no-large-scale: The direction is right" in words
    assert 'For example q = "k_a + k_b", which gets 0%.' in words
    assert "What is wrong for the numbers of the problem itself gets nothing for others." in words
    data = json.loads(run("rubric", "average-two-values", "--json").stdout)
    assert data["goals"][0]["goal"] == "answer"
    assert run("rubric", "nothing-of-this-name").returncode == 2
