"""Why no query has the weights or the output asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from regard.design.reasons import WithNearest
from regard.language.bounds import lower_bound, upper_bound
from regard.report import number

__all__ = ["KeyInHull", "KeysMove", "NoQuery", "NoQueryFound"]


class _OfQuery(WithNearest):
    """A reason of `design.query`, with the closest query there is."""

    function = "design.query"


@dataclass(frozen=True)
class _Proved(_OfQuery):
    """A reason that is proved, of all queries or of those up to a length.

    Attributes:
        radius: the length; None: of all.
    """

    radius: float | None

    @property
    def which(self) -> str:
        """The queries that are spoken of."""
        return (
            "no query"
            if self.radius is None
            else f"no query of length up to {lower_bound(self.radius, 3)}"
        )

    proved = True

    @property
    def best(self) -> str:
        """The weights or the output that come closest."""
        found = "closest" if self.nearest.least is not None else "closest found"
        verb = "are those" if self.nearest.what == "weights" else "is that"
        return f"The {found} {self.nearest.what} {verb} of .best, with error {{}}."


@dataclass(frozen=True)
class KeyInHull(_Proved):
    """The key to copy is an average of other keys, which bounds its weight."""

    key: int
    bound: float

    @property
    def sentence(self) -> str:
        """The most that the key gets."""
        most = upper_bound(self.bound)
        return (
            f"{self.which} gives key {self.key} more than {most}: it is an average of other keys."
        )


@dataclass(frozen=True)
class NoQuery(_Proved):
    """No query is within the tolerance.

    Attributes:
        tolerance: of the weights or of the output, whichever `nearest` is about.
        because: "averages": two averages of keys are the same point. "value": the key is an
            average of others, its value is none of theirs. "cells": all queries were searched.
        cells: in how many cells they were searched.
    """

    tolerance: float
    because: Literal["averages", "value", "cells"]
    cells: int = 0

    @property
    def sentence(self) -> str:
        """What no query gives, and why."""
        reasons = {
            "averages": "two averages of keys are the same point, and the weights asked for tell "
            "them apart",
            "value": "the key is an average of other keys, and its value is no average of theirs",
            "cells": f"all queries were searched, in {self.cells} cells, and each cell misses it",
        }
        return (
            f"{self.which} gives the {self.nearest.what} asked for to within "
            f"{lower_bound(self.tolerance)}: {reasons[self.because]}."
        )


@dataclass(frozen=True)
class NoQueryFound(_OfQuery):
    """Neither a query nor a proof was found.

    Attributes:
        tolerance: of the goal.
        edge: whether the closest query misses it by hardly anything.
        divergence: from the weights asked for, which is proved to be at least this; or None.
    """

    tolerance: float
    edge: bool
    divergence: float | None = None

    proved = False
    best = "The closest query found is .best, with error {}."

    @property
    def sentence(self) -> str:
        """What was not found, and what is known."""
        return f"{self.not_found} {self.known}"

    @property
    def not_found(self) -> str:
        """What was not found."""
        return "neither a query nor a proof that there is none was found."

    @property
    def known(self) -> str:
        """What is known instead, as a sentence."""
        if self.edge:
            return (
                f"The target lies at the edge of what these keys can reach, or the tolerance "
                f"{number(self.tolerance)} is finer than a float64 query can meet."
            )
        if self.divergence is None:
            return "Nothing is proved of it."
        return (
            f"What is proved is that the divergence from the target stays at "
            f"{lower_bound(self.divergence)} or more."
        )


@dataclass(frozen=True)
class KeysMove(_OfQuery):
    """Keys move too far for a query, or none was found.

    Attributes:
        tolerance: of the weights, whatever the keys are.
        radius: how far keys move.
        proved: whether that excludes every query.
    """

    tolerance: float
    radius: float
    proved: bool

    best = "The smallest error found is that of .best, {}."

    @property
    def sentence(self) -> str:
        """What no query has for all keys."""
        within = f"for all keys within {upper_bound(self.radius)} of those given"
        if not self.proved:
            return (
                f"neither a query within {number(self.tolerance)} {within} nor a proof that there "
                f"is none was found."
            )
        return (
            f"no query has the weights asked for to within {lower_bound(self.tolerance)} "
            f"{within}: keys can move by so much that averages of others take their place."
        )
