"""Can a token reach an output by a change alone, without matrices? What happens instead."""

from __future__ import annotations

from regard.kinds.feasibility.solve.solver import solve

__all__ = ["solve"]
