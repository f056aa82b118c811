"""GGUF files: the package `gguf` decodes tensors, quantised ones too, into float32."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import InvalidModel
from regard.models.formats.gguf_header import Damaged, read_header
from regard.models.tensors import Entry, Tensors

_WHOLE = {"F64": "<f8", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8"}
_FLOATS = {"F32": "<f4", "F16": "<f2"}


def read_gguf(path: Path) -> Tensors:
    """Open a GGUF file; it is mapped into memory, and tensors are decoded when asked for."""
    try:
        from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
        from gguf.quants import dequantize
    except ModuleNotFoundError:
        raise InvalidModel(f"{path}: GGUF needs a package: pip install 'regard[models]'.") from None

    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        sizes = {int(kind): size for kind, size in GGML_QUANT_SIZES.items()}
        config, places = read_header(data, sizes)
    except (Damaged, OSError, ValueError) as error:
        raise InvalidModel(f"{path}: is a damaged GGUF file: {error}.") from None

    def load(name: str) -> NDArray[Any]:
        place, kind = places[name], GGMLQuantizationType(places[name].kind)
        stored = _WHOLE.get(kind.name) or _FLOATS.get(kind.name) or "u1"
        found = np.frombuffer(
            data, stored, (place.end - place.first) // np.dtype(stored).itemsize, place.first
        )
        if kind.name in _WHOLE:
            return found.reshape(place.shape)
        rows = place.shape[:-1]
        try:
            decoded = np.asarray(
                dequantize(found.reshape(*rows, -1) if found.size else found, kind)
            )
        except NotImplementedError:
            raise InvalidModel(
                f"{path}: {name} is quantised as {kind.name}, "
                f"which the package gguf does not decode."
            ) from None
        except (ValueError, IndexError, TypeError) as error:
            raise InvalidModel(f"{path}: {name} cannot be decoded: {str(error)[:200]}.") from None
        return decoded.reshape(place.shape)

    return Tensors(
        str(path),
        "gguf",
        {
            name: Entry(place.shape, GGMLQuantizationType(place.kind).name)
            for name, place in places.items()
        },
        load,
        config=config,
    )
