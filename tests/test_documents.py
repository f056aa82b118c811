"""The code in the documents runs, and what it prints is what they say it prints."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

import regard

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "collections").glob("*.md")),
    ROOT / "bench" / "README.md",
]
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


PROBLEMS = [
    (page.name, code)
    for page in PAGES
    for language, code in BLOCK.findall(page.read_text())
    if language == "toml" and 'kind = "' in code
]


@pytest.mark.parametrize(("page", "text"), PROBLEMS, ids=lambda part: part[:60].split('"')[-2:][0])
def test_problems_in_the_documents_are_solved(page: str, text: str) -> None:
    solution = regard.solve(regard.problems.loads(text, page))
    assert solution.verdict is not regard.solving.Status.UNDECIDED
    assert solution.verification.holds


def test_every_kind_of_problem_has_an_example_in_the_documents() -> None:
    shown = {regard.problems.loads(text).kind for _, text in PROBLEMS}
    assert shown == set(regard.problems.KINDS)


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
