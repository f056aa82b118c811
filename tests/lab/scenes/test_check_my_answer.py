"""Check my answer: what is typed is typeset, and the verdict is the one of the Python API."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_scene, run

NAME = "check-my-answer"
WRONG = {"q": r"\frac{C}{2} k_a"}


def arrays_on(screen: Screen) -> dict[str, Any]:
    found = screen.page.locator(".regard-array").evaluate_all(
        "(all) => all.map((one) => [one.dataset.name, one.dataset.value])"
    )
    return {name: json.loads(value) for name, value in found}


def test_an_answer_is_typeset_while_it_is_typed_and_checked_on_enter(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    assert screen.headline == "Average two values: what is your answer?"
    box = screen.page.get_by_label("q · a query", exact=False)
    box.fill("")
    for letter in r"\frac{C}{2}(k_a + k_b)":
        box.press(letter)
    screen.settle()
    preview = screen.page.locator(".regard-set").first
    assert preview.locator("mfrac").count() == 1
    assert "a vector of" in preview.inner_text()
    assert screen.headline == "Average two values: what is your answer?"
    box.press("Enter")
    screen.settle()
    assert screen.headline == "The answer is right."
    verdict = regard.check(regard.problems.load("average-two-values"), screen.state["checked"])
    shown = screen.page.locator(".regard-goals small").all_inner_texts()
    assert shown == [goal.sentence for goal in verdict.goals]
    box.press("+")
    screen.settle()
    assert screen.headline == "Average two values: what is your answer?"  # no longer that answer
    assert box.get_attribute("aria-invalid") == "true"
    screen.end()


def test_a_wrong_answer_gets_the_counterexample_of_python_and_it_is_played(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME, answer=WRONG)
    screen.press("Check")
    assert screen.headline == "Not right yet: 0 of 4 goals are reached."
    verdict = regard.check(regard.problems.load("average-two-values"), WRONG)
    assert verdict.counterexample is not None
    arrays = arrays_on(screen)
    assert list(arrays) == list(verdict.counterexample.arrays)
    for name, value in verdict.counterexample.arrays.items():
        np.testing.assert_allclose(arrays[name], value, atol=1e-9)
    screen.page.get_by_role("link", name="Play it in Where to look").click()
    screen.page.wait_for_url("**/scene/where-to-look?**")
    screen.settle()
    assert screen.state["keys"] == verdict.counterexample.arrays["keys"]
    assert screen.state["target"] == verdict.counterexample.arrays["wanted"]
    screen.end()


@pytest.mark.parametrize(
    ("problem", "answer", "title", "headline"),
    [
        (
            "average-two-values",
            {"q": "C (2 k_a + k_b)"},
            "Where to look",
            "This query gets a weight wrong by 50\u202f%.",
        ),
        (
            "take-a-value-out-of-an-average",
            {"M": "S (S' S)^-1 S'"},
            "Split two subspaces",
            "This matrix misses vs by 0.5.",
        ),
        (
            "look-back-exactly",
            {
                "block": "[[cos(w_i T), sin(w_i T)], [-sin(w_i T), cos(w_i T)]]",
                "off_block": "[[0, 0], [0, 0]]",
            },
            "Positions",
            "At least 99\u202f% of the attention is 1 step ahead.",
        ),
        (
            "average-two-values",
            {"q": "k_a + k_b"},
            "Step by step",
            "Token 1 gives 15.5\u202f% of its attention to token 3.",
        ),
    ],
)
def test_a_case_is_played_in_its_scene_which_leads_back_to_the_answer(
    browser: Any, lab: Lab, problem: str, answer: dict[str, str], title: str, headline: str
) -> None:
    screen = open_scene(browser, lab, NAME, problem=problem, answer=answer, checked=answer)
    played = screen.page.get_by_role("link", name=f"Play it in {title}")
    played.click()
    screen.page.wait_for_selector(".regard-played")
    screen.settle()
    assert screen.headline == headline
    assert (
        "the case in which your answer fails" in screen.page.locator(".regard-played").inner_text()
    )
    assert not screen.page.get_by_text("before you moved on").is_visible()
    assert screen.axe() == []
    screen.page.get_by_role("link", name="Back to the answer").click()
    screen.page.wait_for_selector(".regard-task")
    screen.settle()
    state = {part: screen.state[part] for part in ("problem", "answer", "checked")}
    assert state == {"problem": problem, "answer": answer, "checked": answer}
    assert played.is_visible()
    screen.end()


@pytest.mark.parametrize("played", ["1", "null", "[]", "{", '{"problem": {"toString": 1}}'])
def test_a_way_back_that_leads_nowhere_does_no_harm(browser: Any, lab: Lab, played: str) -> None:
    screen = open_scene(browser, lab, "where-to-look")
    screen.page.goto(f"{lab.base}/scene/where-to-look?played={quote(played)}")
    screen.settle()
    assert screen.headline.startswith("99.9")
    for link in screen.page.locator(".regard-played a").all():
        assert (link.get_attribute("href") or "").startswith("/scene/check-my-answer?")
    screen.end()


def test_another_problem_begins_with_empty_fields_and_undo_leads_back(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME, answer=WRONG, checked=WRONG)
    screen.page.get_by_label("Problem", exact=True).select_option("take-a-value-out-of-a-sum")
    screen.settle()
    assert (screen.state["answer"], screen.state["checked"]) == ({}, None)
    assert screen.page.locator(".regard-statement h3").inner_text() == "Take a value out of a sum"
    screen.press("Check")
    assert screen.headline == "That is no answer yet: see what is missing."
    assert "M is missing" in screen.page.locator(".regard-unread").inner_text()
    screen.press("Undo")
    screen.press("Undo")
    assert screen.state["problem"] == "average-two-values"
    assert screen.page.get_by_label("q · a query", exact=False).input_value() == WRONG["q"]
    screen.end()


def test_a_file_is_opened_and_what_is_in_it_does_no_harm(
    browser: Any, lab: Lab, tmp_path: Any
) -> None:
    screen = open_scene(browser, lab, NAME)
    text = screen.copied("Copy as problem file")
    assert regard.problems.loads(text) == regard.problems.load("average-two-values")
    harm = "<script>document.title='lost'</script><img src=x onerror=document.title='lost'>"
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("Average two values", f"Mine {harm}").replace("The keys", harm))
    screen.page.locator("input[type=file]").set_input_files(file)
    screen.page.wait_for_function("() => document.querySelector('select').value === ''")
    screen.settle()
    box = screen.page.get_by_label("q · a query", exact=False)
    box.fill("C (k_a + k_b) <img src=x onerror=alert(1)>")
    box.press("Enter")
    screen.settle()
    assert screen.page.title() == "Check my answer · regard lab"
    assert screen.page.locator(".regard img, .regard script").count() == 0
    box.fill("C (k_a + k_b)")
    box.press("Enter")
    screen.settle()
    assert screen.headline == "The answer is right."
    names = run(screen.copied("Copy as Python"))
    assert names["verdict"].right
    screen.end()


def test_what_is_copied_gives_the_verdict_on_the_screen(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, answer=WRONG, checked=WRONG)
    verdict = run(screen.copied("Copy as Python"))["verdict"]
    rows = screen.table()
    assert [row[3] for row in rows] == [goal.sentence for goal in verdict.goals]
    assert [row[1] for row in rows] == ["no"] * 4
    assert verdict.counterexample.arrays["keys"] == arrays_on(screen)["keys"]
    screen.end()
