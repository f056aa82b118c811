"""Is this the query that was asked for?"""

from __future__ import annotations

from regard.kinds.query.judge.judge import judge, replay

__all__ = ["judge", "replay"]
