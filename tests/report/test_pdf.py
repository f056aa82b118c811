"""PDF and LaTeX: right after one run, and nothing sticks out of the page."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from regard import problems, report
from regard.errors import RegardError
from regard.report import pdf
from report.tools import compile_latex
from solving.reading import solved

SOME = (
    "average-two-values",
    "permute-through-a-block",
    "kv-cache-per-token",
    "one-head-under-noise",
)
BUNDLED = [
    pytest.param(name, marks=[] if name in SOME else [pytest.mark.slow])
    for name in problems.names()
]


@pytest.mark.tools
@pytest.mark.parametrize("name", BUNDLED)
def test_one_run_of_pdflatex_is_enough_and_no_box_is_overfull(name: str, tmp_path: Path) -> None:
    made = compile_latex(report.to_latex(solved(name).report()), tmp_path)
    assert made.read_bytes().startswith(b"%PDF")
    log = (tmp_path / "report.log").read_text("latin-1")
    assert re.findall(r"^Overfull .*", log, re.MULTILINE) == []
    assert "Rerun" not in log.replace("rerunfilecheck", "").partition("(./report.aux)")[2]


def test_without_a_program_the_message_says_what_would_do_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RegardError, match=r"PDF needs a LaTeX engine .* or a browser"):
        pdf.to_pdf(report.Report("T", ()))


@pytest.mark.tools
@pytest.mark.parametrize("programs", [pdf.ENGINES, pdf.BROWSERS])
def test_a_latex_engine_or_a_browser_makes_it(
    programs: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = shutil.which
    if not any(map(there, programs)):
        needed = f"needs one of {', '.join(programs)}"
        (pytest.fail if os.environ.get("REGARD_REQUIRE_TOOLS") else pytest.skip)(needed)
    monkeypatch.setattr(shutil, "which", lambda name: there(name) if name in programs else None)
    made = pdf.to_pdf(report.Report("Two keys", (report.Text("The first gets more."),)))
    assert made.startswith(b"%PDF")
