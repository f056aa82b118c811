"""Calls of the system that Python has no function for, through ctypes."""

from __future__ import annotations

import ctypes
import os
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, name: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def syscall(name: str, number: int, *arguments: Any) -> int:
    """Make a system call by its number; OSError with its name where it fails."""
    _libc.syscall.restype = ctypes.c_long
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *words), name)


def prctl(option: int, *arguments: Any) -> None:
    """Set something about this process; OSError where it fails."""
    words = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    words += [ctypes.c_ulong(0)] * (4 - len(words))
    _checked(_libc.prctl(ctypes.c_int(option), *words), f"prctl {option}")


def unshare(flags: int) -> None:
    """Leave namespaces that are shared with others."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None) -> None:
    """Mount a file system."""
    texts = [None if text is None else text.encode() for text in (kind, options)]
    done = _libc.mount(source.encode(), target.encode(), texts[0], ctypes.c_ulong(flags), texts[1])
    _checked(done, "mount")


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def drop_capabilities() -> None:
    """Give up every capability, also those of a root in its own namespace."""
    header = _Header(0x20080522, 0)
    sets = (_Sets * 2)()
    _checked(_libc.capset(ctypes.byref(header), ctypes.byref(sets)), "capset")
