"""Look back exactly T steps: a rotation block for each frequency, and how large it must be."""

from __future__ import annotations

from regard.solving.offset.solver import solve

__all__ = ["solve"]
