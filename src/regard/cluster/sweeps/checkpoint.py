"""What a sweep has done so far, in a file that survives being killed at any moment.

A line for each cell: a checksum, a blank, and what came of it as JSON. The first line says which
sweep it is. Lines are only ever added. When the file is opened again, lines whose checksum is wrong
(torn by a kill, damaged on the disk) are left out, and their cells are done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regard.cluster.failures import ClusterError
from regard.cluster.sweeps.cells import Outcome
from regard.cluster.sweeps.files import cannot, write_all, write_whole

__all__ = ["Checkpoint"]

_SYNC = 1.0  # seconds between two times that the disk is waited for


@dataclass
class Checkpoint:
    """An open checkpoint.

    Attributes:
        path: where it is.
        found: what was there, by the names of the cells.
        damaged: how many lines could not be used.
    """

    path: Path
    found: dict[str, Outcome] = field(default_factory=dict)
    damaged: int = 0
    _descriptor: int = -1
    _length: int = 0
    _synced: float = 0.0

    @classmethod
    def open(cls, path: Path, header: Mapping[str, Any]) -> Checkpoint:
        """Open a checkpoint, or begin one.

        Args:
            path: the file.
            header: which sweep it is: plain data.

        Raises:
            ClusterError: it is that of another sweep, in use, or cannot be written.
        """
        self = cls(path)
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self._lock()
            with path.open("rb") as file:
                lines = self._read(file.read(), header)
            if self.damaged:  # the good lines alone, in one step
                self._rewrite(lines)
            self._length = os.lseek(self._descriptor, 0, os.SEEK_END)
            if not self._length:
                self._append(_line(dict(header)))
                self.sync()
        except OSError as error:
            self.close()
            raise cannot(path, error) from None
        except BaseException:
            self.close()
            raise
        return self

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ClusterError(
                f"{self.path}: another sweep is writing to it. Wait for it, or name another file."
            ) from None

    def _read(self, data: bytes, header: Mapping[str, Any]) -> list[bytes]:
        """Fill `found`, and return the lines that are as they were written."""
        good = []
        for line in data.splitlines(keepends=True):
            said = _checked(line)
            if said is None:
                self.damaged += 1
            elif "sweep" in said:
                self._compare(said, header)
                good.append(line)
            else:
                self.found[said["cell"]] = Outcome(
                    said["cell"], said["status"], said["result"], said["message"]
                )
                good.append(line)
        if good and "sweep" not in (_checked(good[0]) or {}):
            # The line that says whose these are is gone, so they may be anybody's.
            self.damaged += len(good)
            self.found.clear()
            return []
        return good

    def _compare(self, said: Mapping[str, Any], header: Mapping[str, Any]) -> None:
        for name, wanted in header.items():
            if said.get(name) != wanted:
                raise ClusterError(
                    f"{self.path}: is the checkpoint of another sweep: {name} was "
                    f"{said.get(name)!r}, and is {wanted!r}. Remove it to begin anew, or name "
                    "another file with checkpoint (--checkpoint)."
                )

    def _rewrite(self, lines: list[bytes]) -> None:
        write_whole(self.path, lambda beside: _write_lines(beside, lines))
        os.close(self._descriptor)
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND)
        self._lock()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Write down what came of some cells."""
        lines = [
            _line({"cell": o.name, "status": o.status, "result": o.result, "message": o.message})
            for o in outcomes
        ]
        try:
            self._append(b"".join(lines))
            if time.monotonic() - self._synced > _SYNC:
                self.sync()
        except OSError as error:
            os.ftruncate(self._descriptor, self._length)  # no half line stays
            reason = str(cannot(self.path, error))
            raise ClusterError(
                f"{reason} What was done before is kept: make room, and run the same again."
            ) from None

    def _append(self, data: bytes) -> None:
        write_all(self._descriptor, data)
        self._length += len(data)

    def names(self) -> set[str]:
        """Return the cells that are in the file, which an interrupt cannot make us miscount."""
        said = [_checked(line) for line in self.path.read_bytes().splitlines(keepends=True)]
        return {one["cell"] for one in said if one and "cell" in one}

    def sync(self) -> None:
        """Wait until the disk has it."""
        os.fsync(self._descriptor)
        self._synced = time.monotonic()

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _line(data: Mapping[str, Any]) -> bytes:
    text = json.dumps(data, separators=(",", ":")).encode()
    return _sum(text) + b" " + text + b"\n"


def _sum(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=8).hexdigest().encode()


def _checked(line: bytes) -> dict[str, Any] | None:
    """Return what a line says, or None where it is not as it was written."""
    said, blank, text = line.rstrip(b"\n").partition(b" ")
    if not (blank and line.endswith(b"\n") and said == _sum(text)):
        return None
    found: dict[str, Any] = json.loads(text)
    return found


def _write_lines(path: Path, lines: list[bytes]) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        write_all(descriptor, b"".join(lines))
    finally:
        os.close(descriptor)
