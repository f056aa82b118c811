"""Landlock: from here on this process sees no files but those that are listed.

Linux 5.13 and later, without any privilege. Rules hold for whole trees and for this thread and
those it starts, so this is done while there is one thread only.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

from .system import PR_SET_NO_NEW_PRIVS, prctl, syscall

CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # on every architecture
READ_FILE, READ_DIR, TRUNCATE = 1 << 2, 1 << 3, 1 << 14
# Execute, write, read, truncate, ioctl: what a rule about one file may hold.
OF_FILES = 1 << 0 | 1 << 1 | READ_FILE | TRUNCATE | 1 << 15
RIGHTS = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 4: 1 << 15}  # known to a version: those below
ALL_RIGHTS = 1 << 16
TCP = 0b11  # bind and connect, from version 4 on
SCOPES = 0b11  # abstract sockets and signals, from version 6 on


class _Ruleset(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("files", "network", "scoped")]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """Return the version that the system has; OSError where it has none."""
    return syscall("landlock", CREATE, None, 0, 1)


def restrict(
    readable: Iterable[str], listable: Iterable[str] = (), writable: Iterable[str] = ()
) -> int:
    """Allow these trees and nothing else, and return the version of Landlock.

    Args:
        readable: files, or folders with all that is in them.
        listable: folders of which only the names of what is in them may be read.
        writable: folders in which anything may be done.

    Raises:
        OSError: the system does not have it, or does not allow it.
    """
    found = version()
    handled = RIGHTS.get(found, ALL_RIGHTS) - 1
    attributes = _Ruleset(handled, TCP if found >= 4 else 0, SCOPES if found >= 6 else 0)
    size = 24 if found >= 6 else 16 if found >= 4 else 8
    rules = syscall("landlock", CREATE, ctypes.byref(attributes), size, 0)
    try:
        for paths, rights in (
            (readable, READ_FILE | READ_DIR),
            (listable, READ_DIR),
            (writable, handled),
        ):
            for path in paths:
                _allow(rules, path, rights & handled)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        syscall("landlock", RESTRICT, rules, 0)
    finally:
        os.close(rules)
    return found


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there cannot be read anyway
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= OF_FILES
        if rights:
            rule = _Beneath(rights, descriptor)
            syscall("landlock", ADD_RULE, rules, 1, ctypes.byref(rule), 0)
    finally:
        os.close(descriptor)
