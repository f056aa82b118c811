"""A report as PDF: through a LaTeX engine, else printed by a browser, whichever is installed."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from regard.errors import RegardError
from regard.report.document import Report

ENGINES: Final = ("pdflatex", "lualatex", "tectonic")
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_SECONDS = 180


def to_pdf(report: Report) -> bytes:
    """Return a report as PDF.

    Raises:
        RegardError: neither a LaTeX engine nor a browser is there, or none of them did it; the
            message says what would.
    """
    wrong = ""
    for program in filter(None, map(shutil.which, (*ENGINES, *BROWSERS))):
        with TemporaryDirectory() as folder:
            made = _run(program, report, Path(folder))
            if made.exists():
                return made.read_bytes()
        wrong = f" {Path(program).name} is there, and made no PDF."
    raise RegardError(
        f"PDF needs a LaTeX engine ({', '.join(ENGINES)}) or a browser ({', '.join(BROWSERS[:3])}) "
        f"on the PATH.{wrong} On Debian: apt install texlive-latex-recommended texlive-pictures. "
        "Or write -o FILE.html, and print that from a browser."
    )


def _run(program: str, report: Report, folder: Path) -> Path:
    """Let a program write report.pdf into a folder, if it can."""
    from regard.report.html.page import to_html_page
    from regard.report.latex.article import to_latex

    name = Path(program).name
    if name in ENGINES:
        (folder / "report.tex").write_text(to_latex(report), encoding="ascii")
        options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        command = [program, *(options if name != "tectonic" else []), "report.tex"]
    else:
        (folder / "report.html").write_text(to_html_page(report), encoding="utf-8")
        command = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
            f"--user-data-dir={folder}", f"--print-to-pdf={folder / 'report.pdf'}",
            (folder / "report.html").as_uri(),
        ]  # fmt: skip
    with suppress(OSError, subprocess.TimeoutExpired):  # the next program may do it
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=_SECONDS)
        if _lists_pages(folder):
            subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=_SECONDS)
    return folder / "report.pdf"


def _lists_pages(folder: Path) -> bool:
    """Whether a run of LaTeX left page numbers for the contents, which a second one shows."""
    noted = folder / "report.aux"
    return noted.exists() and r"\regardstarts" in noted.read_text("ascii", "replace")
