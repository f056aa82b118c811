"""Do these keys, queries and values do what was asked of the head?"""

from __future__ import annotations

from regard.kinds.self_attention.judge.judge import judge

__all__ = ["judge"]
