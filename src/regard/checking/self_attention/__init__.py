"""Do these keys, queries and values do what was asked of the head?"""

from __future__ import annotations

from regard.checking.self_attention.judge import judge

__all__ = ["judge"]
