"""Which variant of a problem a student gets: a number out of the student's name."""

from __future__ import annotations

import hashlib

SEEDS = 1_000_000


def student_seed(student: str) -> int:
    """Return the seed of a student's variants, the same on every machine.

    It is the first eight bytes of the SHA-256 of the name in UTF-8, read as one big-endian number,
    modulo a million; `regard variant PROBLEM --seed N` shows that variant.

    >>> student_seed("alice")
    220207
    """
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % SEEDS
