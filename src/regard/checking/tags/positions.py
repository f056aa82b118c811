"""Wrong blocks of heads that look back by a number of steps."""

from __future__ import annotations

TAGS: dict[str, str] = {}
