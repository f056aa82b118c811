"""Every attack on the box has a bounded outcome. All of it happens in child processes."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from regard.sandbox import Box, Limits
from regard.sandbox.protections import QUESTIONS, protections

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box of namespaces is Linux's")

SHORT = Limits(call=1.5, cpu=8)
# With every layer, and with the two that need no privilege at all.
WAYS = {
    "all": ("limits", "namespaces", "landlock", "user", "seccomp"),
    "two": ("limits", "landlock", "seccomp"),
}
ATTACKS = """
import os, socket, sys, threading, time

def fork_bomb():
    while True:
        os.fork()

def thread_bomb():
    started = []
    for _ in range(100_000):
        one = threading.Thread(target=time.sleep, args=(60,))
        one.start()
        started.append(one)

def loop():
    while True:
        pass

def sleep():
    time.sleep(1000)

def ten_gigabytes():
    import numpy as np
    return np.ones(10**10 // 8)[0]

def many_small_lists():
    kept = []
    while True:
        kept.append([0] * 1000)

def write(path):
    with open(path, "w") as file:
        file.write("gotcha")
    return True

def delete(path):
    os.remove(path)

def hide(path):
    os.chmod(path, 0)

def one_large_file():
    with open("large", "wb") as file:
        for _ in range(1000):
            file.write(bytes(1 << 20))
    return True

def many_files():
    count = 0
    try:
        while count < 100_000:
            with open(str(count), "w"):
                count += 1
    except OSError:
        pass
    return count

def connect(port):
    socket.create_connection(("127.0.0.1", port), 1)

def send(port):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))

def read(path):
    with open(path) as file:
        return file.read()

def listing(path):
    return str(os.listdir(path))

def memory(pid):
    with open(f"/proc/{pid}/mem", "rb") as file:
        return True

def signal(pid):
    os.kill(pid, 0)
    return True

def signal_all():
    os.kill(-1, 9)

def program():
    os.execv("/bin/sh", ["sh", "-c", "echo"])

def system():
    return os.system("true")

def huge_output():
    while True:
        sys.stdout.write("x" * 100_000)

def long_result():
    return "x" * 10**8

def terminal():
    raise ValueError("\\x1b[2J\\x1b]0;title\\x07<script>alert(1)</script>\\u202e" + "y" * 10**6)

def nasty_error():
    class Bad(Exception):
        def __str__(self):
            raise RuntimeError
    raise Bad()

def forge():
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\\xff\\xff\\xff\\xff garbage")
        except OSError:
            pass
    return 1

def forge_result():
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\\x00\\x00\\x00\\x17" + b'{"value":{"plain": 99}}')
        except OSError:
            pass
    return 1

def environment():
    return str(sorted(os.environ))

def modules():
    return str([name for name in sys.modules if "regard" in name])

def deep():
    return deep()

def crash():
    import ctypes
    return ctypes.string_at(0)

def fine(x):
    return 2 * x
