"""Choose K, Q and V: outer products of basis vectors where they do it, numbers otherwise."""

from __future__ import annotations

from regard.kinds.self_attention.solve.findings import (
    Contradicted,
    Impossible,
    OfFormulas,
    OfNumbers,
    Undecided,
    solve,
)

__all__ = ["Contradicted", "Impossible", "OfFormulas", "OfNumbers", "Undecided", "solve"]
