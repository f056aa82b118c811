"""Solve problems that ask for the queries of several heads whose outputs are averaged."""

from __future__ import annotations

from regard.kinds.heads.solve.head_queries import solve

__all__ = ["solve"]
