"""A computation as a list of named steps, evaluated exactly where that is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from regard.analysis.exact_trace.numbers import working
from regard.analysis.exact_trace.pipeline.ball_operations import BALLS
from regard.analysis.exact_trace.pipeline.exact_operations import EXACT
from regard.analysis.exact_trace.pipeline.inexact import Inexact

Objects = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Step:
    """One step.

    Attributes:
        name: of its result, a matrix.
        op: what is done, a key of BALLS.
        of: the names of earlier results that it is done to.
        options: everything else, as plain data.
    """

    name: str
    op: str
    of: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pipeline:
    """Steps, each of which uses only those before it; names are given once.

    Attributes:
        steps: in their order.
    """

    steps: tuple[Step, ...]

    @cached_property
    def by_name(self) -> dict[str, Step]:
        """The steps by the names of their results."""
        return {step.name: step for step in self.steps}

    @cached_property
    def exact(self) -> dict[str, Objects | None]:
        """Every matrix in rationals, roots and exponentials; None where these cannot hold it."""
        found: dict[str, Objects | None] = {}
        for step in self.steps:
            parts = [found[name] for name in step.of]
            known = step.op in EXACT and all(part is not None for part in parts)
            found[step.name] = EXACT[step.op](step.options, *parts) if known else None
        return found

    def balls(self, name: str) -> Objects:
        """Return a matrix in balls of the working precision."""
        if ctx.prec not in self._known:
            self._known.clear()  # of all precisions only the last is asked for again
            self._known[ctx.prec] = {}
        known = self._known[ctx.prec]
        for step in self.needed(name):
            if step.name not in known:
                parts = [known[one] for one in step.of]
                known[step.name] = BALLS[step.op](step.options, *parts)
        return known[name]

    @cached_property
    def _known(self) -> dict[int, dict[str, Objects]]:
        return {}

    def __reduce__(self) -> tuple[type[Pipeline], tuple[tuple[Step, ...]]]:
        return Pipeline, (self.steps,)  # what was computed holds balls, which cannot be pickled

    def needed(self, *names: str) -> tuple[Step, ...]:
        """Return the steps that some results need, themselves among them."""
        wanted = set(names)
        for step in reversed(self.steps):
            if step.name in wanted:
                wanted |= set(step.of)
        return tuple(step for step in self.steps if step.name in wanted)

    def with_row(self, name: str, row: int, entries: Sequence[Any]) -> Pipeline:
        """Return the same computation with other numbers in a row, counted from 0, of a result."""
        old = self.by_name[name]
        before = replace(old, name=f"{name} as it is")
        change = Step(name, "replaced", (before.name,), {"row": row, "entries": list(entries)})
        at = self.steps.index(old)
        return Pipeline((*self.steps[:at], before, change, *self.steps[at + 1 :]))

    def matrix(self, name: str) -> Objects:
        """Return a matrix of exact numbers, or of numbers that know any number of their digits."""
        found = self.exact[name]
        if found is not None:
            return found
        with working(64):
            shape = self.balls(name).shape
        result = np.empty(shape, dtype=object)
        for place in np.ndindex(shape):
            result[place] = Inexact(self._entry(name, place))
        return result

    def _entry(self, name: str, place: Sequence[int]) -> Any:
        def ball() -> arb:
            return self.balls(name)[tuple(place)]

        return ball
