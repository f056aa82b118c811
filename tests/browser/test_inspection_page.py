"""The page of `regard inspect` in a real browser: two widths, light and dark, nothing to complain of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser.test_sliders import SCHEMES, WIDTHS, chromium, opened
from cli.running import run
from models import small_models

__all__ = ["chromium"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("heads")
    model = small_models.write(folder, small_models.bert(), small_models.BERT_CONFIG)
    made = {"weights": [], "tokens": ["--tokens", "repeated"]}
    for name, more in made.items():
        done = run("inspect", str(model), *more, "-o", str(folder / f"{name}.html"))
        assert done.returncode == 0, done.stderr
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture(params=[(w, s) for w in WIDTHS for s in SCHEMES], ids="-".join)
def look(request: pytest.FixtureRequest, chromium: Any) -> Any:
    width, scheme = request.param
    return lambda path: opened(chromium, path, WIDTHS[width], scheme)


@pytest.mark.parametrize("name", ["weights", "tokens"])
def test_nothing_sticks_out_and_axe_finds_nothing_serious(
    look: Any, pages: dict[str, Path], name: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = look(pages[name])
    wide, seen = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= seen
    found = axe.Axe().run(page).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
    page.close()


@pytest.mark.parametrize("name", ["weights", "tokens"])
def test_every_head_has_a_square_map_and_bars_that_can_be_seen(
    look: Any, pages: dict[str, Path], name: str
) -> None:
    page = look(pages[name])
    items = page.locator("li:has(svg)")
    assert items.count() == 6  # two layers of three
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for i in range(6):
        drawn = items.nth(i).locator("svg")
        squares, bars = drawn.nth(0).bounding_box(), drawn.nth(1).bounding_box()
        assert squares["width"] == pytest.approx(squares["height"], abs=1)
        assert squares["width"] >= 100
        assert bars["y"] >= squares["y"] + squares["height"]
        colour = drawn.nth(0).locator("g").evaluate("g => getComputedStyle(g).stroke")
        assert colour.startswith("rgb")
        assert colour != ground
    page.close()
