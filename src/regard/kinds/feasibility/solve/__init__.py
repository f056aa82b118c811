"""Can a token reach an output by a change alone, without matrices? What happens instead."""

from __future__ import annotations

from regard.kinds.feasibility.solve.findings import AsItIs, Found, OutOfReach, Reached, solve

__all__ = ["AsItIs", "Found", "OutOfReach", "Reached", "solve"]
