"""What holds of every scene: it is found by its file, so a new one is tested here without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.browsing import Lab, open_page, open_scene
from regard.lab import scenes
from regard.lab.pages.saved_page import saved_scene
from regard.lab.table import Answer, questions

NAMES = scenes.names()
DARK = """() => {
  const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  return red + green + blue < 200;
}"""


@pytest.mark.parametrize("name", NAMES)
def test_what_a_scene_asks_is_in_the_table_and_answered_in_every_step_of_its_story(
    name: str,
) -> None:
    about = scenes.about(name)
    assert 4 <= len(about["story"]) <= 7
    for one in about["asks"].values():
        assert set(one["from"]) <= set(about["state"])
        assert set(one["from"]) <= set(questions()[one["question"]].asked.model_fields)
    for state in [about["state"], *scenes.story_states(about)]:
        assert set(state) == set(about["state"])
        for label, said in scenes.answered(about, state).items():
            assert isinstance(said, Answer), (label, str(said))


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_loads_without_a_network_plays_its_story_and_is_undone_reset_reloaded_and_shared(
    browser: Any, lab: Lab, name: str
) -> None:
    screen = open_scene(browser, lab, name)
    first, *later = scenes.story_states(scenes.about(name))
    assert screen.state == first
    assert screen.headline
    for state in later:
        screen.press("Next")
        assert screen.state == state
        assert not screen.page.locator(".regard-problem").is_visible()
        told = screen.page.locator(".regard-story").inner_text()
        assert "$" not in told  # a formula that was not typeset
        assert "**" not in told
    assert screen.page.get_by_role("button", name="Next", exact=True).is_disabled()
    last, said = later[-1], screen.headline
    assert last != first
    screen.press("Reset")
    assert screen.state == first
    screen.press("Undo")
    assert (screen.state, screen.headline) == (last, said)
    link = screen.copied("Copy link")
    screen.reload()
    assert (screen.state, screen.headline) == (last, said)
    screen.page.goto("about:blank")
    screen.page.goto(link)
    screen.settle()
    assert (screen.state, screen.headline) == (last, said)
    screen.end()


@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_serious_in_light_and_dark_and_nothing_is_wider_than_the_screen(
    browser: Any, lab: Lab, name: str
) -> None:
    screen = open_scene(browser, lab, name)
    screen.table()
    screen.page.locator("details").evaluate_all(
        "(all) => all.forEach((one) => { one.open = true; })"
    )
    for width in (1440, 768, 320):
        screen.page.set_viewport_size({"width": width, "height": 900})
        screen.page.emulate_media(color_scheme="light")
        assert screen.axe() == []
        screen.page.emulate_media(color_scheme="dark")
        assert screen.page.evaluate(DARK)
        assert (
            screen.axe("color-contrast", "link-in-text-block") == []
        )  # nothing but the colours is another
        assert screen.page.evaluate("() => document.documentElement.scrollWidth") <= width
    screen.end()


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_file_shows_its_state_and_plays_its_story_without_a_server(
    browser: Any, tmp_path: Any, name: str
) -> None:
    states = scenes.story_states(scenes.about(name))
    file = tmp_path / "scene.html"
    file.write_text(saved_scene(name, states[1]), encoding="utf-8")
    screen = open_page(browser, file.as_uri())
    screen.settle()
    assert screen.state == states[1]
    assert screen.page.locator(".regard-story-count").inner_text().startswith("Step 2 of")
    for state in states[2:]:
        screen.press("Next")
        assert screen.state == state
    screen.press("Reset")
    assert screen.state == states[0]
    assert "regard lab" in screen.page.locator(".regard-note").first.inner_text()
    screen.end()


@pytest.mark.parametrize("name", NAMES)
def test_the_documents_show_a_picture_of_each_scene(name: str) -> None:
    docs = Path(__file__).parents[2] / "docs"
    assert f"(lab/{name}.png)" in (docs / "lab.md").read_text("utf-8")
    picture = (docs / "lab" / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 150_000


@pytest.mark.parametrize("name", NAMES)
def test_the_story_and_the_state_are_json_that_a_page_reads_back_to_the_same(name: str) -> None:
    about = scenes.about(name)
    assert json.loads(json.dumps(about)) == about
    assert {"title", "sentence", "order", "state", "asks", "story"} <= set(about)
