"""An answer beside the law that it is compared with, on the values of the problem and others."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from regard.checking.sampling import generator
from regard.errors import InvalidAnswer
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.reading import FIELDS, Said
from regard.kinds.noise.reading.output_law import EXACT, Law
from regard.kinds.noise.spec import NoiseProblem
from regard.problems import key_instance
from regard.problems.instances import Float64
from regard.problems.laws import Arbitrary, Fixed, Gaussian
from regard.report import number, vector
from regard.report.numbers import seen_apart

ROUGH = 1e-3  # a law that is known less well decides only what is far off


@dataclass(frozen=True, eq=False)
class Instance:
    """A law and values.

    Attributes:
        law: how much of each value the output holds, and how often.
        values: (n, d_v).
    """

    law: Law
    values: Float64


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, what an answer says, and the law it is compared with.

    Attributes:
        problem: what is asked.
        said: what was answered.
        at: keys and queries of the problem.
        law: of the output.
        keep_positive: whether that leaves out cases with a negative score.
        known: values that were drawn before.
    """

    problem: NoiseProblem
    said: Said
    at: Setting
    law: Law
    keep_positive: bool
    known: dict[int, Float64] = field(default_factory=dict, repr=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """What is asked for."""
        return tuple(name for name in FIELDS if name in self.problem.goal.find)

    @cached_property
    def shared_noise(self) -> Float64:
        """The covariances (n, H, H) of the scores of different heads."""
        at = self.at
        return at.shared_noise(at.directions if np.any(at.directions) else at.offsets)

    @property
    def independent(self) -> bool:
        """Whether the heads are independent."""
        return not np.any(self.shared_noise)

    @property
    def plain(self) -> Instance:
        """The instance of the problem."""
        return self.drawn(-1)

    def drawn(self, seed: int) -> Instance:
        """The same law with other values, or with those of the problem where the seed is -1."""
        if seed not in self.known:
            given = self.problem.given
            assert isinstance(given.keys, Gaussian)
            still = given.model_copy(update={"keys": given.keys.mean})  # only values matter
            values = key_instance(still, generator(seed) if seed >= 0 else None).values
            arrays = any(self.said.has_arrays(name) for name in self.said.answer.fields)
            if seed >= 0 and arrays and isinstance(given.values, Arbitrary):
                values = values[:, : self.plain.values.shape[1]]  # as long as the answer's arrays
            self.known[seed] = values
        return Instance(self.law, self.known[seed])

    @property
    def one_instance(self) -> bool:
        """Whether the values are given as numbers, and so are the only ones."""
        return isinstance(self.problem.given.values, Fixed)

    def in_numbers(self, name: str) -> bool:
        """Whether a field is the same for all values, although these are not given as numbers."""
        return not self.one_instance and name != "independent" and not self.said.names(name)

    def error(self, name: str, at: Instance) -> float:
        """Return how far off a field is."""
        try:
            return self.said.error(name, at.law, at.values, self.independent)
        except InvalidAnswer:
            if self.one_instance or not self.said.has_arrays(name):
                raise
            return float("nan")  # arrays of another length than these values

    @property
    def tolerance(self) -> float:
        """How far off a field may be beyond its digits."""
        return EXACT + (self.law.rough if self.law.rough <= ROUGH else 0.0)

    def told(self, name: str, at: Instance) -> str:
        """Write what the answer says beside what is right."""
        found: Any = self.said.value(name, at.values)
        if name == "independent":
            said = [
                "independent" if yes else "not independent" for yes in (found, self.independent)
            ]
            return f"{said[0]}, and right is {said[1]}"
        if name == "variance":
            mine, right = seen_apart(float(found), float(at.law.variance(at.values)))
        elif name == "mean":
            mine, right = seen_apart(found, at.law.mean @ at.values, 4, _written)
        else:
            mine, right = seen_apart(found, at.law.atoms(at.values), 4, _atoms)
        return f"{mine}{';' if name == 'atoms' else ', and'} right is {right}"


def _written(value: Float64, digits: int) -> str:
    """Write a vector, or the one number that it has."""
    return number(float(value[0]), digits) if len(value) == 1 else vector(value, digits)


def _atoms(found: Float64, digits: int) -> str:
    """Write atoms with their chances."""
    if not len(found):
        return "no atoms"
    shown = [
        f"{_written(row[1:], digits)} with probability {number(row[0], digits)}"
        for row in found[:4]
    ]
    return ", ".join(shown) + (", …" if len(found) > 4 else "")
