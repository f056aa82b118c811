"""Worked examples: every number exactly, and what is printed elsewhere compared with it."""

from __future__ import annotations

from regard.solving.compute.solver import solve

__all__ = ["solve"]
