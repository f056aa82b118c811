"""Worked examples: every number exactly, and what is printed elsewhere compared with it."""

from __future__ import annotations

from regard.kinds.compute.solve.solver import solve

__all__ = ["solve"]
