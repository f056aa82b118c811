"""Heads whose queries all look at one key, whatever the distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMULAS", "same_key"]

FORMULAS = {
    "sink": "the mean over all rows t of w(t, 0)",
    "sink_share": "the share of rows whose largest weight is in one and the same column; row 0 of "
    "a causal head, which sees one key, is left out",
    "sink_column": "that column",
}


def same_key(argmax: NDArray[Any], causal: bool) -> tuple[float, int]:
    """Return the largest share of rows that have one argmax, and that column; argmax is (n,)."""
    rows = argmax[1:] if causal and len(argmax) > 1 else argmax
    counts = np.bincount(rows[rows >= 0], minlength=1)
    return float(counts.max() / max(1, len(rows))), int(counts.argmax())
