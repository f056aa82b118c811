"""The bar that is shown while a design takes long."""

from __future__ import annotations

import io
import sys
import time

import pytest

from regard.design import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setenv("TERM", "xterm")


def run(seconds: float) -> None:
    with progress.watched("a query over 7 keys") as tick:
        tick(0.5, 1.0)
        time.sleep(seconds)
        tick(0.999, 1.0)


def test_work_that_takes_longer_shows_a_bar_on_a_terminal(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    run(0.3)
    assert "a query over 7 keys" in terminal.getvalue()


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    run(0.0)
    assert "keys" not in terminal.getvalue()


def test_nothing_is_shown_where_there_is_no_terminal(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    run(0.1)
    assert file.getvalue() == ""
