"""The page of all solutions in a real browser, on a phone and on a desk."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from regard import problems, report
from solving.reading import solved

PHONE, DESK = 390, 1280


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reports = [solved(name).report() for name in problems.names()]
    whole = report.Report.join("All problems", reports)
    path = tmp_path_factory.mktemp("page") / "all.html"
    path.write_text(report.to_html_page(whole), encoding="utf-8")
    return path


def open_page(browser: webdriver.Chrome, page: Path, width: int) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE},
    )
    browser.get(page.as_uri())
    # What is folded is not laid out, and could hide what sticks out.
    browser.execute_script("document.querySelectorAll('details').forEach(fold => fold.open = true)")


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_sticks_out_of_the_page(browser: webdriver.Chrome, page: Path, width: int) -> None:
    open_page(browser, page, width)
    wide, seen = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert seen <= width
    assert wide <= seen


def test_every_problem_has_a_row_that_opens_to_it(browser: webdriver.Chrome, page: Path) -> None:
    open_page(browser, page, DESK)
    parts = browser.find_elements(By.CLASS_NAME, "regard-part")
    titles = [problems.load(name).title for name in problems.names()]
    assert len(parts) == len(titles)
    for part, title in zip(parts, titles, strict=True):
        assert part.find_element(By.CSS_SELECTOR, "summary :is(h2, h3)").text == title
        assert part.find_element(By.CSS_SELECTOR, "article[id]").is_displayed()


def test_formulas_and_figures_are_drawn(browser: webdriver.Chrome, page: Path) -> None:
    open_page(browser, page, DESK)
    sizes = browser.execute_script(
        "return [...document.querySelectorAll('math, svg')].map(e => {"
        " const box = e.getBoundingClientRect();"
        " return [e.tagName.toLowerCase(), box.width, box.height] })"
    )
    assert sum(tag == "math" for tag, _, _ in sizes) > 200
    assert sum(tag == "svg" for tag, _, _ in sizes) >= len(problems.names()) // 2
    assert all(wide > 0 and high > 0 for _, wide, high in sizes)
    unnamed = browser.execute_script(
        "return [...document.querySelectorAll('svg')].filter("
        "e => !e.closest('[aria-label], [aria-hidden]') && !e.parentElement.closest('svg')"
        " && !e.querySelector('title')).length"
    )
    assert unnamed == 0


def test_tables_name_their_columns_and_the_headings_do_not_skip_a_level(
    browser: webdriver.Chrome, page: Path
) -> None:
    open_page(browser, page, DESK)
    without = browser.execute_script(
        "return [...document.querySelectorAll('table')].filter(t => !t.closest('math')"
        " && !t.querySelector('th[scope], caption')).length"
    )
    assert without == 0
    levels = browser.execute_script(
        "return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => +h.tagName[1])"
    )
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_is_readable_in_the_dark(browser: webdriver.Chrome, page: Path) -> None:
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    open_page(browser, page, DESK)
    body, text = browser.execute_script(
        "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def brightness(colour: str) -> float:
        parts = colour[colour.index("(") + 1 : -1].split(",")
        return sum(float(part) for part in parts[:3]) / 3

    assert brightness(body) < 80
    assert brightness(text) > 160


def test_nothing_is_fetched_and_nothing_is_complained_about(
    browser: webdriver.Chrome, page: Path
) -> None:
    open_page(browser, page, DESK)
    fetched = browser.execute_script(
        "return performance.getEntriesByType('resource').map(e => e.name)"
    )
    assert fetched == []
    assert browser.get_log("browser") == []  # type: ignore[no-untyped-call]
