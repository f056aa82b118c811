"""GGUF files, through the package `gguf`: quantised tensors come back as float32."""

from __future__ import annotations

import os
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import InvalidModel
from regard.models.tensors import Entry, Tensors

LEAST_TENSOR, LEAST_PAIR = 24, 13  # bytes that an entry of the header takes at the very least


def read_gguf(path: Path) -> Tensors:
    """Open a GGUF file; it is mapped into memory, and tensors are decoded when asked for."""
    try:
        from gguf import GGUFReader
        from gguf.quants import dequantize
    except ModuleNotFoundError:
        raise InvalidModel(f"{path}: GGUF needs a package: pip install 'regard[models]'.") from None

    _check_counts(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = GGUFReader(str(path))
        config = {key: _value(field) for key, field in reader.fields.items() if _plain(field)}
        tensors = {tensor.name: tensor for tensor in reader.tensors}
    except Exception as error:  # the package raises whatever its arrays do
        raise InvalidModel(f"{path}: is a damaged GGUF file: {str(error)[:200]}.") from None

    def load(name: str) -> NDArray[Any]:
        tensor = tensors[name]
        try:
            found = np.asarray(dequantize(tensor.data, tensor.tensor_type))
        except NotImplementedError:
            raise InvalidModel(
                f"{path}: {name} is quantised as {tensor.tensor_type.name}, "
                f"which the package gguf does not decode."
            ) from None
        return found.reshape(tuple(int(n) for n in tensor.shape[::-1]))

    return Tensors(
        str(path),
        "gguf",
        {
            name: Entry(tuple(int(n) for n in tensor.shape[::-1]), tensor.tensor_type.name)
            for name, tensor in tensors.items()
        },
        load,
        config=config,
    )


def _check_counts(path: Path) -> None:
    """Refuse a header that counts more entries than the file has room for."""
    size = os.path.getsize(path)
    with path.open("rb") as file:
        start = file.read(24)
    if len(start) < 24:
        raise InvalidModel(f"{path}: is a damaged GGUF file: it has {size} bytes.")
    version, tensors, pairs = struct.unpack("<IQQ", start[4:])
    if version not in (2, 3):
        raise InvalidModel(f"{path}: is GGUF of version {version}; 2 and 3 are read.")
    if tensors * LEAST_TENSOR + pairs * LEAST_PAIR > size:
        raise InvalidModel(
            f"{path}: is a damaged GGUF file: it counts {tensors} tensors and {pairs} keys in "
            f"{size} bytes."
        )


def _plain(field: Any) -> bool:
    """Whether a field of the header is a value or a few; vocabularies are left where they are."""
    return len(field.data) <= 64


def _value(field: Any) -> Any:
    return field.contents()
