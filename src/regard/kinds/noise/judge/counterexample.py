"""The plainest values that show what is wrong with a law, or the noise that two heads share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from regard.checking.verdict import Counterexample
from regard.errors import InvalidAnswer
from regard.kinds.noise.reading.asked import Asked, Instance
from regard.kinds.noise.reading.output_law import shared_noise
from regard.report import number

Float64 = NDArray[np.float64]


def counterexample(asked: Asked, wrong: dict[str, Instance]) -> Counterexample:
    """Look for the plainest values for which a field is wrong.

    Args:
        asked: the answer.
        wrong: the fields that are wrong, each with an instance on which it is.
    """
    name, example = next(iter(wrong.items()))
    if name == "independent":
        return _correlated(asked)
    if not asked.one_instance and not asked.said.has_arrays(name):
        plain = [Instance(asked.law, values) for values in _plain_values(asked)]
        failing = (at for at in plain if not asked.error(name, at) <= asked.tolerance)
        example = next(failing, example)
    values, law = example.values, example.law
    labels = [f"v_{asked.at.label(row)}" for row in range(len(values))]
    shown = ", ".join(f"{label} = {_short(v)}" for label, v in zip(labels, values, strict=True))
    what = "output" if name == "atoms" else name
    try:
        sentence = f"With {shown} the answer says of the {what}: {asked.told(name, example)}."
    except InvalidAnswer:  # arrays of another length than the values
        sentence = f"With {shown} the {what} cannot be what the answer says: numbers of any length."
    mean, variance = law.mean @ values, law.variance(values)
    arrays = {
        "values": values.tolist(),
        "probabilities": law.chances.tolist(),
        "outputs": (law.shares @ values).tolist(),
        "mean": mean.tolist(),
        "variance": variance,
    }
    steps = [
        f"With probability {number(chance, 6)} the output is near {_short(point)}."
        for chance, point in law.atoms(values)
    ]
    steps += [f"Its mean is {_short(mean)}.", f"Its variance is {number(variance)}."]
    return Counterexample(arrays, sentence, None, tuple((step, "") for step in steps))


def _short(value: Float64) -> str:
    if len(value) == 1:
        return number(float(value[0]))
    return "(" + ", ".join(number(float(x), 4) for x in value[:6]) + ")"


def _plain_values(asked: Asked) -> Iterator[Float64]:
    """Values of one number each: a single 1 among zeros, then 1, 2, 3 and so on."""
    n = asked.problem.given.n
    for row in range(n):
        yield np.eye(n)[:, row : row + 1]
    yield np.arange(1.0, n + 1)[:, None]


def _correlated(asked: Asked) -> Counterexample:
    """Show the covariance of two heads' scores of one key."""
    shared = shared_noise(asked.at)
    key, g, h = np.unravel_index(int(np.argmax(np.abs(shared))), shared.shape)
    name = asked.at.label(int(key))
    sentence = (
        f"q_{g + 1}' Sigma_{name} q_{h + 1} is {number(float(shared[key, g, h]), 4)} and not 0: "
        f"the noise of k_{name} moves the scores of both heads, so that they are not independent."
    )
    if asked.independent:
        sentence = (
            "q_h' Sigma_i q_g is 0 for every key i and any two heads: no noise moves both, so that "
            "the heads are independent."
        )
    arrays = {"shared": shared.tolist(), "covariance": asked.at.covariances[key].tolist()}
    return Counterexample(arrays, sentence)
