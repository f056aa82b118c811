"""Choose K, Q, V: the weights on the screen are those of the Python API."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_scene, run

NAME = "choose-kqv"
TOKENS = np.array([[0, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0]], dtype=float)
AVERAGE = [[2, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0]]


def weights_on(screen: Screen) -> Any:
    """The squares: tokens as they are, and with the matrices; all digits."""
    values = screen.page.locator(".regard-look").evaluate_all(
        "(all) => all.map((one) => Number(one.dataset.value))"
    )
    n = round((len(values) / 2) ** 0.5)
    return np.array(values).reshape(2, n, n)


def softmax(scores: Any) -> Any:
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


def test_goals_and_length_and_tokens_change_the_weights_as_python_says(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    screen.page.get_by_label("Where x 3 shall look").select_option("0")
    screen.settle()
    box = screen.page.get_by_label("Length of each u, as a number")
    box.fill("1.5")
    box.press("Enter")
    screen.settle()
    tokens = 1.5 * TOKENS
    design = regard.design.self_attention(tokens, attend={0: 1, 1: 2, 2: 0})
    own, found = weights_on(screen)
    np.testing.assert_allclose(own, softmax(tokens @ tokens.T), atol=1e-9)
    np.testing.assert_allclose(found, design.weights, atol=1e-9)
    assert "Queries and keys have 2 numbers" in screen.page.locator(".regard-proof").inner_text()

    cell = screen.page.get_by_label("x 2, column 3", exact=False)
    cell.fill("-2")
    cell.press("Enter")
    screen.settle()
    assert screen.state["tokens"][1] == [1, 0, -2, 0]
    tokens[1, 2] = -3
    np.testing.assert_allclose(weights_on(screen)[0], softmax(tokens @ tokens.T), atol=1e-9)
    screen.press("Undo")
    assert screen.state["tokens"][1] == [1, 0, 0, 0]
    screen.end()


def test_the_last_goal_cannot_be_taken_away(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, goals=[1, -1, -1])
    select = screen.page.get_by_label("Where x 1 shall look")
    select.select_option("-1")
    screen.settle()
    assert screen.state["goals"] == [1, -1, -1]
    assert select.input_value() == "1"
    screen.end()


@pytest.mark.parametrize("state", [{}, {"tokens": AVERAGE, "goals": [2, -1, -1]}])
def test_what_is_copied_runs_and_gives_the_same_numbers(
    browser: Any, lab: Lab, state: dict[str, Any]
) -> None:
    screen = open_scene(browser, lab, NAME, **state)
    names = run(screen.copied("Copy as Python"))
    own, found = weights_on(screen)
    np.testing.assert_allclose(own, names["own"], atol=1e-9)
    np.testing.assert_allclose(found, names["design"].weights, atol=1e-9)
    solved = regard.solve(regard.problems.loads(screen.copied("Copy as problem file")))
    assert solved.verdict.name == ("IMPOSSIBLE" if state else "PROVED")
    if state:  # the key of an average is the average of the keys: no more than a third
        assert screen.headline == "No matrices do that: a goal here gets only 33.3\u202f%."
        assert screen.page.locator(".regard-proof").inner_text().startswith("Proved. No head ")
    rows = screen.table()
    assert float(rows[0][3]) == pytest.approx(own[0, 0], rel=1e-3)
    assert [row[5] for row in rows].count("yes") == (1 if state else 2)
    screen.end()


def test_a_token_that_is_alone_is_told_without_a_number_that_is_none(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME, tokens=[[1]], goals=[0])
    said = screen.page.locator(".regard-proof").inner_text()
    assert said.startswith("Proved:")
    assert "NaN" not in screen.page.locator(".regard-scene").inner_text()
    screen.end()
