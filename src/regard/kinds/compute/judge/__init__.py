"""Are these the numbers of a worked example?"""

from __future__ import annotations

from regard.kinds.compute.judge.judge import judge

__all__ = ["judge"]
