"""Files that are either whole or not there, also when the disk is full or the machine stops."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from regard.cluster.failures import ClusterError

__all__ = ["cannot", "write_all", "write_whole"]


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it: on a disk that fills up, a write is short before it fails."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Have a file written beside `path`, then put it in its place in one step.

    Raises:
        ClusterError: it cannot be written. What was at `path` before is still there, and nothing
            is left beside it.
    """
    beside = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(descriptor)
        beside = Path(name)
        beside.chmod(0o666 & ~_umask())  # mkstemp lets nobody else read
        write(beside)
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except OSError as error:
        raise cannot(path, error) from None
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def cannot(path: Path, error: OSError) -> ClusterError:
    """Return the error that says why a file cannot be written."""
    reason = (error.strerror or str(error) or "no reason given").lower()
    return ClusterError(f"{path}: cannot be written: {reason}.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
