"""The command as `python -m regard` runs it, in this process: starting one each time is slow."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from unittest import mock

from regard.cli import main


def run(*arguments: str, given: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """Run `regard` with these arguments; return its exit code and what it wrote."""
    data = given.encode() if isinstance(given, str) else given
    out, err = io.StringIO(), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["regard", *arguments]),
        mock.patch.object(sys, "stdin", stdin),
        mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    number = code if isinstance(code, int) else 0
    return subprocess.CompletedProcess(arguments, number, out.getvalue(), err.getvalue())
