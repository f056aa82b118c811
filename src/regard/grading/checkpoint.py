"""What has been judged so far: a file that is only added to, and that survives being cut short.

A line holds the key of a hand-in to a problem, the checksum of its record and the record. Each line
is on the disk before the next is written. Whatever stops the run, what follows the last whole line
is cut off when it goes on.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from regard.errors import ParameterError

NAME = "progress.jsonl"


class Checkpoint:
    """Records by key, in a file of a folder; one run at a time may have it open.

    Raises:
        ParameterError: the file cannot be used, or another run uses it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise _unusable(self.path, error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise ParameterError(f"grade: {folder} is in use by another run.") from None
        self._records: dict[str, bytes] = {}
        self._end = self._read()
        os.ftruncate(self._file, self._end)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def get(self, key: str) -> Any:
        """Return the record with this key, or None."""
        found = self._records.get(key)
        return None if found is None else json.loads(found)

    def __contains__(self, key: str) -> bool:
        return key in self._records

    def add(self, key: str, record: bytes) -> None:
        """Keep a record, JSON in one line, and return when it is on the disk."""
        line = b"%s %s %s\n" % (key.encode("ascii"), _checksum(record), record)
        try:
            written = 0
            while written < len(line):  # on a full disk a part is written without an error
                written += os.pwrite(self._file, line[written:], self._end + written)
            os.fdatasync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._end)
            raise _unusable(self.path, error) from None
        self._end += len(line)
        self._records[key] = record

    def _read(self) -> int:
        """Read whole lines; return where the last of them ends."""
        data = self.path.read_bytes()
        end = 0
        while (stop := data.find(b"\n", end)) >= 0:
            parts = data[end:stop].split(b" ", 2)
            if len(parts) != 3 or parts[1] != _checksum(parts[2]):
                break
            self._records[parts[0].decode("ascii", "replace")] = parts[2]
            end = stop + 1
        return end


def _checksum(record: bytes) -> bytes:
    return hashlib.sha256(record).hexdigest()[:16].encode("ascii")


def _unusable(path: Path, error: OSError) -> ParameterError:
    reason = (error.strerror or "no reason given").lower()
    return ParameterError(f"grade: {path}: cannot be written: {reason}.")
