"""Solve moments problems: mean and variance of a score as formulas, and what to divide it by."""

from __future__ import annotations

from regard.solving.moments.solver import solve

__all__ = ["solve"]
