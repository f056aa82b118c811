"""The tensors of a file, by name: shapes at once, numbers when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import InvalidModel
from regard.shapes import show

Array = NDArray[Any]


class SeveralModels(InvalidModel):
    """A folder or an archive has several models, and none of them was named.

    Attributes:
        members: their names.
    """

    def __init__(self, message: str, members: list[str]) -> None:
        super().__init__(message)
        self.members = members


LARGEST = 2**31  # bytes of one tensor, as floats: beyond it something is wrong with the file


@dataclass(frozen=True)
class Entry:
    """One tensor that a file says it has: its shape, and the name of its numbers in that file."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, eq=False)
class Tensors:
    """What a file of a model holds.

    Attributes:
        source: the file or folder, as messages call it.
        format: "safetensors", "gguf", "onnx" or "torch".
        entries: name → shape and dtype.
        load: reads one tensor by its name.
        config: what the file, or a config.json beside it, says of the model.
        raw: for formats whose tensors can be copied into a safetensors file, the bytes of one by
            its name; None for others.
        keep: what has to live as long as the tensors, such as an unpacked archive.
    """

    source: str
    format: str
    entries: Mapping[str, Entry]
    load: Callable[[str], Array]
    config: Mapping[str, Any] = field(default_factory=dict)
    raw: Callable[[str], bytes] | None = None
    keep: Any = None

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor without reading it."""
        if name not in self.entries:
            raise InvalidModel(f"{self.source}: has no tensor {name!r}.")
        return self.entries[name].shape

    def read(self, name: str) -> Array:
        """Read one tensor as float32, or as float64 where it is stored so.

        Raises:
            InvalidModel: there is none, it cannot be read, or it holds NaN or infinity.
        """
        shape = self.shape(name)
        if 4 * int(np.prod(shape, dtype=object)) > LARGEST:
            raise InvalidModel(f"{self.source}: {name} {show(shape)} is too large to be read.")
        found = self.load(name)
        if found.shape != shape:
            raise InvalidModel(
                f"{self.source}: {name} says {show(shape)} and holds {show(found.shape)}."
            )
        numbers = found if found.dtype == np.float64 else found.astype(np.float32, copy=False)
        if not np.isfinite(numbers).all():
            raise InvalidModel(f"{self.source}: {name} holds NaN or infinity.")
        return numbers
