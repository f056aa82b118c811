"""Is it right what an answer says about tokens without matrices: what comes out, and what can?"""

from __future__ import annotations

from regard.kinds.feasibility.judge.verdict import judge

__all__ = ["judge"]
