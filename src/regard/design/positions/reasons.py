"""Why no head looks back by a shift, or by a window of shifts."""

from __future__ import annotations

from dataclasses import dataclass

from regard.design.reasons import Reason
from regard.language.bounds import lower_bound, upper_bound
from regard.report import number

__all__ = ["NoBand", "ShiftsAlike"]


@dataclass(frozen=True)
class ShiftsAlike(Reason):
    """Two shifts whose scores differ by less than the rounding of positions may hide.

    Attributes:
        T: the shift that is wanted.
        rival: the other one.
        gap: by how much their scores differ, in sizes of a block.
        off: by how much rounding may change that.
    """

    function = "design.offset"
    nearest = None
    proved = False
    best = ""
    T: int
    rival: int
    gap: float
    off: float

    @property
    def sentence(self) -> str:
        """How alike they are."""
        return (
            f"shifts {self.T} and {self.rival} look too nearly alike: their scores differ by "
            f"{upper_bound(self.gap, 3)} of a block's size, and float64 positions may be off by "
            f"{lower_bound(self.off, 3)} of it."
        )


@dataclass(frozen=True)
class NoBand(Reason):
    """No block weights lift the window above all other shifts.

    Attributes:
        bound: the most by which they do, as a share of their sum.
        ripple: by how much scores of the window may differ, or None.
        missed: a shift that the closest weights do not get below the window, or None.
    """

    function = "design.band"
    nearest = None
    proved = True
    bound: float
    ripple: float | None
    missed: int | None

    @property
    def sentence(self) -> str:
        """By how much the window is lifted at most."""
        within = "" if self.ripple is None else f", all within {number(self.ripple)}"
        return (
            f"no block weights lift T ± B/2{within} above all other shifts by more than "
            f"{upper_bound(self.bound, 3)} of their sum."
        )

    @property
    def best(self) -> str:
        """What the closest weights do."""
        if self.missed is None:
            return ".best does so without the ripple."
        return f".best misses shift {self.missed}."
