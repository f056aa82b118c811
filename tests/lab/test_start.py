"""The command `regard lab`: what is loaded before it says its address, and what it is told."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from regard.cli import app

SLOW = ("pydantic", "fastapi", "uvicorn", "asyncio", "scipy", "email", "regard.lab.table")
UNTIL_THE_ADDRESS = f"""
import sys
import regard.lab.serving.server as server
server._run = lambda *_: None
sys.argv = ["regard", "lab"{{flag}}]
loaded = []
from regard.cli import main
lab_module = sys.modules["regard.cli.lab"]
lab_module._say = lambda said: loaded.extend(m for m in {SLOW!r} if m in sys.modules)
try:
    main()
except SystemExit as end:
    assert end.code in (0, None)
print(loaded)
"""


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["", ', "--no-open"'])
def test_nothing_slow_is_loaded_before_the_address_is_said(flag: str) -> None:
    code = UNTIL_THE_ADDRESS.format(flag=flag)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "port", "opened"),
    [
        ([], 0, True),
        (["--no-open"], 0, False),
        (["--no-open", "--no-open"], 0, False),
        (["--port", "8123"], 8123, True),
        (["--no-open", "--port=8123"], 8123, False),
    ],
)
def test_flags_alone_mean_what_they_mean_beside_values(
    monkeypatch: pytest.MonkeyPatch, words: list[str], port: int, opened: bool
) -> None:
    told: list[Any] = []

    def serve(number: int, *, models: list[Any], open_browser: bool, say: Any) -> None:
        told.append((number, models, open_browser))

    monkeypatch.setattr("regard.lab.serving.server.serve", serve)
    assert CliRunner().invoke(app, ["lab", *words]).exit_code == 0
    assert told == [(port, [], opened)]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["lab", "--help"], 0, "Open the lab"),
        (["--help", "lab"], 0, "A workbench for the attention mechanism"),
        (["lab", "--port", "x"], 2, "--port"),
        (["lab", "--opened"], 2, "Try 'root lab --help' for help"),
        (["labb"], 2, "Did you mean 'lab'?"),
    ],
)
def test_help_and_mistakes_are_said_as_for_any_command(
    words: list[str], code: int, said: str
) -> None:
    done = CliRunner().invoke(app, words, prog_name="root")
    assert done.exit_code == code
    assert said in done.output
