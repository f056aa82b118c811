"""Wrong gradients of an answer, beside what one mistake would make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.kinds.gradient.instance import Float64, Instance, Values
from regard.kinds.gradient.spec import GradientProblem

CLOSE = 1e-9  # of formulas at drawn inputs, relative to the largest entry


@dataclass(frozen=True, eq=False)
class Case:
    """Wrong gradients that one mistake has to explain.

    Attributes:
        problem: what is asked.
        instances: what the answer was tried on.
        names: of the wrong fields.
        said: what the answer says there, by name, one array for each instance; None: no such sizes.
        near: how far each may be off and still be meant, as `said`.
        bound: for a bound: "too small", "not vanishing", or "".
    """

    problem: GradientProblem
    instances: Sequence[Instance]
    names: Sequence[str]
    said: Mapping[str, Sequence[Float64 | None]]
    near: Mapping[str, Sequence[Any]]
    bound: str = ""

    def has(self, gradients: Sequence[Values]) -> bool:
        """Whether the first wrong field, and every other one, is what these passes find."""
        return (
            bool(self.names)
            and all(
                self._alike(name, place, found.get(name))
                for name in self.names
                for place, found in enumerate(gradients)
            )
            and all(self._differs(name, gradients) for name in self.names)
        )

    def _differs(self, name: str, gradients: Sequence[Values]) -> bool:
        """Whether the mistake makes another gradient at all."""
        pairs = [
            (found[name], at.gradients[name])
            for found, at in zip(gradients, self.instances, strict=True)
        ]
        return any(one.shape != two.shape or not np.allclose(one, two) for one, two in pairs)

    def _alike(self, name: str, place: int, other: Float64 | None) -> bool:
        said = self.said[name][place]
        if said is None or other is None or said.shape != other.shape:
            return False
        with np.errstate(all="ignore"):
            return bool(np.all(np.abs(said - other) <= self.near[name][place]))
