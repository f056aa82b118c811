"""Solve moments problems: mean and variance of a score as formulas, and what to divide it by."""

from __future__ import annotations

from regard.kinds.moments.solve.solver import solve

__all__ = ["solve"]
