"""Do these formulas hold for all inputs?"""

from __future__ import annotations

from regard.kinds.identity.judge.judge import judge

__all__ = ["judge"]
