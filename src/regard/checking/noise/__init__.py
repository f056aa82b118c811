"""Is this the law of the output when keys are random?"""

from __future__ import annotations

from regard.checking.noise.judge import judge

__all__ = ["judge"]
