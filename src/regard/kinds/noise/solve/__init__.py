"""Solve noise problems: the law of the output for given queries over random keys."""

from __future__ import annotations

from regard.kinds.noise.solve.solver import solve

__all__ = ["solve"]
