"""What a submission writes on the pipe of replies is an answer or no result, and never our fault."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import regard
from regard.errors import InvalidAnswer
from regard.sandbox import Box, Limits
from regard.sandbox.inside import frames

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box of namespaces is Linux's")

FORGE = """
import os
import struct

def forge(data, times=1, before="", after=""):
    data = (before + data * times + after).encode("latin-1")
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, struct.pack(">I", len(data)) + data)
        except OSError:
            pass
    return 1
"""
WATCH = """
import ctypes
import fcntl
import os

libc = ctypes.CDLL(None)

def watch(folder):
    descriptor = libc.inotify_init()
    return libc.inotify_add_watch(descriptor, folder.encode(), 0xFFF)

def lease():
    with open(os.__file__) as file:
        fcntl.fcntl(file, 1024, fcntl.F_RDLCK)
"""
NO_RESULT = "sent something that is no result"
DEEP = "[" * 20_000 + "]" * 20_000


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box([("a.py", FORGE)], "a.py", limits=Limits(call=5), wanted=WANTED) as made:
        made._starts = -1000
        yield made


WANTED = ("limits", "landlock", "seccomp")


@pytest.mark.parametrize(
    "reply",
    [
        "[1, 2]",
        "null",
        "{}",
        '{"value": {"float": "0x1p999999"}}',
        '{"value": {"float": "so much"}}',
        '{"value": {"plain": -9007199254740992}}',
        '{"value": {"plain": 1e999}}',
        '{"value": {"plain": 1}, "changed": 5}',
        '{"value": {"array": "float64", "shape": [0, 32000000, 32000000, 32000000], "data": ""}}',
        '{"value": {"array": "float64", "shape": [true], "data": "AAAAAAAA8D8="}}',
        '{"value": {"array": "object", "shape": [1], "data": "AAAAAAAA8D8="}}',
        '{"raised": {}}',
        '{"raised": 7}',
        "\xff\xfe",
    ],
)
def test_a_forged_reply_that_is_none_is_told_as_such(box: Box, reply: str) -> None:
    failure = box.call("forge", reply).failure
    assert failure is not None
    assert failure.sentence == NO_RESULT
    box._stop()


@pytest.mark.parametrize(
    ("piece", "times", "before", "after"),
    [("[", 100_000, "", "]" * 9), ("9", 4000, '{"value": {"plain": ', "}}")],
)
def test_depth_and_digits_without_end_are_no_result(
    box: Box, piece: str, times: int, before: str, after: str
) -> None:
    failure = box.call("forge", piece, times, before, after).failure
    assert failure is not None
    assert failure.sentence == NO_RESULT
    box._stop()


def test_a_forged_text_is_cut_and_a_forged_error_has_no_escapes(box: Box) -> None:
    found = box.call("forge", "x", 1_000_000, '{"value": {"plain": "', '"}}')
    assert found.value == "x" * 200
    box._stop()
    said = '{"raised": {"kind": "A\\u001b[31m", "said": "\\u0000\\u202e", "line": 0, "text": ""}}'
    failure = box.call("forge", said).failure
    assert failure is not None
    assert failure.sentence == "raises A[31m"
    box._stop()


@pytest.mark.parametrize(
    "reply", [DEEP, '{"defined": 5, "failed": []}', '{"defined": [], "failed": [7]}']
)
def test_a_file_that_forges_while_it_is_loaded_cannot_be_run(reply: str) -> None:
    source = f"{FORGE}\nforge({reply!r})\n"
    with pytest.raises(InvalidAnswer, match=r"a\.py: the file did not run to its end"):
        Box([("a.py", source)], "a.py", wanted=WANTED).__enter__()


def test_numbers_that_are_sent_come_back_as_they_are() -> None:
    values: list[Any] = [0, -7, 2**53 - 1, 0.1, -0.0, np.inf, True, None, "text", (1, (2.5, "x"))]
    for value in values:
        found = frames.decode(frames.encode(value))
        assert found == value
        assert type(found) is type(value)
    assert struct.unpack(">I", frames.frame({})[:4]) == (2,)


def test_nobody_is_watched_and_nobody_waits_for_a_lease(tmp_path: Any) -> None:
    with Box([("a.py", WATCH)], "a.py", wanted=WANTED) as box:
        assert box.call("watch", str(tmp_path)).value == -1
        failure = box.call("lease").failure
        assert failure is not None
        assert failure.kind == "PermissionError"


def test_a_forged_number_beyond_all_bounds_is_a_wrong_answer() -> None:
    reply = '{"value": {"plain": ' + "9" * 4000 + "}}"
    source = f"{FORGE}\ndef rotary(x, positions):\n    return forge({reply!r})\n"
    found = regard.check("rotary-as-a-program", {"file": source})
    assert found.score == 0
    assert NO_RESULT in found.goals[0].sentence
