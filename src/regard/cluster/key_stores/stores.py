"""Where keys and values are: .npy files, Zarr stores, Dask arrays, or arrays in memory.

A store reads rows start ≤ j < stop of its last axis but one. Files are read into memory that is
used again and not mapped: what is mapped counts as memory of the process, and nobody bounds it.
"""

from __future__ import annotations

import math
import mmap
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from regard.arrays import NUMBERS, numbers
from regard.cluster.connection import needed
from regard.cluster.failures import ClusterError
from regard.errors import ParameterError

__all__ = ["ArrayStore", "DaskStore", "NpyFile", "Store", "ZarrStore", "open_store"]

Array = NDArray[Any]


class Store(Protocol):
    """Rows that are read when they are needed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (..., n, width) of all rows that are stored."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the numbers that are stored."""

    @property
    def chunk(self) -> int:
        """How many rows are stored in one piece that can only be read as a whole; 1 if any can."""

    def read(self, start: int, stop: int, memory: Array | None = None) -> Array:
        """Return rows (..., stop - start, width), in `memory`, bytes, where that can be used."""


@dataclass(frozen=True)
class NpyFile:
    """A .npy file, or another that holds the numbers of an array one after the other.

    Attributes:
        path: the file.
        shape, dtype: of the array.
        offset: where its numbers begin, in bytes.
    """

    path: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    chunk: int = 1

    def read(self, start: int, stop: int, memory: Array | None = None) -> Array:
        """Return rows, read into `memory` where it is given."""
        outer, (n, width) = self.shape[:-2], self.shape[-2:]
        row = width * self.dtype.itemsize
        count = math.prod(outer)
        size = count * (stop - start) * row
        if memory is None:
            memory = np.empty(size, np.uint8)
        file = os.open(self.path, os.O_RDONLY)
        try:
            for i in range(count):  # each of the outer axes has its rows in another place
                part = memory[i * (stop - start) * row : (i + 1) * (stop - start) * row]
                self._fill(file, part.data, self.offset + (i * n + start) * row)
        finally:
            os.close(file)
        return memory[:size].view(self.dtype).reshape(*outer, stop - start, width)

    def _fill(self, file: int, part: memoryview, place: int) -> None:
        while part:
            count = os.preadv(file, [part], place)
            if count == 0:
                raise ClusterError(f"{self.path}: is shorter than its header says.")
            part, place = part[count:], place + count


@dataclass(frozen=True)
class ArrayStore:
    """An array in memory; rows are viewed where they are."""

    array: Array
    chunk: int = 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (..., n, width) of all rows that are stored."""
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the numbers that are stored."""
        return self.array.dtype

    def read(self, start: int, stop: int, memory: Array | None = None) -> Array:
        """Return a view of the rows."""
        return self.array[..., start:stop, :]


@dataclass(frozen=True)
class _ChunkedStore:
    """An array of a library that keeps it in chunks."""

    array: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (..., n, width) of all rows that are stored."""
        return tuple(self.array.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the numbers that are stored."""
        return np.dtype(self.array.dtype)


class ZarrStore(_ChunkedStore):
    """An array of Zarr, which is read chunk by chunk."""

    @property
    def chunk(self) -> int:
        """The rows of a chunk, or of a shard, which is what is read at once."""
        return int((getattr(self.array, "shards", None) or self.array.chunks)[-2])

    def read(self, start: int, stop: int, memory: Array | None = None) -> Array:
        """Return rows as Zarr decodes them."""
        return np.asarray(self.array[..., start:stop, :])


class DaskStore(_ChunkedStore):
    """A Dask array: rows are computed when they are needed."""

    @property
    def chunk(self) -> int:
        """The rows of the largest chunk."""
        return int(max(self.array.chunks[-2]))

    def read(self, start: int, stop: int, memory: Array | None = None) -> Array:
        """Compute rows, in this process."""
        return np.asarray(self.array[..., start:stop, :].compute(scheduler="synchronous"))


def open_store(function: str, name: str, given: Any) -> Store:
    """Return the store behind a path, an array of Zarr or Dask, or an array in memory."""
    if given is None:
        raise ParameterError(
            f"{function}: {name} is None. Need a .npy file, a Zarr store, a Dask array or an array."
        )
    store = _open(function, name, given)
    if len(store.shape) < 2:
        raise ParameterError(
            f"{function}: {name} needs at least 2 axes (..., n_k, width). Got {store.shape}."
        )
    if any(math.isnan(n) for n in store.shape):
        raise ParameterError(
            f"{function}: {name} has chunks of unknown sizes: {name}.compute_chunk_sizes()."
        )
    kind = store.dtype.kind
    if kind not in "iuf" or (kind == "f" and store.dtype.itemsize > 8):
        raise ParameterError(f"{function}: {name} has dtype {store.dtype}. Need {NUMBERS}.")
    return store


def _open(function: str, name: str, given: Any) -> Store:
    if isinstance(given, str | Path):
        path = Path(given)
        if path.is_dir():
            zarr = needed("zarr", f"{function}: {name}={str(path)!r}, a folder,")
            try:
                return ZarrStore(zarr.open_array(str(path), mode="r"))
            except (OSError, ValueError, KeyError) as error:
                raise ParameterError(f"{function}: {path}: is no array of Zarr: {error}.") from None
        return _npy(function, path)
    module = type(given).__module__.partition(".")[0]
    if module in ("zarr", "dask"):
        if not hasattr(given, "chunks"):
            raise ParameterError(
                f"{function}: {name} is a {type(given).__name__} of {module.capitalize()}. Need "
                "one of its arrays."
            )
        return ZarrStore(given) if module == "zarr" else DaskStore(given)
    if isinstance(given, np.memmap) and given.flags.c_contiguous and _whole(given):
        return NpyFile(str(given.filename), given.shape, given.dtype, int(given.offset))
    return ArrayStore(numbers(function, name, given).array)


def _whole(array: Any) -> bool:
    """Whether a memory-mapped array is all of what was mapped, so that its offset is its own."""
    return isinstance(array.base, mmap.mmap) and array.filename is not None


def _npy(function: str, path: Path) -> NpyFile:
    try:
        with path.open("rb") as file:
            version = np.lib.format.read_magic(file)
            read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
                version, np.lib.format.read_array_header_2_0
            )
            shape, columns_first, dtype = read(file)
            offset = file.tell()
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise ParameterError(f"{function}: {path}: {reason}.") from None
    except ValueError:
        raise ParameterError(
            f"{function}: {path}: is no .npy file. `np.save` writes one; a folder is read as Zarr."
        ) from None
    if columns_first and len(shape) > 1:
        raise ParameterError(
            f"{function}: {path}: is stored column by column, and rows cannot be read from that. "
            "Save np.ascontiguousarray(array)."
        )
    if size < offset + math.prod(shape) * dtype.itemsize:
        raise ParameterError(f"{function}: {path}: is shorter than its header says.")
    return NpyFile(str(path.absolute()), tuple(shape), dtype, offset)
