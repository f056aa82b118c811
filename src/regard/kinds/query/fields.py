"""What an answer gives: one query."""

from __future__ import annotations

from regard.kinds.heads.fields import fields

__all__ = ["fields"]
