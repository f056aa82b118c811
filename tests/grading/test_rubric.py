"""Rubrics: what they list is what the judge says."""

from __future__ import annotations

import json
import tomllib
from importlib import resources
from typing import Any

import pytest

from cli.running import run
from regard import problems
from regard.checking import check
from regard.grading import rubric
from regard.grading.shown_mistakes import shown_mistakes
from regard.problems.answer_fields import goal_names
from regard.solving import solve

ORDINARY = ("average-two-values", "worked-weighted-sum", "kv-cache-bytes")


@pytest.mark.parametrize("name", ORDINARY)
def test_goals_are_those_of_the_judge_and_the_tags_come_once(name: str) -> None:
    problem = problems.load(name)
    found = rubric(problem)
    assert check(problem, dict(found.answer)).right
    assert [goal.name for goal in found.goals] == [*goal_names(problem)]
    assert sum(goal.share for goal in found.goals) == pytest.approx(1)
    assert found.mistakes
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


def entries() -> list[tuple[str, dict[str, Any]]]:
    folder = resources.files("regard.grading") / "shown"
    return [
        (path.name.removesuffix(".toml"), entry)
        for path in sorted(folder.iterdir(), key=lambda path: path.name)
        for entry in tomllib.loads(path.read_text("utf-8"))["shown"]
    ]


FEW = 60  # every so-manieth in the ordinary run


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_answers_that_are_kept_as_examples_are_called_by_their_tags(every: bool) -> None:
    kept = entries()
    assert len({(entry["problem"], entry["tag"]) for _, entry in kept}) == len(kept)
    right: dict[str, Any] = {}
    for kind, entry in kept if every else kept[::FEW]:
        problem = problems.load(entry["problem"])
        assert problem.kind == kind
        if problem.id not in right:
            right[problem.id] = solve(problem).answer if kind == "code" else {}
        found = dict(shown_mistakes(problem, right[problem.id]))[entry["tag"]]
        verdict = check(problem, found)
        assert verdict.misconception is not None, entry
        assert verdict.misconception.tag == entry["tag"], entry


@pytest.mark.slow
@pytest.mark.parametrize("name", problems.names())
def test_every_mistake_of_a_rubric_has_an_answer_that_the_judge_calls_by_it(name: str) -> None:
    problem = problems.load(name)
    found = rubric(problem)
    assert check(problem, dict(found.answer)).right
    for mistake in found.mistakes:
        verdict = check(problem, dict(mistake.answer))
        assert verdict.misconception is not None
        assert (verdict.misconception.tag, verdict.score) == (mistake.tag, mistake.score)
    tags = [mistake.tag for mistake in found.mistakes] + [tag for tag, _ in found.others]
    assert len(tags) == len(set(tags))


@pytest.mark.slow
def test_a_program_is_shown_with_the_function_that_is_wrong() -> None:
    shown = str(rubric("rotary-as-a-program"))
    words = " ".join(shown.split())
    assert "rotary-turned-back: The pairs are turned the other way" in words
    assert "With this it gets 0%:" in words
    assert "No answer tried here shows them." in words


def test_a_problem_of_ones_own_is_tried_with_the_answers_to_others() -> None:
    data = problems.to_dict(problems.load("select-the-first-value"))
    found = rubric(problems.from_dict({**data, "id": "of-my-own"}))
    assert {"wrong-sign", "all-keys-alike"} <= {one.tag for one in found.mistakes}


@pytest.mark.slow
def test_a_program_of_ones_own_is_tried_with_functions_of_the_same_name() -> None:
    data = problems.to_dict(problems.load("rotary-as-a-program"))
    found = rubric(problems.from_dict({**data, "id": "of-my-own"}))
    assert {"rotary-turned-back", "rotary-pairs-of-halves"} <= {one.tag for one in found.mistakes}
