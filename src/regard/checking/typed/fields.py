"""What somebody typed into one field: numbers, lists and truth values as such, else a formula."""

from __future__ import annotations

import tomllib
from typing import Any


def typed(text: str) -> Any:
    """Return a value that a text writes as TOML would; everything else is a formula, as text.

    >>> typed("[1, 2]"), typed("true"), typed("C (k_a + k_b)")
    ([1, 2], True, 'C (k_a + k_b)')
    """
    if "\n" in text or "\r" in text:
        return text
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, bool | int | float | str | list | dict) else text
