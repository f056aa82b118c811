"""What people type: each is understood, or answered with the fix, in these very words."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from cli.running import run

FOUND = tomllib.loads((Path(__file__).parent / "typed_mistakes.toml").read_text("utf-8"))["typed"]


def said(result: Any) -> str:
    """Return what a person reads first: the whole message, or a verdict up to its first gap."""
    return str(result.stderr or result.stdout.partition("\n\n")[0]).strip("\n")


def test_there_are_sixty_of_them_and_no_two_are_the_same() -> None:
    assert len({(one["problem"], *one["typed"], one.get("text")) for one in FOUND}) == len(FOUND)
    assert len(FOUND) >= 60


@pytest.mark.parametrize("one", FOUND, ids=[" ".join(one["typed"])[:40] for one in FOUND])
def test_it_is_understood_or_answered_with_the_fix(
    one: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if "text" in one:  # of the file that is named
        Path(one["typed"][0]).write_bytes(one["text"].encode(one.get("encoding", "utf-8")))
    result = run("check", one["problem"], *one["typed"])
    assert said(result) == one["says"].strip("\n")
    assert result.returncode == one["code"]


def test_a_file_with_a_formula_that_is_not_quoted_is_told_to_quote_it(tmp_path: Path) -> None:
    file = tmp_path / "answer.toml"
    file.write_text("q = C (k_a + k_b)\n")
    result = run("check", "average-two-values", str(file))
    assert result.returncode == 2
    assert "quote" in result.stderr


def test_a_file_with_latex_in_double_quotes_is_told_to_use_single_ones(tmp_path: Path) -> None:
    file = tmp_path / "answer.toml"
    file.write_text('q = "\\mathbf{k_a} + k_b"\n')
    result = run("check", "average-two-values", str(file))
    assert result.returncode == 2
    assert "single quotes" in result.stderr or "'" in result.stderr


@pytest.mark.parametrize("typed", ["C k_a\x1b[31m", "q=\x07k_a", "k_a\x9b31m", "\x1b]0;x\x07"])
def test_a_control_character_never_reaches_the_terminal(typed: str) -> None:
    result = run("check", "average-two-values", typed)
    shown = result.stdout + result.stderr
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in shown)
    assert result.returncode in (1, 2)
