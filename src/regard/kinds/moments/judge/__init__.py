"""Are these the mean and the variance of the score, and what to divide it by?"""

from __future__ import annotations

from regard.kinds.moments.judge.judge import judge

__all__ = ["judge"]
