"""Points per goal in a problem file: what they make of the score, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checking.answer_files import read_answers
from regard import problems
from regard.checking import Verdict, check
from regard.checking.verdict import GoalResult
from regard.errors import InvalidProblem
from regard.problems.answer_fields import goal_names

KINDS = sorted(path.stem for path in (Path(__file__).parents[1] / "answers").glob("*.toml"))


def with_points(name: str, points: dict[str, Any]) -> problems.Problem:
    return problems.from_dict({**problems.to_dict(problems.load(name)), "points": points})


def test_a_goal_earns_the_points_that_the_file_gives_it() -> None:
    problem = with_points("who-sees-whom", {"a": 5, "b": 1, "c": 0, "d": 2, "e": 1, "f": 1})
    right = {name: bool(said) for name, said in read_answers("choice").right[0]["answer"].items()}
    verdict = check(problem, {**right, "a": not right["a"], "c": not right["c"]})
    assert verdict.score == 5 / 10  # a costs 5 of 10, c nothing
    assert [(one.goal, one.earned, one.of) for one in verdict.points][:3] == [
        ("a", 0, 5),
        ("b", 1, 1),
        ("c", 0, 0),
    ]
    assert check("who-sees-whom", {**right, "a": not right["a"]}).score == 5 / 6
    assert "Points" in str(verdict)
    assert "earned" in str(verdict)


def test_within_a_goal_what_holds_on_some_instances_earns_its_share() -> None:
    problem = with_points("stack-into-matrices", {"Q": 4, "K": 2, "V": 2, "shapes": 3})
    goals = (
        GoalResult("Q for all", "all", True, "", part="Q"),
        GoalResult("K for all", "all", False, "", part="K"),
        GoalResult("V for all", "all", True, "", part="V"),
        GoalResult("the sizes of Q", "this", True, "", weight=0.5, part="shapes"),
        GoalResult("the sizes of K", "this", True, "", weight=0.5, part="shapes"),
        GoalResult("the sizes of V", "this", False, "", weight=0.5, part="shapes"),
    )
    assert Verdict(problem, goals).score == pytest.approx((4 + 2 + 3 * 2 / 3) / 11, abs=1e-15)


def test_what_is_said_of_the_whole_answer_counts_for_every_goal() -> None:
    problem = with_points("stack-into-matrices", {"Q": 4, "K": 2, "V": 2, "shapes": 3})
    assert Verdict(problem, (GoalResult("it fits", "this", False, ""),)).score == 0
    assert Verdict(problem, (GoalResult("it fits", "this", True, ""),)).score == 1


def test_a_goal_that_the_judge_says_nothing_about_earns_nothing() -> None:
    problem = with_points("stack-into-matrices", {"Q": 1, "K": 1, "V": 1, "shapes": 1})
    goals = tuple(GoalResult(n, "all", n != "K", "", part=n) for n in ("Q", "K", "V"))
    assert Verdict(problem, goals).score == 0.5


def test_an_answer_that_is_not_decided_has_no_points() -> None:
    problem = with_points("average-two-values", {"answer": 4})
    verdict = Verdict(problem, (GoalResult("it is", "this", False, "", decided=False),))
    assert verdict.score is None
    assert verdict.points == ()


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ({"q": 1}, "points: 'q' is no goal of this problem: answer"),
        ({"answer": 0}, "points: one goal at least must be worth more than 0"),
        ({"answer": -1}, "points.answer: must be at least 0, not -1"),
        ({"answer": "many"}, "points.answer: must be a number, not text"),
        ({}, "points: must not be empty"),
    ],
)
def test_points_that_cannot_be_meant_are_refused(points: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidProblem) as refused:
        with_points("average-two-values", points)
    assert sentence in str(refused.value)


def test_every_goal_has_to_be_named() -> None:
    with pytest.raises(InvalidProblem, match="points: c_3 is missing: say what each of a_3, c_3"):
        with_points("worked-weighted-sum", {"a_3": 1})


def test_points_are_written_and_read_back() -> None:
    problem = with_points("worked-weighted-sum", {"a_3": 1.5, "c_3": 2})
    assert problems.loads(problems.to_toml(problem)).points == {"a_3": 1.5, "c_3": 2}


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_goal_of_a_verdict_is_one_that_its_problem_tells(kind: str, every: bool) -> None:
    answers = read_answers(kind)
    entries = [*answers.right, *answers.wrong]
    for entry in entries if every else (entries[0], entries[-1]):
        verdict = answers.judged(entry)
        names = goal_names(verdict.problem)
        assert {goal.part for goal in verdict.goals} <= {"", *names}
        even = problems.to_dict(verdict.problem) | {"points": dict.fromkeys(names, 1)}
        scored = Verdict(problems.from_dict(even), verdict.goals).score
        if verdict.right:
            assert scored == 1
        if verdict.score == 0:
            assert scored == 0


def test_bundled_problems_tell_their_goals() -> None:
    for name in problems.names():
        problem = problems.load(name)
        with_points(name, dict.fromkeys(goal_names(problem), 1))
