"""Look back T ± B/2: which blocks are zeroed, what that leaves, and what would be better."""

from __future__ import annotations

from regard.kinds.band.solve.solver import solve

__all__ = ["solve"]
