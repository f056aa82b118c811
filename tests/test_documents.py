"""The code in the documents runs, and what it prints is what they say it prints."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "bench" / "README.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run_and_print_the_text_block_that_follows(page: Path) -> None:
    namespace: dict[str, object] = {}
    printed = ""
    for language, code in BLOCK.findall(page.read_text()):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, str(page), "exec"), namespace)
            printed = out.getvalue()
        elif language == "text":
            assert printed == code
            printed = ""
        assert language == "python" or not printed, "what a block prints is shown below it"


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("*.md")], ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_shown_are_targets_of_the_makefile(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = set(re.findall(r"\bmake ([a-z-]+)`", page.read_text()))
    for language, code in BLOCK.findall(page.read_text()):
        if language == "sh":
            shown |= set(re.findall(r"^make ([a-z-]+)", code, re.MULTILINE))
    assert shown <= targets


def test_the_worked_example_shows_the_numbers_of_002_3bdb44851b502ebf() -> None:
    shown = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "worked_example.py")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for expected in (
        "│ x_2 = (-1, 0) │ (-1, 0, -2) │ (0, 0, 1)  │ (-8, 0)  │",
        "z_31 = 1·(-6) + (-2)·0 + 8·1 = 2",
        "a_32 = e^8 / (e^2 + e^8 + e^-20) = 0.997527",
        "c_3 = a_31 v_1 + a_32 v_2 + a_33 v_3 = (-7.9407, 0.066761)",
    ):
        assert expected in shown


def test_the_designs_shown_are_those_that_theory_gives() -> None:
    shown = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "designs.py")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for expected in (
        # The leak r has r/2 = 0.001, so that e^C = 4 (1 - r) / (2 r) = 998, C = 6.906 = 3/2 · 4.604.
        "query   (4.604, 4.604, -2.302, -2.302, -2.302, -2.302)",
        "holds: 3 of 3 claims",
        "no query gives key 0 more than 0.2: it is an average of other keys.",  # 1 / (1 + e^ln 4)
        "d_k                  1 (the smallest possible)",
        "two heads      2      0.0685    0.0244   0.17",
    ):
        assert expected in shown
