"""Does zeroing these blocks make a head look T steps back, give or take B/2?"""

from __future__ import annotations

from regard.kinds.band.judge.judge import hint, judge

__all__ = ["hint", "judge"]
