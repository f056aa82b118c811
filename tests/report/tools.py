"""Programs that some tests need: skipped without them, unless REGARD_REQUIRE_TOOLS is set."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def compile_latex(document: str, folder: Path) -> Path:
    """Compile a document with pdflatex; the test fails with the end of its log if that fails."""
    program = shutil.which("pdflatex")
    if program is None:
        reason = "pdflatex is not installed (Debian: texlive-latex-recommended, texlive-pictures)"
        if os.environ.get("REGARD_REQUIRE_TOOLS"):
            pytest.fail(reason)
        pytest.skip(reason)
    (folder / "report.tex").write_text(document, encoding="ascii")
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-3000:]
    return folder / "report.pdf"
