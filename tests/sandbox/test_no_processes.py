"""Where no process can be started, a program is refused with a sentence, and nothing stays open."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest

from regard import check
from regard.errors import InvalidAnswer


def test_a_program_is_refused_by_a_sentence_where_there_are_no_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: Any, **options: Any) -> None:
        raise OSError(138, "emscripten does not support processes.")

    opened: list[int] = []
    pipe = os.pipe

    def counted() -> tuple[int, int]:
        ends = pipe()
        opened.extend(ends)
        return ends

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(os, "pipe", counted)
    with pytest.raises(InvalidAnswer, match=r"none can be started here: emscripten does not"):
        check("cross-attention-as-a-program", {"file": "def attend(): pass"})
    assert opened
    for end in opened:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(end)
