"""Feedback and overview of a class in a real browser: names that mean harm, long names, two widths."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from regard.grading import grade

PHONE, DESK = 390, 1280
LONG = "a-student-with-a-very-long-name-" * 5
HARM = "<img src=x onerror=document.title='harmed'>"


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades")
    answers = {
        "ann": 'q = "C (k_a + k_b)"',
        "bob": 'q = "k_a + k_b"',
        "cem": 'q = "6.5 (k_a + k_b)"',
        LONG: 'q = "k_a + k_b"',
        HARM: f'q = "{HARM}"',
    }
    for name, text in answers.items():
        (folder / f"{name}.toml").write_text(text)
    grade(["average-two-values"], folder, out, workers=1)
    return out


def pages(grades: Path) -> list[Path]:
    return [grades / "overview.html", *sorted((grades / "feedback").iterdir())]


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_sticks_out_and_nothing_runs(
    browser: webdriver.Chrome, grades: Path, width: int
) -> None:
    assert len(pages(grades)) == 6
    for page in pages(grades):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE},
        )
        browser.get(page.as_uri())
        assert browser.title != "harmed"
        assert not browser.find_elements(By.CSS_SELECTOR, "img, script")
        wide, seen = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= seen <= width, page.name


def test_a_page_says_whose_it_is_and_how_it_went(browser: webdriver.Chrome, grades: Path) -> None:
    browser.get((grades / "feedback" / "ann.html").as_uri())
    assert browser.find_element(By.TAG_NAME, "h1").text == "Your answer: 100%"
    assert browser.find_element(By.CLASS_NAME, "regard-eyebrow").text.lower() == "ann"
    assert "regard-good" in (
        browser.find_element(By.CLASS_NAME, "regard-card").get_attribute("class") or ""
    )


def test_the_overview_names_who_is_borderline_and_who_agrees(
    browser: webdriver.Chrome, grades: Path
) -> None:
    browser.get((grades / "overview.html").as_uri())
    rows = [
        " ".join(row.text.split()) for row in browser.find_elements(By.CSS_SELECTOR, "tbody tr")
    ]
    assert any(row.startswith("cem") and row.endswith("0% 0% 100%") for row in rows)
    assert any("bob" in row and "wrong q = k a + k b" in row for row in rows)
    assert HARM in browser.find_element(By.TAG_NAME, "body").text
