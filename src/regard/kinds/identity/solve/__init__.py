"""Formulas that are to be found or shown: by rules, step by step, and verified for all inputs."""

from __future__ import annotations

from regard.kinds.identity.solve.solver import solve

__all__ = ["solve"]
