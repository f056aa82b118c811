"""Solve problems that ask when something happens."""

from __future__ import annotations

from regard.solving.condition.solver import solve

__all__ = ["solve"]
