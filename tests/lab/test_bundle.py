"""Our JavaScript keeps to what the joining of modules understands, and is small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import regard.lab
from regard.lab.pages.bundle import DEFAULT, EXPORT, IMPORT, scene_module
from regard.lab.pages.style import style_sheet
from regard.lab.scenes import names

STATIC = Path(regard.lab.__file__).parent / "static"
MODULES = [
    path for path in STATIC.rglob("*.js") if path.name != "shell.js"
]  # the page alone has it


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(STATIC)))
def test_a_module_imports_and_exports_in_the_forms_that_can_be_joined(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(re.findall(r"^\s*import\b.*[\"'{]", text, re.MULTILINE)) == len(IMPORT.findall(text))
    exported = len(EXPORT.findall(text)) + len(DEFAULT.findall(text))
    assert len(re.findall(r"^\s*export\b", text, re.MULTILINE)) == exported
    assert "import(" not in text
    assert len(text.splitlines()) < 300


def test_a_joined_scene_has_no_import_left_and_one_export() -> None:
    for name in names():
        text = scene_module(name)
        assert not re.search(r"^import\b.*[\"'{]", text, re.MULTILINE)
        assert re.findall(r"^export.*$", text, re.MULTILINE) == [text.rstrip().splitlines()[-1]]


def test_scripts_styles_and_font_are_below_300_kb() -> None:
    scripts = sum(path.stat().st_size for path in STATIC.rglob("*.js"))
    font = (STATIC.parents[1] / "report" / "html" / "inter-latin.woff2").stat().st_size
    assert scripts + len(style_sheet("none").encode()) + font < 300_000


def test_every_rule_of_the_style_sheet_stays_within_the_lab() -> None:
    bare = re.sub(r"/\*.*?\*/", "", style_sheet("none"), flags=re.DOTALL)
    for selector in re.findall(r"(?:^|[{}])\s*([^@{};]+?)\s*\{", bare):
        for one in selector.split(","):
            assert ".regard" in one, selector


def test_no_script_sets_html_or_a_style_attribute() -> None:
    for path in STATIC.rglob("*.js"):
        text = path.read_text("utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text
        ), path
        assert "https://" not in text, path
