"""Solve problems that ask for a query."""

from __future__ import annotations

from regard.kinds.query.solve.solver import solve

__all__ = ["solve"]
