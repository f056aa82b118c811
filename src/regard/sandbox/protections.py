"""What the box keeps a submission from on this system, found by trying each thing once."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.errors import InvalidAnswer
from regard.sandbox.box import Box, Outcome
from regard.sandbox.inside.layers import LAYERS
from regard.sandbox.limits import MEGABYTE, Limits

LIMITS = Limits(call=1.0, memory=768 * MEGABYTE, disk=2 * MEGABYTE)
_PATIENCE = 2.0  # seconds; a busy machine takes some of them to end what was killed
_FILE = Path(__file__).parent / "inside" / "attempts.py"
QUESTIONS = {
    "network": "network closed",
    "files": "other files unreadable",
    "values": "expected values unreadable",
    "signals": "grader cannot be signalled",
    "processes": "processes bounded",
    "memory": "memory bounded",
    "disk": "disk bounded",
    "time": "time bounded",
    "outliving": "nothing outlives",
}


@dataclass(frozen=True)
class Protections:
    """What was tried, and whether it was stopped.

    Attributes:
        stopped: for each of QUESTIONS.
        layers: "" for each layer that is in place, or why it is not.
        unusable: why no box could be started at all, or "".
    """

    stopped: dict[str, bool]
    layers: dict[str, str]
    unusable: str = ""

    @property
    def fit(self) -> bool:
        """Whether the code of strangers may be run here."""
        return all(self.stopped.values())

    @property
    def sentence(self) -> str:
        """What this means, in words."""
        return "fit for strangers' code" if self.fit else "only your own"


def protections(layers: Sequence[str] = LAYERS) -> Protections:
    """Try what a submission might, in boxes that are thrown away."""
    cells = [("attempts.py", _FILE.read_text("utf-8"))]
    box = Box(cells, "attempts.py", limits=LIMITS, unsafe=True, wanted=layers)
    with tempfile.TemporaryDirectory(prefix="regard-doctor-") as folder:
        secret = secrets.token_hex(16)
        other = Path(folder) / "another-student.py"
        other.write_text(secret)
        os.chmod(folder, 0o755)  # as a class folder is: everybody may read it, and this may not
        try:
            with box, socket.create_server(("127.0.0.1", 0)) as server:
                server.setblocking(False)
                stopped = _tried(box, other, secret, server)
            stopped["outliving"] = _ended(box.folder)
        except (InvalidAnswer, OSError) as error:
            return Protections(dict.fromkeys(QUESTIONS, False), {}, str(error))
    return Protections(stopped, box.layers)


def _tried(box: Box, other: Path, secret: str, server: socket.socket) -> dict[str, bool]:
    pid = os.getpid()
    box.call("connect", server.getsockname()[1])
    stopped = {"network": not _connected(server)}
    stopped["files"] = box.call("read", str(other)).value != secret
    stopped["values"] = box.call("open_memory", pid).value is not True
    stopped["signals"] = box.call("signal", pid).value is not True
    stopped["processes"] = box.call("fork").value is not True
    stopped["memory"] = box.call("allocate", 2 * LIMITS.memory).value is not True
    stopped["disk"] = _number(box.call("fill", 20, LIMITS.disk // 2)) <= LIMITS.disk
    box.call("outlive")
    late = box.call("spin").failure
    stopped["time"] = late is not None and late.how == "too long"
    return {name: stopped.get(name, False) for name in QUESTIONS}


def _connected(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except OSError:
        return False
    return True


def _ended(folder: str) -> bool:
    """Whether all processes of a box end; those that were killed go when the system comes to it."""
    deadline = time.monotonic() + _PATIENCE
    while _left(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _left(folder: str) -> bool:
    """Whether a process of a box is still there; each has the box's own folder in its environment.

    Where processes cannot be looked at, one may be.
    """
    mark = f"TMPDIR={folder}".encode()
    try:
        processes = [entry for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:
        return True
    for process in processes:
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if mark in file.read():
                    return True
        except OSError:
            continue
    return False


def _number(outcome: Outcome) -> float:
    return outcome.value if isinstance(outcome.value, int) else 0
