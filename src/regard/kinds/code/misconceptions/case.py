"""What is known of a function that is wrong: what it returned on every case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.kinds.code.instance import Case
from regard.kinds.code.instance.cases import Sort
from regard.kinds.code.misconceptions.imitations import Change, imitate
from regard.sandbox import Outcome

Float64 = NDArray[np.float64]
SINGLE = 1e-4  # what numbers of 32 bits and fewer may be off by


def error(found: Any, wanted: Float64) -> float:
    """Return the largest difference; infinity where the shape is another or a number is none."""
    if not isinstance(found, np.ndarray | float | int) or isinstance(found, bool):
        return np.inf
    array = np.asarray(found)
    if array.shape != wanted.shape or array.dtype.kind not in "fiu":
        return np.inf
    array = array.astype(float)
    if not np.isfinite(array).all():
        return np.inf
    return float(np.abs(array - wanted).max(initial=0.0))


def allowed(found: Any, wanted: Float64, tolerance: float) -> float:
    """Return how far off it may be, in the size of the numbers.

    Those of 32 bits cannot come as near as those of 64; and some of 64 were made of such.
    """
    is_single = isinstance(found, np.ndarray) and found.dtype.name in ("float16", "float32")
    size = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    return (max(tolerance, SINGLE) if is_single else tolerance) * size


@dataclass(frozen=True, eq=False)
class Run:
    """One case and what came of it."""

    case: Case
    outcome: Outcome
    error: float
    tolerance: float

    @property
    def right(self) -> bool:
        """Whether it is what was wanted."""
        return self.error <= self.tolerance


@dataclass(frozen=True, eq=False)
class Wrong:
    """A function that is wrong.

    Attributes:
        behaviour: what it should do.
        runs: what it did, case by case; it may have been stopped before the last one.
    """

    behaviour: str
    runs: tuple[Run, ...]

    def of(self, *sorts: Sort) -> list[Run]:
        """Return the runs on cases of these sorts."""
        return [run for run in self.runs if run.case.sort in sorts]

    def right_on(self, *sorts: Sort) -> bool:
        """Whether it is right on cases of these sorts, and there are some."""
        found = self.of(*sorts)
        return bool(found) and all(run.right for run in found)

    def like(self, change: Change) -> bool:
        """Whether it returns on plain cases what an answer with this change returns.

        It is wrong on one of them at least. Cases on which shapes do not fit with the change are
        passed over if the function failed on them too.
        """
        plain = self.of("plain")
        if all(run.right for run in plain):
            return False
        seen = False
        for run in plain:
            try:
                with np.errstate(all="ignore"):
                    wanted = imitate(self.behaviour, run.case.arguments, change)
            except ValueError:
                if run.outcome.failure is None:
                    return False
                continue
            if wanted.shape != run.case.wanted.shape and run.outcome.failure is not None:
                continue
            if not same(run, wanted):
                return False
            seen = seen or not run.right
        return seen

    def any_like(self, changes: Iterable[Change]) -> bool:
        """Whether it is like one of these."""
        return any(self.like(change) for change in changes)


def same(run: Run, wanted: Any) -> bool:
    """Whether a function returned these numbers; entries that are no numbers are left out."""
    found = run.outcome.value
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "fiu":
        return False
    if found.shape != np.shape(wanted):
        return False
    off = np.abs(found.astype(float) - wanted)
    near = max(run.tolerance, 1e-9 * float(np.abs(wanted).max(initial=1.0)))
    finite = np.isfinite(found) & np.isfinite(wanted)
    return bool(finite.any()) and bool((off[finite] <= near).all())
