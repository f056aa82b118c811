"""The pool of processes: what one task does to itself, it does to no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.grading.pool import Pool, Stopped

PROGRAM = (sys.executable, str(Path(__file__).with_name("toy_worker.py")))


def results(tasks: list[str], *, workers: int = 2, seconds: float = 30.0) -> dict[str, object]:
    """Do tasks, each of its own name, and return what came of them."""
    found: dict[str, object] = {}

    def done(task: str, reply: bytes | Stopped) -> None:
        assert task not in found
        found[task] = reply

    pool = Pool[str](workers, lambda task: [task.encode()], seconds=seconds, program=PROGRAM)
    pool.run(iter(tasks), done)
    assert not pool._alive
    return found


def is_done(reply: object) -> bool:
    return isinstance(reply, bytes) and b"done by" in reply


def test_tasks_that_crash_hang_or_grow_cost_themselves_only(tmp_path: Path) -> None:
    honest = [f"work {i}" for i in range(40)]
    bad = {
        "crash 1": Stopped.CRASH,
        "hang 1": Stopped.TIME,
        "allocate 1": Stopped.MEMORY,
    }
    mixed = [*honest[:10], *bad, *honest[10:]]
    found = results(mixed, seconds=2.0)
    assert {task: found[task] for task in bad} == bad
    assert all(is_done(found[task]) for task in honest)
    assert len(found) == len(mixed)


def test_a_task_whose_process_was_ended_from_outside_is_tried_again(tmp_path: Path) -> None:
    task = f"crash-once {tmp_path / 'mark'}"
    assert is_done(results([task, "work"])[task])


def test_two_tasks_are_under_way_at_the_same_time(tmp_path: Path) -> None:
    found = results([f"meet-1 {tmp_path}", f"meet-2 {tmp_path}"])
    assert all(is_done(reply) for reply in found.values())
    assert len(list(tmp_path.iterdir())) == 2


def test_no_more_processes_are_started_than_there_are_tasks() -> None:
    assert len(set(results(["work 1"], workers=8).values())) == 1


def test_no_tasks_are_done_at_once() -> None:
    assert results([]) == {}


def test_a_program_that_does_not_start_is_an_error() -> None:
    pool = Pool[str](2, lambda task: [b""], program=(sys.executable, "-c", "raise SystemExit"))
    with pytest.raises(RegardError, match="cannot be started"):
        pool.run(iter(["work"]), lambda *_: None)
    assert not pool._alive


def test_where_no_process_can_be_started_it_is_said() -> None:
    pool = Pool[str](2, lambda task: [b""], program=("/nowhere/python",))
    with pytest.raises(RegardError) as caught:
        pool.run(iter(["work"]), lambda *_: None)
    assert str(caught.value) == (
        "grade: answers of others are judged in processes of their own, and none can be started "
        "here: No such file or directory. One answer is judged by regard check."
    )
    assert not pool._alive


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys\n"
        "from regard.grading.pool import Pool\n"
        f"pool = Pool(2, lambda task: [task], program={PROGRAM!r})\n"
        "def done(task, reply):\n"
        "    print(reply.decode().rpartition(' ')[2], flush=True)\n"
        "pool.run(iter([b'work', b'work', b'hang', b'hang']), done)\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    workers = {int(parent.stdout.readline()) for _ in range(2)}
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while any(_runs(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(_runs(pid) for pid in workers)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z" and os.path.exists(f"/proc/{pid}")


def test_a_process_without_work_waits_while_another_takes_its_time() -> None:
    # The first is done at once; its time is over before that of the second.
    found = results(["work 1", "work 2", "work 3", "hang 1"], seconds=1.5)
    assert found["hang 1"] is Stopped.TIME
    assert all(is_done(found[f"work {i}"]) for i in (1, 2, 3))
