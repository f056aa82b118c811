"""How large a formula may be."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 2048  # bytes of UTF-8
MOST_NODES: Final = 200
DEEPEST: Final = 32
LARGEST_EXPONENT: Final = 64
MOST_DIGITS: Final = 40
# Of what a formula computes on the way: entries of one array, and multiplications in all.
MOST_ENTRIES: Final = 10**7
MOST_WORK: Final = 2 * 10**10