"""


@pytest.fixture(scope="module", params=WAYS)
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    with Box(
        [("attacks.py", ATTACKS)], "attacks.py", limits=SHORT, wanted=WAYS[request.param]
    ) as made:
        made._starts = -1000  # so many attacks end it that it would be given up
        yield made


def told(box: Box, name: str, *arguments: Any) -> str:
    outcome = box.call(name, *arguments)
    assert outcome.failure is not None, outcome.value
    return outcome.failure.sentence


def test_it_works_before_and_after_and_on_arrays(box: Box) -> None:
    np.testing.assert_array_equal(box.call("fine", np.arange(3.0)).value, [0, 2, 4])


@pytest.mark.parametrize("name", ["fork_bomb", "program", "system"])
def test_no_other_process_is_started(box: Box, name: str) -> None:
    before = len(_children())
    outcome = box.call(name)
    if outcome.failure is None:
        assert outcome.value == 127 << 8  # os.system: no shell was started
    else:
        assert outcome.failure.kind == "PermissionError"
    assert len(_children()) <= before


def test_threads_are_bounded_by_memory_and_time(box: Box) -> None:
    started = time.monotonic()
    told(box, "thread_bomb")
    assert time.monotonic() - started < SHORT.call + 5
    assert box.call("fine", 2).value == 4


@pytest.mark.parametrize("name", ["loop", "sleep"])
def test_what_never_ends_is_stopped(box: Box, name: str) -> None:
    assert told(box, name) == "took longer than 2 s and was stopped"
    assert box.call("fine", 2).value == 4


@pytest.mark.parametrize("name", ["ten_gigabytes", "many_small_lists"])
def test_memory_is_bounded(box: Box, name: str) -> None:
    failure = box.call(name).failure
    assert failure is not None
    assert failure.kind in ("MemoryError", "_ArrayMemoryError") or failure.how in (
        "ended",
        "too long",
    )
    assert box.call("fine", 2).value == 4


def test_files_of_others_are_neither_read_nor_written_nor_changed(box: Box, tmp_path: Path) -> None:
    other = tmp_path / "another-student.py"
    other.write_text("secret")
    for attack in ("read", "write", "delete", "hide"):
        assert "Permission" in told(box, attack, str(other))
    assert other.read_text() == "secret"
    assert "Permission" in told(box, "write", str(tmp_path / "new"))
    assert "Permission" in told(box, "listing", str(tmp_path))
    # Nor is regard itself, which knows what is right.
    assert "Permission" in told(box, "read", regard.__file__)
    assert box.call("modules").value == "[]"


def test_the_disk_is_bounded(box: Box) -> None:
    box.call("one_large_file")
    assert "[Errno" in str(box.call("one_large_file").failure) or box.call("many_files").value == 0
    assert box.call("many_files").value <= SHORT.files


def test_the_network_is_closed(box: Box) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        server.setblocking(False)
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        told(box, "connect", server.getsockname()[1])
        told(box, "send", udp.getsockname()[1])
        with pytest.raises(BlockingIOError):
            server.accept()
        with pytest.raises(BlockingIOError):
            udp.recv(10)


def test_the_grader_is_neither_read_nor_signalled(box: Box) -> None:
    for attack in ("memory", "signal"):
        told(box, attack, os.getpid())
    told(box, "signal_all")
    assert box.call("fine", 2).value == 4


def test_the_environment_is_empty_but_for_its_folder_and_threads(box: Box) -> None:
    names = "['LANG', 'MKL_NUM_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'TMPDIR']"
    assert box.call("environment").value in (
        names,
        names.replace("'LANG', ", "'LANG', 'LC_CTYPE', "),
    )


def test_output_without_end_is_read_and_forgotten(box: Box) -> None:
    assert told(box, "huge_output") == "took longer than 2 s and was stopped"
    assert len(box.printed["stdout"]) <= 64_000 * 10
    assert box.call("long_result").value == "x" * 200


def test_what_an_exception_says_is_cut_and_has_no_escapes(box: Box) -> None:
    said = told(box, "terminal")
    assert said.startswith("raises ValueError: [2J]0;title<script>alert(1)</script>yyy")
    assert len(said) < 600
    assert said.isprintable()
    assert told(box, "nasty_error").startswith("raises Bad: (it cannot be printed)")


def test_a_forged_reply_is_refused_or_is_merely_an_answer(box: Box) -> None:
    assert told(box, "forge") in (
        "sent something that is no result",
        "took longer than 2 s and was stopped",
    )
    assert box.call("forge_result").value in (99, 1)
    box._stop()
    assert box.call("fine", 2).value == 4


@pytest.mark.parametrize("name", ["deep", "crash"])
def test_a_crash_is_told_and_the_next_call_runs(box: Box, name: str) -> None:
    assert told(box, name).startswith(("raises RecursionError", "ended the process"))
    assert box.call("fine", 2).value == 4


def test_nothing_is_left_of_a_box() -> None:
    with Box([("attacks.py", ATTACKS)], "attacks.py", limits=SHORT) as made:
        made.call("sleep")
        made.call("fine", 1)
        folder = made.folder
    assert not os.path.exists(folder)
    assert not any(folder in environment for environment in _environments())


def test_a_box_ends_with_its_grader(tmp_path: Path) -> None:
    """The grader is killed while a submission sleeps."""
    import signal
    import subprocess

    code = (
        "from regard.sandbox import Box, Limits\n"
        "with Box([('a.py', 'import time\\ndef f():\\n    time.sleep(60)\\n')], 'a.py') as box:\n"
        "    print(box.folder, flush=True)\n    box.call('f')\n"
    )
    grader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert grader.stdout is not None
    folder = grader.stdout.readline().strip()
    assert any(folder in environment for environment in _environments())
    grader.send_signal(signal.SIGKILL)
    grader.wait(10)
    grader.stdout.close()
    until = time.monotonic() + 10
    while (
        any(folder in environment for environment in _environments()) and time.monotonic() < until
    ):
        time.sleep(0.05)
    assert not any(folder in environment for environment in _environments())
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def test_a_hanging_function_costs_its_own_goal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from regard.kinds.code import judge

    monkeypatch.setattr(judge, "Limits", lambda: SHORT)
    files = Path(__file__).parents[1] / "answers" / "code"
    text = (
        files / "cross_plain.py"
    ).read_text() + "\n\ndef attention(query, key, value):\n    while True: pass\n"
    text += "\n\ndef cross_attention(x, context, W_Q, W_K, W_V):\n    return _own(x @ W_Q, context @ W_K, context @ W_V)\n"
    text += (
        (files / "cross_plain.py")
        .read_text()
        .split("import numpy as np")[1]
        .split("def cross")[0]
        .replace("def attention", "def _own")
    )
    found = regard.check("cross-attention-as-a-program", {"file": text})
    assert [goal.passed for goal in found.goals] == [False, True]
    assert "took longer than 2 s and was stopped" in found.goals[0].sentence
    assert found.misconception is None


def test_the_doctor_tries_what_it_says_and_knows_a_bare_process() -> None:
    assert protections().fit
    bare = protections(("limits",))
    assert not bare.fit
    assert bare.sentence == "only your own"
    assert {name for name, stopped in bare.stopped.items() if stopped} == {"memory", "time"}
    assert set(bare.stopped) == set(QUESTIONS)


def _children() -> list[str]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return file.read().split()


def _environments() -> Iterator[str]:
    for process in os.listdir("/proc"):
        if process.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as file:
                yield file.read().decode("utf-8", "replace")


def test_calls_that_each_take_a_while_are_stopped_together() -> None:
    source = "import time\n\ndef wait(x):\n    time.sleep(0.1)\n    return x\n"
    with Box([("mine.py", source)], "mine.py", limits=Limits(calls=0.15)) as box:
        found = [box.call("wait", 1.0) for _ in range(4)]
    assert [one.value for one in found[:2]] == [1.0, 1.0]
    assert {one.failure.how for one in found[2:]} == {"not tried"}
    assert found[3].failure.sentence == "was not tried: calls took longer than 0.15 s together"
