"""PDF and LaTeX: right after one run, and nothing sticks out of the page."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import regard
from checking.answer_files import FOLDER, read_answers
from cli.running import run
from regard import problems, report
from regard.errors import RegardError
from regard.report import pdf
from regard.solving.joined import joined
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


WRONG = [
    pytest.param(path.stem, marks=[] if path.stem in ("query", "compute") else [pytest.mark.slow])
    for path in sorted(FOLDER.glob("*.toml"))
]
HANDOUTS = [
    ("ece537-ps9", None),
    pytest.param("cs114b-hw4", 7, marks=pytest.mark.slow),
    pytest.param("attention-exam", None, marks=pytest.mark.slow),
]


def sticking_out(given: report.Report, folder: Path) -> list[str]:
    """Return what LaTeX says of boxes that are too wide; one run has to be enough."""
    made = compile_latex(report.to_latex(given), folder)
    assert made.read_bytes().startswith(b"%PDF")
    log = (folder / "report.log").read_text("latin-1")
    assert "Rerun" not in log.replace("rerunfilecheck", "").partition("(./report.aux)")[2]
    return re.findall(r"^Overfull .*", log, re.MULTILINE)


@pytest.mark.tools
@pytest.mark.parametrize("name", BUNDLED)
def test_one_run_of_pdflatex_is_enough_and_no_box_is_overfull(name: str, tmp_path: Path) -> None:
    assert sticking_out(solved(name).report(), tmp_path) == []


@pytest.mark.tools
@pytest.mark.parametrize("kind", WRONG)
def test_nothing_sticks_out_of_the_verdict_on_a_wrong_answer(kind: str, tmp_path: Path) -> None:
    answers = read_answers(kind)
    verdict = answers.judged(answers.wrong[0])
    assert not verdict.right
    assert sticking_out(verdict.report(), tmp_path) == []


@pytest.mark.tools
@pytest.mark.parametrize(("collection", "seed"), HANDOUTS)
def test_nothing_sticks_out_of_a_handout(collection: str, seed: int | None, tmp_path: Path) -> None:
    seeded = [] if seed is None else ["--seed", str(seed)]
    made = run("handout", collection, *seeded, "-o", str(tmp_path / "handout.tex"))
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "handout.tex").read_text("ascii")
    assert text.count(r"\begin{regardexercise}") == len(problems.collection(collection).parts)
    compile_latex(text, tmp_path)
    log = (tmp_path / "report.log").read_text("latin-1")
    assert re.findall(r"^Overfull .*", log, re.MULTILINE) == []


@pytest.mark.tools
def test_nothing_sticks_out_of_a_trace(tmp_path: Path) -> None:
    found = regard.trace(np.eye(2), np.eye(2), [[1, 2], [0, 1]], [[1, 0], [2, 2]])
    assert sticking_out(found.report(), tmp_path) == []


@pytest.mark.tools
@pytest.mark.slow
@pytest.mark.parametrize("name", ["homework-2", "cs114b-hw4", "ece537-ps9"])
def test_nothing_sticks_out_of_a_collection(name: str, tmp_path: Path) -> None:
    asked = problems.collection(name)
    together = joined([solved(part.problem) for part in asked.parts], asked, page=False)
    assert sticking_out(together, tmp_path) == []


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
