"""An answer, read and evaluated: its queries, and how far off they are."""

from __future__ import annotations

from regard.kinds.heads.reading.goal import Goal
from regard.kinds.heads.reading.queries import Candidate, read_queries

__all__ = ["Candidate", "Goal", "read_queries"]
