"""States that no hand made, and what undo takes back when motion or a still pointer is in play."""

from __future__ import annotations

from typing import Any

import pytest

from lab.browsing import Lab, Screen, open_scene
from regard.lab import scenes


def undo(screen: Screen) -> Any:
    return screen.page.get_by_role("button", name="Undo", exact=True)


def told(screen: Screen) -> str:
    return str(screen.page.locator(".regard-story-count").inner_text())


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("step-by-step", {"window": 0}),
        ("step-by-step", {"mask": {"q": 3}}),
        ("step-by-step", {"mask": ["x"]}),
        ("noisy-keys", {"values": [[]]}),
        ("positions", {"B": "x"}),
        ("check-my-answer", {"checked": 3}),
    ],
)
def test_an_address_that_no_hand_could_have_made_is_answered_and_not_a_blank_page(
    browser: Any, lab: Lab, name: str, state: dict[str, Any]
) -> None:
    screen = open_scene(browser, lab, name, **state)  # it settles
    said = screen.page.locator(".regard-problem")
    begun = screen.state == scenes.about(name)["state"]
    assert begun or said.is_visible()
    if said.is_visible():
        assert said.inner_text().endswith(".")
        if not begun:
            screen.press("Reset")
    assert screen.state == scenes.about(name)["state"]
    assert screen.headline
    screen.end()


@pytest.mark.parametrize("keys", [[], [[]], [1, 2], [None], "x", None])
def test_a_part_of_another_sort_is_left_out_of_the_address(
    browser: Any, lab: Lab, keys: Any
) -> None:
    screen = open_scene(browser, lab, "where-to-look", keys=keys, factor=0.5)
    about = scenes.about("where-to-look")
    assert screen.state == {**about["state"], "factor": 0.5}
    screen.end()


def test_a_query_of_length_0_and_a_single_key_are_drawn(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, "where-to-look", factor=0)
    screen.end()
    screen = open_scene(browser, lab, "where-to-look", keys=[[1, 0]], target=[1])
    assert "NaN" not in screen.page.locator(".regard-proof").inner_text()
    screen.end()
    screen = open_scene(browser, lab, "positions", n=4, d_model=2, T=3)
    screen.end()


def test_a_story_that_is_stopped_on_its_way_is_undone_as_a_whole(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, "where-to-look")
    screen.page.emulate_media(reduced_motion="no-preference")
    first = screen.state
    screen.page.get_by_role("button", name="Next", exact=True).click()
    screen.page.wait_for_function(
        """() => {
          const factor = JSON.parse(document.querySelector("[data-asked]").dataset.asked).factor;
          return factor < 1 && factor > 0.125;
        }"""
    )
    screen.page.get_by_label("Length of the query, as a number", exact=True).fill("20")
    screen.page.keyboard.press("Enter")  # the hand takes over
    screen.settle()
    typed = screen.state
    screen.press("Undo")
    between = screen.state
    assert 0.125 < between["factor"] < 1
    screen.press("Undo")
    assert screen.state == first
    assert typed["factor"] > 1
    assert undo(screen).is_disabled()
    screen.end()


def test_a_slider_that_is_pressed_and_not_moved_leaves_the_next_change_to_be_undone(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, "where-to-look", factor=4)
    slider = screen.page.get_by_label("Length of the query", exact=True)
    box = slider.bounding_box()
    screen.page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    screen.page.mouse.down()  # on the knob, at its end
    screen.page.mouse.up()
    screen.settle()
    before = screen.state
    length = screen.page.get_by_label("Length of the query, as a number", exact=True)
    length.fill("5.5")
    length.press("Enter")
    screen.settle()
    assert screen.state != before
    screen.press("Undo")
    assert screen.state == before
    screen.end()


def test_a_number_beyond_its_slider_is_shown_as_the_one_that_was_taken(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, "noisy-keys")
    box = screen.page.get_by_label("Number of keys, n, as a number", exact=True)
    box.fill("99")
    box.press("Enter")
    screen.settle()
    assert screen.state["n"] == 6
    assert box.input_value() == "6"
    box.fill("many")
    box.press("Enter")
    assert box.get_attribute("aria-invalid") == "true"
    box.blur()
    assert (box.input_value(), box.get_attribute("aria-invalid")) == ("6", "false")
    screen.end()


def test_the_story_says_when_the_picture_is_no_longer_the_one_it_tells_of(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, "split-subspaces")
    assert told(screen) == "Step 1 of 6"
    screen.press("Next")
    assert told(screen) == "Step 2 of 6"
    screen.page.get_by_label("sum, share 1", exact=True).check()
    screen.settle()
    assert told(screen) == "Step 2 of 6, before you moved on"
    screen.press("Undo")
    assert told(screen) == "Step 2 of 6"
    screen.press("Reset")
    assert told(screen) == "Step 1 of 6"
    screen.press("Undo")
    screen.reload()
    assert told(screen) == "Step 2 of 6"
    screen.end()
