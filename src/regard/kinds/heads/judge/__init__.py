"""Are these the queries that were asked for, of one head or of several?

What is right is the average over heads, whichever head does what.
"""

from __future__ import annotations

from regard.kinds.heads.judge.trials import judge, replay

__all__ = ["judge", "replay"]
