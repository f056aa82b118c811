"""Does this condition say when it happens?"""

from __future__ import annotations

from regard.kinds.condition.judge.judge import judge

__all__ = ["judge"]
