"""What is often got wrong about zeroing blocks, in numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from regard.report import number
from regard.solving.latex_numbers import percent

if TYPE_CHECKING:
    from regard.kinds.band.solve.solver import Found

__all__ = ["mistakes"]


def mistakes(found: Found) -> tuple[str, ...]:
    """Return what comes of zeroing other blocks, none, or parts of blocks."""
    given, rule = found.given, found.rule
    said = []
    fast = found.omega[[i for i in range(len(found.omega)) if i not in set(rule.kept)]]
    if len(fast) and rule.kept:
        edge = float(np.mean(np.cos(fast * (given.B / 2))))
        said.append(
            f"Zeroing the slow blocks (large $i$) instead of the fast ones: what stays is at "
            f"{percent(edge)} of its height at the edge of the window, against "
            f"{percent(rule.edge)}. The window becomes narrower."
        )
        everything = float(np.mean(np.cos(found.omega * (given.B / 2))))
        said.append(
            f"Leaving $A$ as it was: the edge is then at {percent(everything)} of the middle, not "
            f"{percent(rule.edge)}."
        )
    if rule.kept and given.T:
        said += _half_zeroed(found)
    if found.zeroed is not None and found.zeroed.missed is None:
        said.append(
            f"Expecting a flat top, or a sharp edge: with $C = 1$ the edge has "
            f"{number(math.exp(-rule.droop), 4)} times the weight of the middle, and shift "
            f"{found.zeroed.rival}, just outside or farther, is only "
            f"{number(found.zeroed.gap * len(rule.kept), 3)} below the edge."
        )
    return tuple(said)


def _half_zeroed(found: Found) -> list[str]:
    """What comes of zeroing only the sines of the blocks: what is left does not turn."""
    given = found.given
    omega = found.omega[list(found.rule.kept)]
    shifts = np.arange(1 - given.n, given.n, dtype=float)
    scores = np.cos(np.outer(shifts, omega)) @ np.cos(omega * given.T)
    peak = int(shifts[int(np.argmax(scores))])
    if peak == given.T:
        return []
    return [
        "Zeroing single entries, such as the sines of each block, and not whole blocks: what is "
        f"left does not turn by $\\omega_i T$, and the highest score moves from shift {given.T} to "
        f"{peak}."
    ]
