"""Is this the law of the output when keys are random?"""

from __future__ import annotations

from regard.kinds.noise.judge.judge import judge

__all__ = ["judge"]
