"""Verdicts: scores, what they say as text, HTML, LaTeX and JSON."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest

from regard import problems, report
from regard.checking import Counterexample, GoalResult, Misconception, Verdict, check
from regard.checking.verdict import SideBySide
from regard.checking.verdict_report import title_of

PROBLEM = problems.load("average-two-values")


def verdict(*passed: bool) -> Verdict:
    goals = tuple(GoalResult(f"goal {i}", "this", ok, "said") for i, ok in enumerate(passed))
    return Verdict(PROBLEM, goals)


def test_the_score_is_the_share_of_goals_reached() -> None:
    assert verdict(True, True, False, False).score == 0.5
    assert not verdict(True, False).right
    assert verdict(True).right
    weighted = Verdict(
        PROBLEM,
        (GoalResult("a", "this", True, "", weight=3.0), GoalResult("b", "this", False, "")),
    )
    assert weighted.score == 0.75


def test_an_answer_that_was_not_decided_has_no_score() -> None:
    open_goal = GoalResult("a", "this", False, "neither found nor excluded", decided=False)
    found = Verdict(PROBLEM, (open_goal, GoalResult("b", "this", True, "")))
    assert found.score is None
    assert not found.right
    assert not found.decided
    assert found.to_dict()["score"] is None
    assert found.to_dict()["decided"] is False
    assert "The answer is not decided: " in str(found)
    assert verdict(True, False).decided
    with pytest.raises(AssertionError):
        GoalResult("a", "this", True, "", decided=False)


def test_sampled_goals_that_hold_have_a_confidence_bound() -> None:
    # 0.95^(1/60): 1 - 0.05^(1/60) = 4.87 % of instances could fail unseen.
    found = GoalResult("x", "sampled", True, "", trials=60)
    assert found.confidence == "with 95 % confidence at most 4.87% of instances fail"
    assert GoalResult("x", "sampled", False, "", trials=60).confidence is None
    assert GoalResult("x", "this", True, "").confidence is None


def test_json_has_no_numbers_that_are_not_finite() -> None:
    example = Counterexample(
        {"q": [float("nan"), [float("inf"), 1.0]]}, "It overflows.", 3, (("One.", ""),)
    )
    found = Verdict(
        PROBLEM,
        (GoalResult("a", "this", False, "x", float("nan"), float("inf")),),
        example,
        Misconception("not-finite", "No."),
    )
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["score"] == 0
    assert data["goals"][0]["error"] == "nan"
    assert data["goals"][0]["tolerance"] == "inf"
    assert data["counterexample"]["arrays"] == {"q": ["nan", ["inf", 1.0]]}
    assert data["counterexample"]["seed"] == 3
    assert data["counterexample"]["steps"] == ["One."]
    assert data["misconception"] == {
        "tag": "not-finite",
        "sentence": "No.",
        "hint": "",
        "numbers": "",
    }


@pytest.mark.parametrize("q", ["C (k_a + k_b)", "k_a + k_b", "C k_a", "1e308 k_a"])
def test_a_verdict_is_one_report_in_every_form(q: str) -> None:
    found = check(PROBLEM, {"q": q})
    written = found.report()
    jsonschema.validate(written.to_dict(), report.json_schema())
    text, page, tex = str(found), report.to_html_page(written), report.to_latex(written)
    for form in (text, page, tex):
        assert "Average two values" in form
    if not found.right:
        assert found.misconception is not None
        title = title_of(found.misconception.tag)
        assert title in text
        assert title in page
        assert "The smallest counterexample" in text
        assert "1. The query q is" in text
    assert found._repr_html_().startswith("<")
    said = next(line for line in text.splitlines() if line.startswith("    q = "))
    assert "k_a" in said
    assert found.answer["q"].split()[-1].strip("()") in said


@pytest.mark.parametrize(
    ("q", "first"),
    [
        ("C (k_a + k_b)", "The answer is right."),
        ("k_a + k_b", "Not right yet: 0 of 3 goals."),
    ],
)
def test_the_first_line_is_the_verdict_and_what_went_wrong_comes_before_the_goals(
    q: str, first: str
) -> None:
    lines = str(check(PROBLEM, {"q": q})).splitlines()
    assert lines[0] == first
    if "What went wrong" in lines:
        assert lines.index("What went wrong") < next(
            i for i, line in enumerate(lines) if line.startswith("goal ")
        )


@pytest.mark.parametrize(
    ("problem", "answer", "headline"),
    [
        ("worked-scores", {"z_3": [1, 2, 3]}, "Not right yet: in z_3 entry 1 is 1 and must be 2."),
        ("average-two-values", {"q": "C (k_a + k_b)"}, "The answer is right."),
    ],
)
def test_a_page_begins_with_what_is_wrong_and_not_with_a_count_of_one(
    problem: str, answer: dict[str, Any], headline: str
) -> None:
    page = report.to_html_page(check(problem, answer).report())
    (first,) = re.findall(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    text = re.sub(r"<msub><mi>(\w)</mi><mn>(\d)</mn></msub>", r"\1_\2", first)
    assert " ".join(re.sub(r"<[^>]+>", "", text).split()) == headline


def test_long_arrays_are_cut_in_text_and_whole_in_json() -> None:
    found = check("average-two-of-many", {"q": "C (v_a + v_b)"})
    example = Counterexample({"keys": [[0.0] * 40] * 40}, "x")
    shown = Verdict(found.problem, found.goals, example)
    assert "… (40 in all)" in str(shown)
    assert len(shown.to_dict()["counterexample"]["arrays"]["keys"]) == 40


@pytest.mark.parametrize("size", [1e101, -1e275, float("inf"), float("nan")])
def test_a_counterexample_with_numbers_too_large_to_draw_is_written(size: float) -> None:
    table = SideBySide(("along u_a",), (size,), (0.0,), "c_1")
    example = Counterexample(
        {"c_1": [size], "wanted": [0.0]}, "It is too large.", main=("c_1", "wanted"), table=table
    )
    goals = (GoalResult("a", "this", False, "x", 1.0, 0.1),)
    text = report.to_text(Verdict(PROBLEM, goals, example).report())
    assert "It is too large." in text
    assert "wanted" in text
