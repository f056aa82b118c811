"""Units and prefixes as people write them: 2.5 MiB, 1.05M, 512 KB, 3.1e23 FLOPs, 7 billion."""

from __future__ import annotations

from fractions import Fraction

_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5}
_DECIMAL = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_WORDS = {"thousand": 1, "million": 2, "billion": 3, "trillion": 4, "quadrillion": 5}
_BYTES = ("B", "byte", "bytes", "Byte", "Bytes")
_BITS = ("bit", "bits", "Bit", "Bits")
_COUNTED = (
    "parameters", "parameter", "params", "param", "weights", "numbers", "entries", "floats",
    "FLOP", "FLOPs", "FLOPS", "flop", "flops", "operations", "ops", "multiplications", "mults",
    "additions", "adds", "MACs", "pairs", "tokens", "heads", "times",
)  # fmt: skip


def unit(name: str, *, of_bytes: bool, binary: bool) -> Fraction | None:
    """Return what a unit multiplies a number by; None where it is none.

    Args:
        name: as it is written.
        of_bytes: whether bytes are counted: then B is a byte, and otherwise a billion.
        binary: whether KB, MB and GB are 2¹⁰, 2²⁰ and 2³⁰ bytes.

    >>> unit("MiB", of_bytes=True, binary=False), unit("M", of_bytes=False, binary=True)
    (Fraction(1048576, 1), Fraction(1000000, 1))
    """
    if name in _COUNTED or (of_bytes and name in _BYTES):
        return Fraction(1)
    if of_bytes and name in _BITS:
        return Fraction(1, 8)
    if name in _WORDS:
        return Fraction(1000) ** _WORDS[name]
    if name == "B":
        return Fraction(10) ** 9
    for ending in ("", "B", "bytes", "FLOP", "FLOPs", "FLOPS", "flops"):
        stem = name.removesuffix(ending) if ending else name
        if stem == name and ending:
            continue
        if stem in _BINARY:
            return Fraction(1024) ** _BINARY[stem]
        if stem in _DECIMAL:
            base = 1024 if binary and of_bytes and ending in ("B", "bytes") else 1000
            return Fraction(base) ** _DECIMAL[stem]
    for ending in ("bit", "bits", "b"):
        if of_bytes and name.endswith(ending) and name.removesuffix(ending) in _DECIMAL:
            return Fraction(1000) ** _DECIMAL[name.removesuffix(ending)] / 8
    return None


def is_prefix(name: str) -> bool:
    """Whether a unit makes a number larger: then the digits before it may be rounded."""
    found = unit(name, of_bytes=True, binary=False) or Fraction(1)
    return found > 1 or unit(name, of_bytes=False, binary=False) not in (None, Fraction(1))
