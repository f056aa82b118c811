"""Sliders of a report in a real browser: they show what regard computes, row by row."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regard import analysis, attention, report
from regard.checking import check
from regard.problems import key_instance, load
from solving.reading import solved

playwright = pytest.importorskip("playwright.sync_api")
WIDTHS = {"desk": 1200, "phone": 390}
SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    program = shutil.which("chromium")
    if program is None:
        if os.environ.get("REGARD_REQUIRE_TOOLS"):
            pytest.fail("chromium is required here, and missing")
        pytest.skip("needs chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    reports = {
        "average": solved("average-two-values").report(),
        "noise": solved("average-under-small-noise").report(),
        "look-back": solved("look-back-exactly").report(),
        "look-back-roughly": solved("look-back-roughly").report(),
        "table": solved("one-query-three-keys").report(),
        "verdict": check("average-two-values", "k_a + k_b").report(),
    }
    for name, one in reports.items():
        (folder / f"{name}.html").write_text(report.to_html_page(one), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in reports}


def opened(browser: Any, path: Path, width: int = 1200, scheme: str = "light") -> Any:
    """Return a page; it fails the test with whatever the browser complains about."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    assert said == []  # in particular, nothing that the policy forbids
    return page


def stored(page: Any) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.locator(".regard-slider script").text_content())
    return data


def test_every_row_is_what_attention_gives(chromium: Any, pages: dict[str, Path]) -> None:
    page = opened(chromium, pages["average"])
    data = stored(page)
    assert 30 <= len(data["x"]) <= 50
    keys = np.eye(6)
    for factor, weights, leak in zip(data["x"], data["bars"], data["y"][0], strict=True):
        query = factor * (keys[0] + keys[1])
        expected = attention(query[None], keys, np.eye(6), scale=1.0)[0]
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(leak, expected[2:].sum(), rtol=0, atol=1e-9)
    page.close()


def test_the_output_moves_from_the_mean_of_all_values_to_what_is_wanted(
    chromium: Any, pages: dict[str, Path]
) -> None:
    page = opened(chromium, pages["average"])
    data, values = stored(page), key_instance(load("average-two-values").given).values
    mean, wanted = values.mean(axis=0), (values[0] + values[1]) / 2
    for weights, gone in zip(data["bars"], data["way"], strict=True):
        there = mean + gone * (wanted - mean)
        np.testing.assert_allclose(there, weights @ values, rtol=0, atol=1e-9)
    page.locator(".regard-slider input").focus()
    page.keyboard.press("Home")
    assert float(page.locator(".regard-gone").get_attribute("cx").rstrip("%")) == 0
    apart = np.linalg.norm(mean - wanted)
    assert page.locator(".regard-left").inner_text() == f"off by {apart:.3g}"
    page.close()


def test_bars_of_random_keys_are_their_mean_weights(chromium: Any, pages: dict[str, Path]) -> None:
    page = opened(chromium, pages["noise"])
    data, instance = stored(page), key_instance(load("average-under-small-noise").given)
    mu = instance.keys
    for factor, weights in zip(data["x"], data["bars"], strict=True):
        query = factor * (mu[0] + mu[1])
        law = analysis.key_noise(query, mu, instance.covariances, np.eye(len(mu)))
        np.testing.assert_allclose(weights, law.mean, rtol=0, atol=1e-9)
    assert (
        page.locator(".regard-beside .regard-label").first.inner_text().startswith("Mean weights")
    )
    page.close()


