"""What to write for an answer that comes in pieces: without quotes, without names, with a * spread.

A shell parts words at spaces and writes the names of files for a *.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["unnamed"]

_SIGNS: Final = frozenset("+-*/=−·×@")


def unnamed(
    said: Sequence[str],
    pieces: Sequence[tuple[str, str]],
    missing: Sequence[str],
    needed: Sequence[str],
) -> str:
    """Say how fields are named, with what was written where its order tells which is which.

    Args:
        said: the arguments, as they came.
        pieces: the field that each names, or "", and what it says of it.
        missing: the fields that an answer must have and that none of them names.
        needed: all fields that an answer must have.
    """
    nameless = [_shown(value) for name, value in pieces if not name]
    first = f"{nameless[0]!r}"
    spread = _spread(said)
    if spread:
        return (
            f"{first}: the shell has put names of files in the place of a *. Put quotes around "
            f"the answer: {_quoted(spread)}"
        )
    if not needed:
        return f'{first}: with several fields write each as field=formula, such as q_1="C k_a".'
    together = _together(pieces)
    if together:
        return f"{first}: this is one answer in pieces. Put quotes around it: {_quoted(together)}"
    if len(nameless) == len(missing):
        fix = " ".join(f'{name}="{one}"' for name, one in zip(missing, nameless, strict=True))
        return f"{first}: with several fields say which is which: {fix}"
    if nameless[0] in needed and len(nameless) == 2:  # q "C k_a"
        return f'{first}: between a field and its value stands =: {nameless[0]}="{nameless[1]}"'
    if len(needed) == 1 and len(nameless) == len(pieces):
        return (
            f'{first}: this is one answer in pieces. Put quotes around it: "{" ".join(nameless)}"'
        )
    if not missing:
        return f"{first}: {', '.join(needed)} is said already. What else is this? Write name=value."
    fix = " ".join(f'{name}="…"' for name in needed[:3])
    return f"{first}: with several fields write each as field=formula: {fix}"


def _together(pieces: Sequence[tuple[str, str]]) -> str:
    """Return the fields with their pieces joined, where brackets or signs show that they belong."""
    if not pieces[0][0] or not any(_is_part(value) for _, value in pieces):
        return ""
    whole: list[str] = []
    for name, value in pieces:
        if name:
            whole.append(f"{name}={_shown(value)}")
        else:
            whole[-1] += f" {_shown(value)}"
    fits = all(one.count("(") == one.count(")") for one in whole)
    return "\0".join(whole) if fits else ""


def _is_part(value: str) -> bool:
    plain = value.strip()
    return (
        plain.count("(") != plain.count(")")
        or plain in _SIGNS
        or (len(plain) > 0 and (plain[0] in "*/=" or plain[-1] in _SIGNS))
    )


def _spread(said: Sequence[str]) -> str:
    """Return an answer with a * for the names of files in it; "" where there are none."""
    try:
        files = [len(one) < 256 and "\0" not in one and Path(one).exists() for one in said]
    except (OSError, ValueError):
        return ""
    if sum(files) < 2:
        return ""
    whole: list[str] = []
    for one, is_file in zip(said, files, strict=True):
        if not is_file:
            whole.append(_shown(one))
        elif whole[-1:] != ["*"]:
            whole.append("*")
    return " ".join(whole)


def _quoted(text: str) -> str:
    return " ".join(f'"{one}"' for one in text.split("\0"))


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in text)[:80]
