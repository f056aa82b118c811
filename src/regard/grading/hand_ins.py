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
from itertools import islice
from pathlib import Path

from regard.errors import ParameterError
from regard.grading.class_archive import is_archive, unpacked

CODE_ENDINGS = (".py", ".ipynb")
MOST_BYTES = {
    ".toml": 1_000_000,
    ".json": 1_000_000,
    ".py": 1_000_000,
    ".ipynb": 10_000_000,
    ".npz": 16_000_000,
}
MOST_FILES = 64  # in the folder of one student
MOST_DEPTH = 4  # of folders within it
_LEFT_OVER = ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini")
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
    """Open the folder with the hand-ins, or a ZIP archive of it; else ParameterError."""
    if is_archive(folder):
        with unpacked(folder, MOST_BYTES) as copy, class_folder(copy) as descriptor:
            yield descriptor
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "cannot be opened").lower()
        if isinstance(error, NotADirectoryError):
            reason = "this is a file. `regard check` judges one answer"
        raise ParameterError(
            f"grade: folder must be a folder with a file or a folder for each student, or a ZIP "
            f"archive of one. Got {str(folder)!r}: {reason}."
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
            is_folder = entry.is_dir(follow_symlinks=False)
            if _is_left_over(entry.name, is_folder):
                continue
            stem = entry.name if is_folder else Path(entry.name).stem
            found.setdefault(printable(stem), []).append(entry.name)
    return [HandIn(name, tuple(sorted(found[name]))) for name in sorted(found)]


def _is_left_over(name: str, is_folder: bool) -> bool:
    """Whether an entry is none of a student's, but one that a system or an editor leaves behind.

    Hidden files and folders are, but for files that end like an answer: nothing of these is lost.
    """
    is_hidden = name.startswith(".") and (is_folder or Path(name).suffix.lower() not in MOST_BYTES)
    return is_hidden or name.startswith("._") or name in _LEFT_OVER


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
    files = [*islice(_inside(descriptor, name, "", 0), MOST_FILES + 1)]
    if len(files) > MOST_FILES:
        return [_refused("", name, f"has more than {MOST_FILES} files")]
    return files or [_refused("", name, "is an empty folder")]


def _inside(descriptor: int, name: str, before: str, depth: int) -> Iterator[File]:
    """Yield the files of a folder and of folders in it; `before` is the way to what is in it."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        inside = os.open(name, flags, dir_fd=descriptor)
    except OSError as error:
        yield _refused("", before or name, (error.strerror or "cannot be opened").lower())
        return
    try:
        with os.scandir(inside) as entries:
            found = sorted((one.name, one.is_dir(follow_symlinks=False)) for one in entries)
        for entry, is_folder in found:
            if _is_left_over(entry, is_folder):
                continue
            if not is_folder:
                yield _file(inside, entry, alone=False, before=before)
            elif depth < MOST_DEPTH:
                yield from _inside(inside, entry, f"{before}{entry}/", depth + 1)
            else:
                yield _refused("", f"{before}{entry}", "lies in too many folders")
    finally:
        os.close(inside)


def _file(descriptor: int, entry: str, *, alone: bool, before: str = "") -> File:
    path, shown = Path(entry), "" if alone else printable(before + entry)
    stem, ending = "" if alone else printable(path.stem), path.suffix.lower()
    mode = _mode(descriptor, entry)  # before it is opened: what is a device may act on that
    if stat.S_ISLNK(mode):
        return _refused(stem, shown, "is a link, and links are not followed", ending)
    if mode and not stat.S_ISREG(mode):
        return _refused(stem, shown, "is no ordinary file", ending)
    try:
        opened = os.open(entry, _OPEN, dir_fd=descriptor)
    except OSError as error:
        return _refused(stem, shown, _reason(error), ending)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            return _refused(stem, shown, "is no ordinary file", ending)
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