def test_the_slider_of_a_positional_head_shows_what_attention_gives(
    chromium: Any, pages: dict[str, Path]
) -> None:
    page = opened(chromium, pages["look-back"])
    data, problem = stored(page), load("look-back-exactly")
    n, d, T = problem.given.n, problem.given.d_model, problem.given.T
    omega = problem.given.base ** (-2 * np.arange(d // 2) / d)
    angles = np.outer(np.arange(n), omega)
    positions = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    turned = np.concatenate([np.sin(angles - T * omega), np.cos(angles - T * omega)], axis=1)
    query = max(T, 0) + (n - abs(T)) // 2
    for size, weights, leak in zip(data["x"], data["bars"], data["y"][0], strict=True):
        all_weights = attention(size * turned[T:], positions, np.eye(n), scale=1.0)
        expected = all_weights[query - T, query - T - 2 : query - T + 3]
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-9)
        own = np.diagonal(all_weights)  # of query T, T + 1, …: key 0, 1, …
        assert leak >= 1 - own.min() - 1e-9  # it bounds every query
    page.close()


def test_the_slider_of_a_window_shows_which_blocks_are_slow_enough(
    chromium: Any, pages: dict[str, Path]
) -> None:
    page = opened(chromium, pages["look-back-roughly"])
    data, problem = stored(page), load("look-back-roughly")
    d = problem.given.d_model
    turn = problem.given.base ** (-2 * np.arange(d // 2) / d) / 2
    assert data["x"][data["at"]] == problem.given.B
    for width, kept, edge in zip(data["x"], *data["y"], strict=True):
        slow = turn[turn * width <= np.pi / 2]
        np.testing.assert_allclose(kept, len(slow) / (d // 2), rtol=0, atol=1e-9)
        np.testing.assert_allclose(edge, np.cos(slow * width).mean(), rtol=0, atol=1e-9)
    page.close()


def test_keys_move_the_slider_and_what_it_shows(chromium: Any, pages: dict[str, Path]) -> None:
    page = opened(chromium, pages["average"])
    data, slider = stored(page), page.locator(".regard-slider input")
    assert "6.91" in slider.get_attribute("aria-valuetext")
    slider.focus()
    for key, row in (("ArrowRight", data["at"] + 1), ("Home", 0), ("PageUp", 5), ("ArrowLeft", 4)):
        page.keyboard.press(key)
        assert page.locator(".regard-slider").get_attribute("data-row") == str(row)
        widths = page.eval_on_selector_all(
            ".regard-slider .regard-bars .regard-fill",
            "found => found.map(e => parseFloat(e.getAttribute('width')) / 100)",
        )
        np.testing.assert_allclose(widths, data["bars"][row], rtol=0, atol=1e-9)
        assert f"= {data['shown'][row]} " in page.locator(".regard-says").inner_text()
    page.keyboard.press("Home")  # all scores alike: each of six keys has a sixth
    assert page.locator(".regard-slider .regard-value").all_inner_texts() == ["16.7\u202f%"] * 6
    page.close()


def test_dragging_snaps_to_the_nearest_row(chromium: Any, pages: dict[str, Path]) -> None:
    page = opened(chromium, pages["noise"])
    data, slider = stored(page), page.locator(".regard-slider input")
    row = len(data["x"]) // 3
    slider.fill(str(data["places"][row] + 0.1))
    assert page.locator(".regard-slider").get_attribute("data-row") == str(row)
    assert float(slider.input_value()) == pytest.approx(data["places"][row])
    page.close()


def test_without_its_script_the_figure_stands_at_the_answer(
    chromium: Any, pages: dict[str, Path]
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["average"].as_uri())
    assert not page.locator(".regard-drag").is_visible()
    assert "6.91" in page.locator(".regard-says").inner_text()
    assert page.locator(".regard-slider .regard-value").first.inner_text() == "49.9\u202f%"
    context.close()


@pytest.mark.parametrize("name", ["average", "table"])
def test_only_a_page_that_moves_has_a_script_and_none_has_style_attributes(
    pages: dict[str, Path], name: str
) -> None:
    text = pages[name].read_text("utf-8")
    assert ("<script>" in text) == (name == "average")
    assert ("script-src 'none'" in text) == (name != "average")
    assert ' style="' not in text
    assert "unsafe-inline" not in text


@pytest.mark.parametrize("name", ["average", "noise", "look-back", "table", "verdict"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_serious(
    chromium: Any, pages: dict[str, Path], name: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    width = WIDTHS["desk" if scheme == "light" else "phone"]
    page = opened(chromium, pages[name], width, scheme)
    found = axe.Axe().run(page).response["violations"]
    serious = [(v["id"], v["nodes"][0]["html"][:200]) for v in found if v["impact"] in ("serious", "critical")]  # fmt: skip
    assert serious == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
