"""Solve problems that ask for a query."""

from __future__ import annotations

from regard.solving.query.solver import solve

__all__ = ["solve"]
