"""What a worked example gives, in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.kinds.compute.spec.given import ComputeGiven
from regard.kinds.compute.spec.numbers import value
from regard.kinds.compute.spec.parts import Norm

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Normed:
    """A norm over the entries of a row: of what kind, and gamma, beta and epsilon."""

    kind: str
    place: str
    epsilon: float
    gain: Float64
    shift: Float64


@dataclass(frozen=True, eq=False)
class Setup:
    """What is given, in float64, and how scores and weights are made of it.

    Attributes:
        arrays: matrices and biases by their names in a file; those that are not given are not
            there.
        given: the rest: sizes and ways.
        scale: what scores are multiplied by.
        temperature: what they are divided by.
        allowed: which keys each query may attend to.
        norms: the norms of the block, first and second.
        first_query, first_key: their positions.
    """

    arrays: dict[str, Float64]
    given: ComputeGiven
    scale: float
    temperature: float
    allowed: NDArray[np.bool_]
    norms: tuple[Normed | None, Normed | None]
    first_query: int
    first_key: int

    def get(self, name: str) -> Float64 | None:
        """Return an array, or None where it is not given."""
        return self.arrays.get(name)


def floats(rows: Any) -> Float64:
    """Return rows of written numbers in float64."""
    return np.array([[value(entry) for entry in row] for row in rows])


def read_setup(given: ComputeGiven) -> Setup:
    """Return what is given in float64."""
    arrays = {name: floats(rows) for name, rows in given.arrays().items()}
    if given.n is not None:
        arrays["tokens"] = np.zeros((given.n, given.d_model or 1))
    second = given.norm_2 or (None if given.norm is None else _plain(given.norm))
    return Setup(
        arrays,
        given,
        given.factor(),
        value(given.temperature),
        np.array(given.allowed()),
        (_norm(given.norm), _norm(second)),
        given.first_query,
        given.first_key,
    )


def _plain(norm: Norm) -> Norm:
    """The second norm of a block, where only the first is given: without gain and shift."""
    return Norm(place=norm.place, kind=norm.kind, epsilon=norm.epsilon)


def _norm(norm: Norm | None) -> Normed | None:
    if norm is None:
        return None
    gain = np.ones(1) if norm.gain is None else floats([norm.gain])[0]
    shift = np.zeros(1) if norm.shift is None else floats([norm.shift])[0]
    return Normed(norm.kind, norm.place, value(norm.epsilon), gain, shift)
