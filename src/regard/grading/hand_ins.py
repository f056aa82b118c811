"""The hand-ins of a class: a file or a folder for each student, read without trusting any of it.

A file is opened from the descriptor of its folder and never through a link; whether it is an
ordinary file, and how large, is asked of the open file. Pipes, devices, links and large files are
refused with a sentence, which becomes a row of the table.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from regard.errors import ParameterError

TEXT_ENDINGS = (".toml", ".json")
CODE_ENDINGS = (".py", ".ipynb")
MOST_BYTES = {
    ".toml": 1_000_000,
    ".json": 1_000_000,
    ".py": 1_000_000,
    ".ipynb": 10_000_000,
    ".npz": 16_000_000,
}
MOST_FILES = 64  # in the folder of one student
_LEFT_OVER = (".DS_Store", "__MACOSX", "Thumbs.db", ".git", ".gitkeep", ".ipynb_checkpoints")
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class File:
    """One file of a hand-in.

    Attributes:
        name: as a person may be shown it; "" where the file is all of the hand-in.
        stem: the name without its ending, which may name the problem; "" likewise.
        ending: such as ".toml".
        data: what is in it, or empty where it is refused.
        refused: why it was not read, or "".
    """

    name: str
    stem: str
    ending: str
    data: bytes = b""
    refused: str = ""


@dataclass(frozen=True)
class HandIn:
    """What one student handed in: names of entries, which `read` opens.

    Attributes:
        student: the stem of the file or the name of the folder.
        entries: the names in the class folder; several where a.toml and a.json are both there.
    """

    student: str
    entries: tuple[str, ...]


@contextmanager
def class_folder(folder: str | Path) -> Iterator[int]:
    """Open the folder with the hand-ins; ParameterError where that cannot be done."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "cannot be opened").lower()
        raise ParameterError(
            f"grade: folder must be a folder with a file or a folder for each student. "
            f"Got {str(folder)!r}: {reason}."
        ) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def find(descriptor: int) -> list[HandIn]:
    """Return the hand-ins in a folder, sorted by student, without what systems leave there.

    The student is the stem of a file, or the name of a folder.
    """
    found: dict[str, list[str]] = {}
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if _is_left_over(entry.name):
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            stem = entry.name if is_folder else Path(entry.name).stem
            found.setdefault(printable(stem), []).append(entry.name)
    return [HandIn(name, tuple(sorted(found[name]))) for name in sorted(found)]


def _is_left_over(name: str) -> bool:
    """Whether a file is none of a student's, but one that a system or an editor leaves behind."""
    return name in _LEFT_OVER or name.startswith("._")


def read(descriptor: int, hand_in: HandIn) -> tuple[File, ...]:
    """Return the files of a hand-in, in the order of their names; what is no file is refused."""
    files: list[File] = []
    for entry in hand_in.entries:
        try:
            mode = os.lstat(entry, dir_fd=descriptor).st_mode
        except OSError as error:
            files.append(_refused("", entry, (error.strerror or "cannot be read").lower()))
            continue
        if stat.S_ISDIR(mode):
            files += _folder(descriptor, entry)
        else:
            files.append(_file(descriptor, entry, alone=len(hand_in.entries) == 1))
    return tuple(files)


def _folder(descriptor: int, name: str) -> list[File]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        inside = os.open(name, flags, dir_fd=descriptor)
    except OSError as error:
        return [_refused("", name, (error.strerror or "cannot be opened").lower())]
    try:
        with os.scandir(inside) as entries:
            names = sorted(entry.name for entry in entries if not _is_left_over(entry.name))
        if len(names) > MOST_FILES:
            return [_refused("", name, f"has more than {MOST_FILES} files")]
        if not names:
            return [_refused("", name, "is an empty folder")]
        return [_file(inside, name, alone=False) for name in names]
    finally:
        os.close(inside)


def _file(descriptor: int, entry: str, *, alone: bool) -> File:
    path, shown = Path(entry), "" if alone else printable(entry)
    stem, ending = "" if alone else printable(path.stem), path.suffix.lower()
    try:
        opened = os.open(entry, _OPEN, dir_fd=descriptor)
    except OSError as error:
        is_link = stat.S_ISLNK(_mode(descriptor, entry))
        reason = "is a link, and links are not followed" if is_link else _reason(error)
        return _refused(stem, shown, reason, ending)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            what = "is a folder, which is not looked into" if is_folder else "is no ordinary file"
            return _refused(stem, shown, what, ending)
        if ending not in MOST_BYTES:
            kinds = ", ".join(MOST_BYTES)
            return _refused(stem, shown, f"is no answer file: its name must end in {kinds}", ending)
        most = MOST_BYTES[ending]
        if status.st_size > most:
            return _refused(stem, shown, f"is larger than {most // 1_000_000} MB", ending)
        with os.fdopen(os.dup(opened), "rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        return _refused(stem, shown, _reason(error), ending)
    finally:
        os.close(opened)
    if len(data) > most:  # it grew while it was read
        return _refused(stem, shown, f"is larger than {most // 1_000_000} MB", ending)
    return File(shown, stem, ending, data)


def _refused(stem: str, name: str, reason: str, ending: str = "") -> File:
    return File(printable(name), stem, ending, refused=reason)


def _reason(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or 'no reason given').lower()}"


def _mode(descriptor: int, entry: str) -> int:
    try:
        return os.lstat(entry, dir_fd=descriptor).st_mode
    except OSError:
        return 0


def printable(name: str) -> str:
    r"""Return the name of a file with what must not be shown written as \x1b; others stay.

    >>> printable("Zoë\x1b[31m")
    'Zoë\\x1b[31m'
    """
    if name.isprintable() and name.isascii():
        return name
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
