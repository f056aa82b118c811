"""Positions: what is on the screen is what the Python API says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_scene, run

NAME = "positions"
VALUES = "(all) => all.map((one) => Number(one.dataset.value))"


def map_on(screen: Screen) -> np.ndarray[Any, Any]:
    """The weights that the squares of the map are drawn with, all digits."""
    values = screen.page.locator(".regard-heat-map .regard-cells [data-value]")
    found = np.array(values.evaluate_all(VALUES))
    return found.reshape(round(len(found) ** 0.5), -1)


def kernel_on(screen: Screen) -> Any:
    return np.array(screen.page.locator(".regard-kernel-dots circle").evaluate_all(VALUES))


def weights_of(design: Any, x: Any) -> Any:
    """By the definition: softmax of scale · x A' x', key left and query right."""
    scores = design.scale * (x @ design.A.T @ x.T)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def type_into(screen: Screen, label: str, text: str) -> None:
    box = screen.page.get_by_label(f"{label}, as a number", exact=True)
    box.fill(text)
    box.press("Enter")
    screen.settle()


def test_every_number_that_is_typed_leads_to_the_map_that_python_gives(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    assert screen.headline == "At least 99\u202f% of the attention is 3 steps back."
    type_into(screen, "Steps back, T", "-5")
    type_into(screen, "Width of a position, d", "14")
    type_into(screen, "Positions, n", "23")
    design = regard.design.offset(-5, 14, n=23, scale=8)
    places = regard.sinusoidal(23, 14)
    np.testing.assert_allclose(map_on(screen), weights_of(design, places), atol=1e-9)
    np.testing.assert_allclose(kernel_on(screen), design.kernel(np.arange(-22, 23)), atol=1e-9)

    type_into(screen, "Width of the window, B", "4")
    type_into(screen, "Scale of the scores", "30")
    type_into(screen, "Turn of a kept block, at most", "1")
    band = regard.design.band(-5, 4, 14, n=23, phase=1.0, scale=30)
    np.testing.assert_allclose(map_on(screen), weights_of(band, places), atol=1e-9)
    assert (
        f"{len(band.kept)} of 7 blocks are kept"
        in screen.page.locator(".regard-proof").inner_text()
    )
    screen.end()


def test_the_ways_to_weigh_blocks_are_compared_and_chosen(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, T=0, B=8, d_model=16, n=41)
    gaps = screen.page.locator(".regard-way > span:last-child").evaluate_all(VALUES)
    # 0.0514, 0.1915, 0.3189 are in the documentation of the design, found by a linear program.
    assert gaps == pytest.approx([0.0514, 0.1915, 0.3189], abs=5e-5)
    assert screen.copied("Copy as problem file")
    screen.page.get_by_role("button", name="Best, any sign").click()
    screen.settle()
    assert (screen.state["method"], screen.state["signed"]) == ("optimal", True)
    design = regard.design.band(0, 8, 16, n=41, method="optimal", signed=True, scale=8)
    np.testing.assert_allclose(kernel_on(screen), design.kernel(np.arange(-40, 41)), atol=1e-9)
    assert not screen.page.get_by_role("button", name="Copy as problem file").is_visible()
    screen.end()


def test_fewer_blocks_are_kept_by_the_buttons_and_by_typing(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, d_model=14, n=23)
    screen.press("One block less")
    assert screen.state["d_k"] == 12
    box = screen.page.get_by_label("Blocks kept", exact=True)
    box.fill("3")
    box.press("Enter")
    screen.settle()
    design = regard.design.offset(3, 14, n=23, d_k=6, scale=8)
    blocks = np.array(screen.page.locator(".regard-strip rect").evaluate_all(VALUES))
    assert tuple(np.flatnonzero(blocks)) == design.kept
    np.testing.assert_allclose(blocks, np.hypot(design.kernel.a, design.kernel.b), atol=1e-9)
    box.fill("7")
    box.press("Enter")
    screen.settle()
    assert screen.state["d_k"] is None
    screen.end()


def test_dragging_the_curve_moves_the_window_and_is_one_step_of_undo(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    box = screen.page.locator(".regard-kernel").bounding_box()
    middle, unit = box["x"] + box["width"] / 2, box["width"] / 64
    screen.page.mouse.move(middle - 3 * unit, box["y"] + 40)
    screen.page.mouse.down()
    for shift in (4, 6, 8, 11):
        screen.page.mouse.move(middle - shift * unit, box["y"] + 40)
    screen.page.mouse.up()
    screen.settle()
    assert screen.state["T"] == 11
    assert np.argmax(map_on(screen)[20]) == 9
    screen.press("Undo")
    assert screen.state["T"] == 3
    screen.page.get_by_label("Steps back, T", exact=True).press("ArrowRight")
    screen.settle()
    assert screen.state["T"] == 4
    screen.end()


def test_content_is_added_to_the_positions_and_can_win(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, content=0.2)
    assert screen.headline.startswith("Content wins: ")
    names = run(screen.copied("Copy as Python"))
    found = map_on(screen)
    np.testing.assert_allclose(found, names["weights"], atol=1e-9)
    np.testing.assert_allclose(found, weights_of(names["design"], names["x"]), atol=1e-9)
    lengths = np.linalg.norm(names["x"] - regard.sinusoidal(32, 32), axis=1)
    np.testing.assert_allclose(lengths, 0.2 * 4)  # a position has 16 sines and 16 cosines
    screen.end()


@pytest.mark.parametrize("state", [{}, {"d_k": 6}, {"B": 8}, {"B": 8, "method": "optimal"}])
def test_what_is_copied_runs_and_gives_the_same_numbers(
    browser: Any, lab: Lab, state: dict[str, Any]
) -> None:
    screen = open_scene(browser, lab, NAME, d_model=16, n=29, **state)
    names = run(screen.copied("Copy as Python"))
    np.testing.assert_allclose(map_on(screen), names["weights"], atol=1e-9)
    if state.get("method") is None:
        found = regard.solve(regard.problems.loads(screen.copied("Copy as problem file")))
        assert found.verdict.name == "PROVED"
    screen.end()


def test_a_row_is_chosen_by_mouse_or_keyboard_and_the_table_is_about_it(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME, B=2, method="optimal")
    screen.page.locator(".regard-heat-map").press("ArrowDown")
    screen.settle()
    assert screen.state["row"] == 21
    box = screen.page.locator(".regard-heat-map").bounding_box()
    screen.page.mouse.click(box["x"] + 5, box["y"] + 7.5 / 32 * box["height"])
    screen.settle()
    assert screen.state["row"] == 7
    rows = screen.table()
    assert [row[0] for row in rows if row[4] == "yes"] == ["3", "4", "5"]
    assert float(rows[4][3]) == pytest.approx(map_on(screen)[7, 4], rel=1e-3)
    screen.end()


def test_a_window_that_zeroing_misses_is_called_missed(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, d_model=4, B=2)
    design = regard.design.band(3, 2, 4, n=32)
    assert design.missed is not None
    assert screen.headline.startswith("The aim is missed: ")
    assert not screen.page.locator(".regard-proof").inner_text().startswith("Proved")
    screen.end()
