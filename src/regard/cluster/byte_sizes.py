"""Amounts of memory as people write them: "512MiB", "2 GB", 1000000."""

from __future__ import annotations

import re

from regard.errors import ParameterError

_UNITS = {"": 1, "b": 1}
_UNITS |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)}
_UNITS |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)}
_WRITTEN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def read_bytes(function: str, name: str, given: object) -> int:
    """Return a number of bytes, given as such or as a word.

    >>> read_bytes("attention", "memory", "1.5KiB"), read_bytes("attention", "memory", "2 MB")
    (1536, 2000000)
    """
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    found = _WRITTEN.fullmatch(given) if isinstance(given, str) else None
    if found and found[2].lower() in _UNITS:
        size = int(float(found[1]) * _UNITS[found[2].lower()])
        if size > 0:
            return size
    raise ParameterError(
        f"{function}: {name} must be a number of bytes, or words such as '512MiB' or '2 GB'. "
        f"Got {given!r}."
    )


def written(size: float) -> str:
    """Write a number of bytes with three digits.

    >>> written(512 * 2**20), written(1300)
    ('512 MiB', '1.27 KiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"
