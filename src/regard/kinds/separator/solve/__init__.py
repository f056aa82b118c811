"""Take one of two values out of their sum or average: a projection, divided by the share."""

from __future__ import annotations

from regard.kinds.separator.solve.solver import solve

__all__ = ["solve"]
