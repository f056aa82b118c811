"""Solve problems that ask when something happens."""

from __future__ import annotations

from regard.kinds.condition.solve.solver import solve

__all__ = ["solve"]
