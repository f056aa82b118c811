"""All hand-ins in one ZIP archive, as platforms of courses export them, unpacked without trust.

What is written depends on nothing that a member claims: names lose whatever leads out of the
folder, links become small files, and of each file no more is unpacked than shows that it is too
large. What comes out is a folder like any other, and is read as one.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from regard.errors import ParameterError

MOST_MEMBERS = 50_000
MOST_BYTES = 2_000_000_000  # of all that is unpacked
_PIECE = 1 << 16
_LONGEST = 120  # characters of a name: with four bytes each, what a file system takes is not passed
# Canvas: smithann_123_456_answer.toml. Moodle: Ann Smith_123_assignsubmission_file/answer.toml.
_CANVAS = re.compile(r"(?P<student>[^_/]+(?:_LATE)?_[0-9]+)_[0-9]+_(?P<file>[^/]+)")
_MOODLE = re.compile(r"(?P<student>[^/]+_[0-9]+)_assignsubmission_[a-z]+_?")


def is_archive(path: str | Path) -> bool:
    """Whether this is an ordinary file that is a ZIP archive, and no array of NumPy's."""
    try:
        return Path(path).suffix.lower() == ".zip" and zipfile.is_zipfile(path)
    except (OSError, ValueError):
        return False


@contextmanager
def unpacked(path: str | Path, most: Mapping[str, int]) -> Iterator[Path]:
    """Unpack an archive to a folder that is there for the time being.

    Args:
        path: of the archive.
        most: how many bytes of a file are of use, by its ending; of others, none.

    Raises:
        ParameterError: it cannot be read, is encrypted, or unpacks to more than there is room for.
    """
    with tempfile.TemporaryDirectory(prefix="regard-class-") as place:
        try:
            with _opened(path) as archive:
                _unpack(archive, Path(place), most)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise _unusable(path, f"cannot be read: {error}") from None
        except OSError as error:
            reason = (error.strerror or "no reason given").lower()
            raise _unusable(path, f"cannot be unpacked: {reason}") from None
        except RuntimeError:  # zipfile's word for a password
            raise _unusable(path, "is encrypted") from None
        except _TooMuch:
            raise _unusable(path, "unpacks to more than a class can hand in") from None
        yield Path(place)


class _TooMuch(Exception):
    """More members, or more bytes, than are unpacked."""


def _opened(path: str | Path) -> zipfile.ZipFile:
    """Open an archive; names are in UTF-8 also where it does not say so, if they can be."""
    try:
        return zipfile.ZipFile(path, metadata_encoding="utf-8")
    except UnicodeDecodeError:
        return zipfile.ZipFile(path)


def _unpack(archive: zipfile.ZipFile, place: Path, most: Mapping[str, int]) -> None:
    members = [(_steps(member.filename), member) for member in archive.infolist()]
    members = [(steps, member) for steps, member in members if steps[0] != "__MACOSX"]
    if len(members) > MOST_MEMBERS:
        raise _TooMuch
    top = _common_folder([steps for steps, member in members if not member.is_dir()])
    left = MOST_BYTES
    for steps, member in members:
        path = place.joinpath(*_by_student(steps[top:]))
        if member.is_dir():  # one that stays empty is a hand-in too
            path.mkdir(parents=True, exist_ok=True)
            continue
        path = _unused(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        left -= _copy(archive, member, path, min(left, most.get(path.suffix.lower(), 0) + 1))
        if left <= 0:
            raise _TooMuch


def _steps(name: str) -> list[str]:
    """Return the folders and the name of a member, without what leads elsewhere."""
    steps = name.replace("\\", "/").split("/")
    return [_short(step) for step in steps if step not in ("", ".", "..")] or ["unnamed"]


def _short(step: str) -> str:
    step = step.replace("\0", "")
    return step if len(step) <= _LONGEST else step[: _LONGEST - 20] + step[-20:]


def _common_folder(paths: list[list[str]]) -> int:
    """Return 1 where one folder holds everything, and more than the one file of a student."""
    inside = {steps[1] for steps in paths if len(steps) > 1}
    is_one = len({steps[0] for steps in paths}) == 1 and all(len(steps) > 1 for steps in paths)
    return 1 if is_one and len(inside) > 1 else 0


def _by_student(steps: list[str]) -> list[str]:
    """Return where a file goes: what platforms put around a student's name is left out."""
    if len(steps) == 1 and (found := _CANVAS.fullmatch(steps[0])):
        return [found["student"], found["file"]]
    if steps and (found := _MOODLE.fullmatch(steps[0])):
        return [found["student"], *steps[1:]]
    return steps


def _unused(path: Path) -> Path:
    """Return the path, or one beside it where an archive holds two files of one name."""
    free, number = path, 2
    while free.exists():
        free, number = path.with_name(f"{path.stem} ({number}){path.suffix}"), number + 1
    return free


def _copy(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, most: int) -> int:
    """Unpack the beginning of a member to a new file; return how many bytes."""
    written = 0
    with archive.open(member) as source, path.open("xb") as target:
        while written < most and (piece := source.read(min(_PIECE, most - written))):
            written += target.write(piece)
    return written


def _unusable(path: str | Path, why: str) -> ParameterError:
    return ParameterError(f"grade: folder: {str(path)!r} {why}. Unpack it, and name its folder.")
