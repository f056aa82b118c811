"""The header of a GGUF file: keys with values, then where each tensor is.

It is read here and not by the package `gguf`, which builds Python objects for every entry of every
array and believes the lengths that a file claims. Here each length is checked against the bytes
that are left before anything is read, and arrays are stepped over: what they hold (vocabularies)
is of no use to heads.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Damaged", "Place", "read_header"]

LONGEST = 2**16  # bytes of a key, a name, or a text that is kept
MOST_STRINGS = 2**21  # in arrays, all together: vocabularies and merges have far fewer
MOST_ENTRIES = 2**18  # of keys, and of tensors
MOST_DIMENSIONS = 4  # of a tensor, as in the library that made the format
SHORT = 64  # entries of an array that is kept

_STRING, _ARRAY, _BOOL = 8, 9, 7
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?",
            10: "<Q", 11: "<q", 12: "<d"}  # fmt: skip


class Damaged(ValueError):
    """What is wrong with the header."""


@dataclass(frozen=True)
class Place:
    """Where the numbers of a tensor are.

    Attributes:
        shape: rows first, as numpy has it.
        kind: the number of its quantisation.
        first, end: bytes of the file.
    """

    shape: tuple[int, ...]
    kind: int
    first: int
    end: int


class _Cursor:
    """A place in the file that only moves forward, and never past its end."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data, self.at, self.size = data, at, len(data)
        self.strings = 0

    def step(self, count: int, what: str) -> int:
        """Move over `count` bytes and return where they begin."""
        if count > self.size - self.at:
            raise Damaged(f"{what} would take {count} bytes, and {self.size - self.at} are left")
        first, self.at = self.at, self.at + count
        return first

    def number(self, form: str, what: str) -> Any:
        return struct.unpack_from(form, self.data, self.step(struct.calcsize(form), what))[0]

    def text(self, what: str) -> str:
        length = self.number("<Q", what)
        if length > LONGEST:
            raise Damaged(f"{what} would have {length} bytes")
        first = self.step(length, what)
        try:
            return self.data[first : first + length].decode()
        except UnicodeDecodeError:
            raise Damaged(f"{what} is no text") from None

    def value(self, kind: int, key: str) -> Any:
        """Return a value, or None for a long text or array, which is stepped over."""
        if kind == _STRING:
            length = self.number("<Q", key)
            first = self.step(length, key)
            return self.data[first : first + length].decode("utf-8", "replace") \
                if length <= LONGEST else None  # fmt: skip
        if kind == _ARRAY:
            return self.array(key)
        if kind not in _NUMBERS:
            raise Damaged(f"{key} has values of an unknown kind {kind}")
        return self.number(_NUMBERS[kind], key)

    def over_texts(self, count: int, key: str) -> None:
        """Step over texts, each of which says its length before it."""
        length_at, data, at, last = struct.Struct("<Q").unpack_from, self.data, self.at, self.size
        for _ in range(count):
            if at + 8 > last:
                raise Damaged(f"{key} would end after the file does")
            at += 8 + length_at(data, at)[0]
        if at > last:
            raise Damaged(f"{key} would end after the file does")
        self.at = at

    def array(self, key: str) -> Any:
        kind, count = self.number("<I", key), self.number("<Q", key)
        if kind in _NUMBERS:
            if count > SHORT:
                self.step(count * struct.calcsize(_NUMBERS[kind]), key)
                return None
        elif kind != _STRING:
            raise Damaged(f"{key} is an array of values of the kind {kind}")
        else:
            self.strings += count
            if count * 8 > self.size - self.at or self.strings > MOST_STRINGS:
                raise Damaged(f"{key} would have {count} texts")
            if count > SHORT:
                self.over_texts(count, key)
                return None
        return [self.value(kind, key) for _ in range(count)]


def read_header(
    data: mmap.mmap, sizes: Mapping[int, tuple[int, int]]
) -> tuple[dict[str, Any], dict[str, Place]]:
    """Return keys with their values, and the places of tensors.

    Args:
        data: the file.
        sizes: for each quantisation how many numbers a block has, and how many bytes.

    Raises:
        Damaged: a length, a kind or a place does not fit the file.
    """
    if len(data) < 24:
        raise Damaged(f"it has {len(data)} bytes")
    version, tensors, pairs = struct.unpack_from("<IQQ", data, 4)
    if version not in (2, 3):
        raise Damaged(f"it is GGUF of version {version}; 2 and 3 are read")
    if max(tensors, pairs) > MOST_ENTRIES:
        raise Damaged(f"it counts {tensors} tensors and {pairs} keys in {len(data)} bytes")
    cursor, said = _Cursor(data, 24), {}
    for _ in range(pairs):
        key = cursor.text("a key")
        if key in said:
            raise Damaged(f"it has the key {key[:80]!r} twice")
        said[key] = cursor.value(cursor.number("<I", key[:80]), key[:80])
    infos = [_info(cursor) for _ in range(tensors)]
    alignment = said.get("general.alignment", 32)
    if type(alignment) is not int or not 8 <= alignment <= 2**20 or alignment & (alignment - 1):
        raise Damaged("its alignment is no power of two")
    start = cursor.at + -cursor.at % alignment
    return {key: x for key, x in said.items() if x is not None}, _places(
        infos, start, len(data), sizes
    )


def _info(cursor: _Cursor) -> tuple[str, tuple[int, ...], int, int]:
    """Return name, shape, quantisation and offset of one tensor."""
    name = cursor.text("a name")
    dimensions = cursor.number("<I", name[:80])
    if dimensions > MOST_DIMENSIONS:
        raise Damaged(f"{name[:80]} would have {dimensions} dimensions")
    shape = tuple(cursor.number("<Q", name[:80]) for _ in range(dimensions))[::-1]
    return name, shape, cursor.number("<I", name[:80]), cursor.number("<Q", name[:80])


def _places(
    infos: list[tuple[str, tuple[int, ...], int, int]],
    start: int,
    size: int,
    sizes: Mapping[int, tuple[int, int]],
) -> dict[str, Place]:
    """Check that every tensor is in the file, whole, and in no other's place."""
    found: dict[str, Place] = {}
    for name, shape, kind, offset in infos:
        short = name[:80]
        if name in found:
            raise Damaged(f"it has the tensor {short!r} twice")
        if kind not in sizes:
            raise Damaged(f"{short} is quantised in an unknown way, {kind}")
        block, width = sizes[kind]
        count = 1
        for n in shape:
            count *= n
        if count % block or (shape and shape[-1] % block):
            raise Damaged(f"{short} {shape} does not divide into blocks of {block}")
        first = start + offset
        end = first + count // block * width
        if end > size:
            raise Damaged(f"{short} would end at byte {end}, and the file has {size}")
        found[name] = Place(shape, kind, first, end)
    last, before = 0, ""
    for place, name in sorted(((place, name) for name, place in found.items()), key=_first):
        if place.first < last and place.end > place.first:
            raise Damaged(f"{before[:80]} and {name[:80]} share bytes")
        last, before = max(last, place.end), name
    return found


def _first(pair: tuple[Place, str]) -> tuple[int, int]:
    return pair[0].first, pair[0].end
