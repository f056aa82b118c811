"""Split two subspaces: what is on the screen is what plane geometry and the Python API say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_scene, run
from regard.lab import scenes
from regard.lab.table import Refused, ask

NAME = "split-subspaces"
MATRICES = ["separator", "onto_s", "off_t", "undivided"]


def matrix(screen: Screen) -> np.ndarray[Any, Any]:
    """The entries of the matrix that is shown, all digits."""
    entries = screen.page.locator(".regard-entries-table td").evaluate_all(
        "(all) => all.map((one) => Number(one.dataset.value))"
    )
    return np.array(entries).reshape(2, 2)


def off(screen: Screen) -> list[float]:
    found: list[float] = screen.page.locator(".regard-choice-row .regard-value").evaluate_all(
        "(all) => all.map((one) => Number(one.dataset.value))"
    )
    return found


def test_the_question_has_the_matrices_of_paper() -> None:
    # s on the first axis, t = (3, 4): c = (2, 2). Along t to the axis: (1/2, 0), twice is s.
    found = ask("separate", {"s": [1.0, 0.0], "t": [3.0, 4.0]}).data
    assert found["mix"] == [2.0, 2.0]
    np.testing.assert_allclose(found["matrix"], [[2, -1.5], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(found["result"], [1, 0], atol=1e-12)
    assert found["norm"] == pytest.approx(2.5)  # 2 / sin θ, and sin θ = 4/5
    assert found["degrees"] == pytest.approx(53.13010235415598)
    assert (found["status"], found["proved"]) == ("reached", True)
    # Projected onto the axis c is (2, 0): 4 after doubling, 3 too far. Less its part along
    # (3, 4)/5, which is 14/5, c is (8, -6)/25: doubled it is (16, -12)/25, (9, 12)/25 away.
    assert [found["off"][name] for name in MATRICES] == pytest.approx([0, 3, 0.6, 0.5], abs=1e-12)


def test_on_one_line_no_matrix_does_it_and_what_does_not_fit_is_refused() -> None:
    found = ask("separate", {"s": [1.0, 0.5], "t": [-2.0, -1.0]}).data
    assert (found["status"], found["proved"], found["radius"]) == ("impossible", True, None)
    for wrong in ({"t": [1.0]}, {"s": [0.0, 0.0]}, {"share": 0.0}, {"matrix": "other"}):
        with pytest.raises(Refused):
            ask("separate", {"s": [1.0, 0.0], "t": [3.0, 4.0], **wrong})


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("share", [0.5, 1])
def test_what_is_copied_runs_and_gives_the_same_numbers(
    browser: Any, lab: Lab, name: str, share: float
) -> None:
    screen = open_scene(browser, lab, NAME, matrix=name, share=share)
    names = run(screen.copied("Copy as Python"))
    np.testing.assert_allclose(matrix(screen), names["M"], atol=1e-9)
    missed = float(np.linalg.norm(names["M"] @ names["c"] - names["s"]))
    assert off(screen)[MATRICES.index(name)] == pytest.approx(missed, abs=1e-9)
    assert ("misses" in screen.headline) == (missed > 1e-9)
    screen.end()


@pytest.mark.parametrize(
    ("t", "verdict"),
    [([0.3, 1.3], "PROVED"), ([-0.3, 1.1], "PROVED"), ([-0.55, -0.15], "IMPOSSIBLE")],
)
def test_the_problem_file_is_solved_as_the_headline_says(
    browser: Any, lab: Lab, t: list[float], verdict: str
) -> None:
    screen = open_scene(browser, lab, NAME, t=t)
    problem = regard.problems.loads(screen.copied("Copy as problem file"))
    assert regard.solve(problem).verdict.name == verdict
    assert screen.headline.startswith("No matrix" if verdict == "IMPOSSIBLE" else "This matrix")
    screen.end()


def test_every_control_changes_the_matrix(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    s, t = np.array([1.1, 0.3]), np.array([0.3, 1.3])
    screen.page.get_by_role("button", name="v t at").focus()
    screen.page.keyboard.press("ArrowLeft")
    screen.settle()
    t = t - [0.1, 0]
    assert screen.state["t"] == pytest.approx(t.tolist())
    both = np.array([s, t]).T
    np.testing.assert_allclose(matrix(screen) @ both, np.array([2 * s, 0 * s]).T, atol=1e-9)
    screen.page.get_by_label("sum, share 1").check()
    screen.settle()
    np.testing.assert_allclose(matrix(screen) @ both, np.array([s, 0 * s]).T, atol=1e-9)
    screen.page.get_by_role("radio", name="Project onto").check()
    screen.settle()
    np.testing.assert_allclose(matrix(screen), np.outer(s, s) / (s @ s), atol=1e-9)
    rows = screen.table()
    assert rows[0][1:] == ["1.1", "0.3"]
    assert rows[2][1:] == ["1.3", "1.6"]
    screen.press("Undo")
    assert screen.state["matrix"] == "separator"
    screen.end()


def test_the_matrix_of_an_answer_is_offered_only_where_there_is_one(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, matrix="undivided")
    rows = screen.page.locator(".regard-choice-row")
    assert [row.is_visible() for row in rows.all()] == [True, True, True, True, False]
    height = screen.page.locator("fieldset.regard-plain").first.bounding_box()["height"]
    screen.page.get_by_label("M, share forgotten", exact=False).press("ArrowDown")
    screen.settle()
    assert screen.state["matrix"] == "separator"  # past the hidden one, and around
    screen.end()

    own = [[1.0, 0.5], [0.0, 2.0]]
    screen = open_scene(browser, lab, NAME, matrix="own", own=own)
    row = screen.page.locator(".regard-choice-row").last
    assert row.is_visible()
    s, t = (np.array(scenes.about(NAME)["state"][part]) for part in "st")
    misses = np.linalg.norm(np.array(own) @ (s + t) / 2 - s)
    assert off(screen)[-1] == pytest.approx(misses, abs=1e-9)
    np.testing.assert_allclose(matrix(screen), own, atol=1e-12)
    more = screen.page.locator("fieldset.regard-plain").first.bounding_box()["height"]
    assert more - height == pytest.approx(row.bounding_box()["height"], abs=2)
    screen.end()
