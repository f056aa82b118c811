"""What an answer gives: one query."""

from __future__ import annotations

from regard.kinds.heads.fields import INSTANCE_FIRST, fields

__all__ = ["INSTANCE_FIRST", "fields"]
