"""Every protection that this system allows, done in the order in which they allow each other.

What could not be done is reported, and whoever started the process decides whether that will do.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable
from typing import Any

# All of it now: once files are closed off, this folder cannot be read any more.
from . import landlock, namespaces, seccomp
from .system import PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, drop_capabilities, prctl

LAYERS = ("limits", "namespaces", "landlock", "user", "seccomp")
STRANGER = 65534  # "nobody": owns nothing
Setup = dict[str, Any]


def apply(setup: Setup, close: Iterable[int], load: Callable[[], None]) -> dict[str, str]:
    """Apply the layers, load what a submission needs, and filter system calls.

    Args:
        setup: `layers` (which to try), `limits`, `folder`, `readable`, `listable`.
        close: descriptors that belong to the process of the submission alone.
        load: imports NumPy; it runs once files are closed off and before calls are filtered.

    Returns:
        For each layer "" where it is in place, or why it is not.
    """
    done = dict.fromkeys(LAYERS, "not asked for")

    def layer(name: str, act: Callable[[], Any]) -> None:
        if name not in setup["layers"]:
            return
        try:
            act()
            done[name] = ""
        except (OSError, ImportError, ValueError, AttributeError) as error:
            done[name] = str(error) or type(error).__name__

    linux = sys.platform == "linux"
    if linux:
        _end_with_the_parent(setup["parent"])
        layer("namespaces", lambda: _namespaces(setup, close))
    layer("limits", lambda: _limits(setup["limits"]))
    if linux:
        layer("landlock", lambda: _landlock(setup, not done["namespaces"]))
        if done["landlock"]:
            layer("user", lambda: _user(setup["readable"]))
    load()
    if linux:
        layer("seccomp", seccomp.restrict)
    return done


def _end_with_the_parent(parent: int) -> None:
    prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:  # it ended before the signal was set
        os._exit(1)


def _namespaces(setup: Setup, close: Iterable[int]) -> None:
    limits = setup["limits"]
    # Tried by a process that is thrown away: half of it done would be worse than none.
    if child := os.fork():
        if os.waitpid(child, 0)[1]:
            raise OSError("namespaces: the system does not allow them")
    else:
        try:
            namespaces.enter(setup["folder"], limits["disk"], limits["files"])
            os._exit(0)
        finally:
            os._exit(1)
    namespaces.enter(setup["folder"], limits["disk"], limits["files"])
    namespaces.become_first(close, setup["parent"])


def _limits(limits: dict[str, int]) -> None:
    wanted = {
        # Soft and hard alike: the first process of a namespace ignores the signal in between.
        "RLIMIT_CPU": limits["cpu"],
        "RLIMIT_AS": limits["memory"],
        "RLIMIT_FSIZE": limits["disk"],
        "RLIMIT_NOFILE": 64,
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
    }
    for name, most in wanted.items():
        if name == "RLIMIT_AS" and sys.platform == "darwin":
            continue  # macOS refuses it
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(number, (most, most))


def _landlock(setup: Setup, own_folder: bool) -> None:
    landlock.version()  # before anything is given up that another layer would need
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    drop_capabilities()
    # A folder on the disk could be filled with small files: only one in memory may be written.
    writable = [setup["folder"]] if own_folder else []
    landlock.restrict(setup["readable"], setup["listable"], writable)


def _user(readable: list[str]) -> None:
    """Become a user that owns nothing, where Landlock is missing and this is root."""
    if os.getuid() != 0:
        raise OSError("user: only root can become another user")

    def change() -> None:
        os.setgroups([])
        os.setresgid(STRANGER, STRANGER, STRANGER)
        os.setresuid(STRANGER, STRANGER, STRANGER)

    # An interpreter in a closed home cannot be read any more: tried by a process thrown away.
    if child := os.fork():
        if os.waitpid(child, 0)[1]:
            raise OSError("user: the interpreter could not be read as another user")
    else:
        try:
            change()
            for path in readable:
                if os.path.exists(path):
                    os.listdir(path) if os.path.isdir(path) else os.close(os.open(path, 0))
            os.listdir(os.path.dirname(os.__file__))
            os._exit(0)
        finally:
            os._exit(1)
    change()
    prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))  # lost with the change
