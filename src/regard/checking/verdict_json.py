"""Numbers of a verdict as JSON has them."""

from __future__ import annotations

from typing import Any


def finite(value: float | None) -> float | str | None:
    """Return a number, or its name where it is none that JSON has: no NaN and no infinity."""
    if value is None or value - value == 0:
        return value
    return str(value)


def plain(value: Any) -> Any:
    """Return JSON data, in which numbers that are not finite are text."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return finite(value) if isinstance(value, float) else value
