"""Safetensors files: a header of JSON, then the numbers.

Everything the header says is checked against the size of the file before a byte of a tensor is
read: its own length, each tensor's place, that shapes and places agree and that none overlap. A
tensor is then read from its place and nothing else is.
"""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import InvalidModel
from regard.models.tensors import Entry, Tensors

MOST_HEADER = 100_000_000  # bytes, as in the library that made the format
MOST_DIMENSIONS = 16

SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1,
         "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1}  # fmt: skip
_NUMPY = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4",
          "I16": "<i2", "I8": "i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1",
          "BOOL": "u1"}  # fmt: skip


def read_safetensors(path: Path) -> Tensors:
    """Read the header of a file; tensors are read when they are asked for."""
    places, said = _places(path)

    def raw(name: str) -> bytes:
        _, _, first, end = places[name]
        return _bytes(path, first, end)

    return Tensors(
        str(path),
        "safetensors",
        {name: Entry(shape, dtype) for name, (dtype, shape, _, _) in places.items()},
        lambda name: _read(path, *places[name]),
        config=said,
        raw=raw,
    )


def to_bytes(array: NDArray[Any], dtype: str) -> bytes:
    """Return numbers as the bytes of a dtype, rounded to nearest even."""
    if dtype == "BF16":
        bits = np.ascontiguousarray(array, dtype="<f4").view("<u4").astype(np.uint64)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return rounded.astype("<u2").tobytes()
    if not dtype.startswith("F"):
        raise InvalidModel(f"numbers of type {dtype} cannot hold a head.")
    return np.ascontiguousarray(array, dtype=_NUMPY[dtype]).tobytes()


def _read(path: Path, dtype: str, shape: tuple[int, ...], first: int, end: int) -> NDArray[Any]:
    found = np.frombuffer(_bytes(path, first, end), dtype=_NUMPY[dtype]).reshape(shape)
    if dtype == "BF16":  # the upper half of a float32
        return (found.astype("<u4") << 16).view("<f4")
    return found


def write_safetensors(
    path: Path,
    tensors: Mapping[str, tuple[str, tuple[int, ...], Callable[[], bytes]]],
    metadata: Mapping[str, str],
) -> None:
    """Write dtype, shape and bytes by name; bytes are fetched one tensor at a time."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    at = 0
    for name, (dtype, shape, _) in tensors.items():
        end = at + SIZES[dtype] * math.prod(shape)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # numbers begin at a multiple of 8
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for _, _, fetch in tensors.values():
                file.write(fetch())
        part.replace(path)  # a file is whole or not there
    finally:
        part.unlink(missing_ok=True)


def _bytes(path: Path, first: int, end: int) -> bytes:
    with path.open("rb") as file:
        file.seek(first)
        data = file.read(end - first)
    if len(data) != end - first:
        raise InvalidModel(f"{path}: ends before its tensors do.")
    return data


Place = tuple[str, tuple[int, ...], int, int]


def _places(path: Path) -> tuple[dict[str, Place], dict[str, Any]]:
    """Return dtype, shape, first byte and end of each tensor, all checked, and what is said."""
    size = os.path.getsize(path)
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > min(size - 8, MOST_HEADER):
            raise InvalidModel(
                f"{path}: is no safetensors file: its header would have {length} bytes, and the "
                f"file has {size}."
            )
        text = file.read(length)
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise InvalidModel(f"{path}: is no safetensors file: its header is not JSON.")
    metadata = header.pop("__metadata__", None)
    start_of_data = 8 + length
    found = {}
    for name, said in header.items():
        dtype, shape, first, end = _place(path, name, said)
        if start_of_data + end > size:
            raise InvalidModel(
                f"{path}: {name} would end at byte {start_of_data + end}, and the file has {size}. "
                f"It may be cut off."
            )
        found[name] = (dtype, shape, start_of_data + first, start_of_data + end)
    in_order = sorted((first, end, name) for name, (_, _, first, end) in found.items())
    for (_, end, name), (first, _, other) in itertools.pairwise(in_order):
        if first < end:
            raise InvalidModel(f"{path}: {name} and {other} share bytes.")
    return found, _said(metadata)


def _said(metadata: Any) -> dict[str, Any]:
    """Return the metadata, whole numbers as such, under one key and those of regard's own too."""
    if not isinstance(metadata, dict):
        return {}
    words = {str(key): str(value) for key, value in metadata.items()}
    heads = words.get("regard.heads", "")
    own = {"regard.heads": int(heads)} if heads.isdigit() else {}
    return {"safetensors": words, **own}


def _place(path: Path, name: str, said: Any) -> Place:
    """Read one entry of a header, or say what is wrong with it."""
    fault = InvalidModel(f"{path}: the header's entry of {name[:80]!r} cannot be read.")
    if not isinstance(said, Mapping):
        raise fault
    dtype, shape, offsets = (said.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(shape, list) or not isinstance(offsets, list) or len(offsets) != 2:
        raise fault
    if len(shape) > MOST_DIMENSIONS or not all(
        type(n) is int and 0 <= n < 2**53 for n in (*shape, *offsets)
    ):
        raise fault
    if dtype not in SIZES:
        raise InvalidModel(
            f"{path}: {name} has numbers of type {str(dtype)[:20]!r}, which are not read here."
        )
    first, end = offsets
    if end - first != SIZES[dtype] * math.prod(shape):
        raise InvalidModel(
            f"{path}: {name} has shape {tuple(shape)} of {dtype} and {end - first} bytes."
        )
    return dtype, tuple(shape), first, end
