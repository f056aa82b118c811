"""Wrong numbers that one mistake has to explain, and mistakes made on purpose to compare with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.compute.instance import STAGES, Example, Float64, Found, Setup, Stage, forward
from regard.kinds.compute.misconceptions.imitation import Imitate
from regard.kinds.compute.reading import Work
from regard.kinds.compute.spec import ComputeProblem


@dataclass(frozen=True, eq=False)
class Case:
    """Wrong numbers of an answer that one mistake has to explain.

    Attributes:
        work: the answer beside what comes out.
        names: of the wrong numbers.
        carried: where the names are none: which wrong number follows from which earlier field.
    """

    work: Work
    names: Sequence[str]
    carried: Mapping[str, str] = field(default_factory=dict)

    def every(self, explains: Callable[[str], bool]) -> bool:
        """Whether something explains every wrong number."""
        return bool(self.names) and all(map(explains, self.names))

    def has(self, found: Mapping[str, Float64]) -> bool:
        """Whether the wrong numbers are these."""
        example = self.work.example
        return self.every(
            lambda name: (
                self.work.quantity(name).name in found
                and self.work.same(name, example.pick(found, name))
            )
        )


def imitated(
    tag: str, imitate: Imitate, idea: str = "", sentence: str = ""
) -> Mistake[ComputeProblem, Case]:
    """A mistake that is recognised by what comes out of it, which is also the wrong answer."""

    def wrong(problem: ComputeProblem) -> dict[str, Any] | None:
        with np.errstate(all="ignore"):
            example = Example(problem.given)
            found = next(iter(imitate(example)), None)
        return None if found is None else _answer(problem, example, found)

    def shows(case: Case) -> bool:
        with np.errstate(all="ignore"):
            return any(case.has(found) for found in imitate(case.work.example))

    return Mistake(tag, sentence or SHARED[tag], shows, wrong, idea)


def _answer(
    problem: ComputeProblem, example: Example, found: Mapping[str, Float64]
) -> dict[str, Any] | None:
    """Return what is asked for out of these numbers, rounded; None where that is right."""
    tolerance = problem.goal.tolerance
    try:
        rows = {name: example.pick(found, name) for name in problem.goal.find}
    except KeyError:
        return None
    if not all(np.all(np.isfinite(row)) for row in rows.values()):
        return None
    right = {name: example.pick(example.right, name) for name in rows}
    if all(_near(row, right[name], tolerance) for name, row in rows.items()):
        return None
    places = max(4, math.ceil(-math.log10(tolerance)) + 1)
    return {name: np.round(row, places).tolist() for name, row in rows.items()}


def _near(found: Float64, right: Float64, tolerance: float) -> bool:
    return found.shape == right.shape and np.allclose(found, right, rtol=0, atol=2 * tolerance)


def otherwise(example: Example, **changes: Any) -> Found:
    """Return all numbers where something else is given."""
    return forward(replace(example.setup, **changes))


def with_stage(example: Example, **stages: Stage) -> Found:
    """Return all numbers where some stages are done in another way."""
    return forward(example.setup, {**STAGES, **stages})


def with_given(example: Example, **changes: Any) -> Found:
    """Return all numbers where the problem says something else, which is not validated."""
    from regard.kinds.compute.instance.setup import read_setup

    return forward(read_setup(example.given.model_copy(update=changes)))


def without_arrays(setup: Setup, *names: str) -> Setup:
    """Return what is given without some of the arrays."""
    return replace(setup, arrays={n: a for n, a in setup.arrays.items() if n not in names})
