"""Namespaces: no network, no process of others in sight, a small folder in memory, an end for all.

User namespaces are what lets an ordinary user do this. The first process of a pid namespace takes
all others with it when it ends; this process stays outside, waits for it and ends as it does.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable

from .system import PR_SET_PDEATHSIG, mount, prctl, unshare

MOUNTS, IPC, USER, PIDS, NETWORK = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
PRIVATE = 1 << 14 | 1 << 18  # MS_REC, MS_PRIVATE: mounts here are not seen outside
NO_PROGRAMS = 1 << 1 | 1 << 2 | 1 << 3  # MS_NOSUID, MS_NODEV, MS_NOEXEC
INNER = 1000  # the user as it is seen inside


def enter(folder: str, size: int, files: int) -> None:
    """Leave the namespaces of the grader, with a folder in memory of so many bytes and files.

    Raises:
        OSError: the system does not allow it; then perhaps some of it is done already.
    """
    user, group = os.getuid(), os.getgid()
    unshare(USER | NETWORK | IPC | MOUNTS | PIDS)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{INNER} {user} 1"),
        ("gid_map", f"{INNER} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    mount("none", "/", None, PRIVATE, None)
    mount("box", folder, "tmpfs", NO_PROGRAMS, f"size={size},nr_inodes={files},mode=700")
    os.chdir(folder)


def become_first(close: Iterable[int], parent: int) -> None:
    """Go on in a new process, the first of the pid namespace; this one waits and ends as it does.

    Args:
        close: descriptors that only the new process keeps, so that their ends are seen.
        parent: the grader; both processes end when it does.
    """
    prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))  # a new namespace has cleared it
    if os.getppid() != parent:
        os._exit(1)
    here, there = os.pipe()  # the new process sees by it whether this one is still there
    child = os.fork()
    if child:
        for descriptor in (*close, here):
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)
    os.close(there)
    prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    os.set_blocking(here, False)
    try:
        gone = os.read(here, 1) == b""
    except BlockingIOError:
        gone = False
    os.close(here)
    if gone:  # it ended before the signal was set
        os._exit(1)
