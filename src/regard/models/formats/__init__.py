"""File formats, one file each. A file is taken for what it holds, not for what it is called."""

from __future__ import annotations

import zipfile
from pathlib import Path

from regard.errors import InvalidModel
from regard.models.tensors import Tensors

__all__ = ["open_tensors"]


def open_tensors(path: Path, member: str | None = None) -> Tensors:
    """Open a file, a folder or an archive; nothing but names and shapes is read yet.

    Raises:
        InvalidModel: there is none, or it cannot be read.
    """
    from regard.models.formats.folder import INDICES, read_folder, read_shards, with_config

    try:
        if path.is_dir():
            return read_folder(path, member)
        if path.exists() and not path.is_file():
            raise InvalidModel(f"{path}: is no file.")  # a pipe or a device could give for ever
        if path.name in INDICES:
            return with_config(read_shards(path), path.parent)
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise InvalidModel(f"{path}: cannot be read: {error.strerror or error}.") from None
    if start[:4] == b"PK\x03\x04" and not _is_torch(path):
        from regard.models.formats.archives import read_archive

        return read_archive(path, member)
    return with_config(open_file(path, start), path.parent)


def open_file(path: Path, start: bytes | None = None) -> Tensors:
    """Open one file of tensors by itself."""
    if start is None:
        with path.open("rb") as file:
            start = file.read(16)
    if start[:4] == b"GGUF":
        from regard.models.formats.gguf import read_gguf

        return read_gguf(path)
    if path.suffix == ".onnx":
        from regard.models.formats.onnx import read_onnx

        return read_onnx(path)
    if start[:4] == b"PK\x03\x04" or start[:1] == b"\x80":
        from regard.models.formats.torch import read_torch

        return read_torch(path)
    from regard.models.formats.safetensors import read_safetensors

    if path.suffix == ".safetensors" or start[8:9] == b"{":
        return read_safetensors(path)
    raise InvalidModel(
        f"{path}: is neither safetensors, GGUF, ONNX (.onnx), torch (.bin, .pt) nor an archive."
    )


def _is_torch(path: Path) -> bool:
    """Whether a zip file is one that torch wrote."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith("/data.pkl") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise InvalidModel(f"{path}: is a damaged archive.") from None
