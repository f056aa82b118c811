"""Do these formulas hold for all inputs?"""

from __future__ import annotations

from regard.checking.identity.judge import judge

__all__ = ["judge"]
