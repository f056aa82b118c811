"""The numbers of a worked example in float64, by a way of its own: solvers compute in balls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regard.kinds.compute.instance.forward import STAGES, Found, Stage, forward
from regard.kinds.compute.instance.setup import Float64, Setup, read_setup
from regard.kinds.compute.spec import ComputeGiven, quantity, sizes

__all__ = ["STAGES", "Example", "Float64", "Found", "Setup", "Stage", "forward", "pick"]


@dataclass(frozen=True, eq=False)
class Example:
    """What is given, and what comes out of it.

    Attributes:
        given: the numbers of the problem.
    """

    given: ComputeGiven

    @cached_property
    def setup(self) -> Setup:
        """What is given, in float64."""
        return read_setup(self.given)

    @cached_property
    def right(self) -> Found:
        """Every number that can be asked for, by name."""
        with np.errstate(all="ignore"):
            return forward(self.setup)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The names of all that is computed, in the order of the computation."""
        return tuple(name for name in sizes(self.given) if name in self.right)

    def with_own(self, own: Mapping[str, Float64], stages: Mapping[str, Stage] = STAGES) -> Found:
        """Return what comes out where some rows are replaced as soon as they are there.

        Args:
            own: numbers by the names of answers: whole matrices, rows or entries.
            stages: how each step is done.
        """

        def replaced(found: Found) -> None:
            for name, numbers in own.items():
                asked = quantity(name, self.given)
                if asked.name not in found:
                    continue
                whole = found[asked.name].copy()
                place = tuple(i - 1 for i in (asked.row, asked.column) if i is not None)
                whole[place if place else ...] = numbers
                found[asked.name] = whole

        with np.errstate(all="ignore"):
            return forward(self.setup, stages, replaced)

    def pick(self, rows: Mapping[str, Float64], name: str) -> Float64:
        """Return a matrix, a row or an entry by the name that an answer uses."""
        return pick(rows, name, self.given)


def pick(rows: Mapping[str, Float64], name: str, given: ComputeGiven | None = None) -> Float64:
    """Return a matrix, a row or an entry by name."""
    asked = quantity(name, given)
    place = tuple(i - 1 for i in (asked.row, asked.column) if i is not None)
    return np.asarray(rows[asked.name][place if place else ...])
