"""Does this matrix take one of two values out of their sum or average?"""

from __future__ import annotations

from regard.kinds.separator.judge.judge import judge

__all__ = ["judge"]
