"""Are these the queries of several heads that were asked for?

One query is the case of one head: what is right is the average over heads, whichever head does
what.
"""

from __future__ import annotations

from regard.kinds.query.judge import judge, replay

__all__ = ["judge", "replay"]
