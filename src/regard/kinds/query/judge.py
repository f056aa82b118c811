"""Is this the query that was asked for? It is judged as the queries of several heads are."""

from __future__ import annotations

from regard.kinds.heads.judge import judge, replay

__all__ = ["judge", "replay"]
