"""Instances that a query is tried on: the plain one, drawn ones, and ones that are hard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from regard.checking.sampling import TRIALS, generator
from regard.kinds.heads.spec import WeightsProblem
from regard.problems import key_instance
from regard.problems.instances import Float64, KeyInstance
from regard.problems.keys import Keys
from regard.problems.laws import Arbitrary, Fixed, Gaussian, Orthogonal, Plain
from regard.report import number

MANY = 200  # keys of the instance that has many
ROOM = 3  # dimensions beyond those that the keys need
SHORT, LONG = 0.03, 30.0  # between these the lengths of keys are drawn where any are allowed
REFLECTED = 128  # keys from which on frames are drawn by reflections, which take less time
FAR = 1e200  # stands for infinity, where a parameter goes there


def limits_of(problem: WeightsProblem) -> dict[str, float]:
    """Return the parameters that go somewhere in the limits of a problem, as they are there."""
    return {
        limit.name: limit.target if np.isfinite(limit.target) else np.copysign(FAR, limit.target)
        for limit in problem.given.read_limits
    }


def limits_in_words(problem: WeightsProblem) -> str:
    """Say what the parameters that go somewhere are, such as "alpha = 0.01"; "" without any."""
    numbers = problem.given.parameters
    return ", ".join(f"{name} = {number(numbers[name])}" for name in limits_of(problem))


def has_noise(instance: KeyInstance) -> bool:
    """Whether the keys are random."""
    return instance.covariances is not None and bool(np.any(instance.covariances))


def noisy_keys(instance: KeyInstance, normal: Float64) -> Float64:
    """Return keys (..., n, d) with noise, out of standard normal numbers of that shape."""
    assert instance.covariances is not None
    return np.asarray(
        instance.keys + np.einsum("nij,...nj->...ni", noise_roots(instance.covariances), normal)
    )


def noise_roots(covariances: Float64) -> Float64:
    """Return roots R (..., d, d) with R R' the covariances (..., d, d)."""
    squares, axes = np.linalg.eigh(covariances)
    return np.asarray(axes * np.sqrt(np.maximum(squares, 0))[..., None, :])


def plain_instance(problem: WeightsProblem, *, noisy: bool = False, **changes: Any) -> KeyInstance:
    """Return the plain instance, in the limits of the problem unless its noise is asked for."""
    parameters = {} if noisy else limits_of(problem)
    return _settled(key_instance(_changed(problem.given, **changes), parameters=parameters))


def drawn_instance(problem: WeightsProblem, seed: int, **changes: Any) -> KeyInstance:
    """Return the instance that a seed draws from the laws."""
    given, rng = _changed(problem.given, **changes), generator(seed)
    if given.n > REFLECTED and not isinstance(given.keys, Gaussian | Arbitrary | Fixed):
        return _reflected(given, rng)
    return _settled(key_instance(given, rng, parameters=limits_of(problem)))


def _settled(instance: KeyInstance) -> KeyInstance:
    """Return the instance without noise that is as good as gone, such as I/m for a vast m."""
    noise = instance.covariances
    if noise is None or np.max(np.abs(noise)) > 1 / np.sqrt(FAR):
        return instance
    return KeyInstance(instance.keys, instance.values, np.zeros_like(noise), instance.symbols)


def trial_count(problem: WeightsProblem) -> int:
    """Return how many instances are drawn: fewer where each has very many keys."""
    n = problem.given.n
    most = 8000 // n
    if isinstance(problem.given.keys, Gaussian):  # each with as many covariances
        most = min(most, 20_000_000 // n**3)
    return max(2, min(TRIALS, most))


def hard_instances(
    problem: WeightsProblem, *, room: int = ROOM
) -> Iterator[tuple[int, KeyInstance]]:
    """Draw keys with more dimensions than they need, very long and very short where allowed."""
    given = problem.given
    law = given.key_law
    room = given.n + room if given.d is None else given.d
    for seed in range(1000, 1000 + max(1, trial_count(problem) // 10)):
        changes: dict[str, Any] = {"d": room}
        if isinstance(law, Orthogonal) and law.norms is None:
            exponents = generator(seed).uniform(np.log(SHORT), np.log(LONG), given.n)
            changes["law"] = law.model_copy(update={"norms": np.exp(exponents).tolist()})
        yield seed, drawn_instance(problem, seed, **changes)


def many_keys(problem: WeightsProblem) -> tuple[int, KeyInstance] | None:
    """Draw many more keys than the problem has, or None where that cannot be done."""
    given, seed = problem.given, 2000
    law = given.key_law
    fixed = isinstance(law, Orthogonal) and law.norms is not None
    if given.n >= MANY or given.d is not None or fixed or isinstance(law, Arbitrary | Fixed):
        return None
    if given.n == len(problem.goal.weights):
        return None  # where no key is unwanted, more of them would be another question
    if isinstance(given.keys, Gaussian) and np.any(plain_instance(problem).covariances):
        return None  # the noise stays, and covariances of so many keys are too large
    instance = _reflected(_changed(given.model_copy(update={"keys": law}), n=MANY), generator(seed))
    symbols = instance.symbols | limits_of(problem)
    if isinstance(given.keys, Gaussian):
        symbols["M"] = symbols.pop("K")
        for name in given.names:
            symbols[f"mu_{name}"] = symbols.pop(f"k_{name}")
    return seed, KeyInstance(instance.keys, instance.values, None, symbols)


def _changed(
    given: Keys, *, n: int | None = None, d: int | None = None, law: Plain | None = None
) -> Keys:
    """Return what is given with other sizes; values that are fixed are repeated."""
    update: dict[str, Any] = {}
    if n is not None and n != given.n:
        update |= {"n": n, "d": None}
        if isinstance(given.values, Fixed):
            rows = [given.values.rows[i % given.n] for i in range(n)]
            update["values"] = Fixed(law="fixed", rows=rows)
        elif isinstance(given.values, Orthogonal) and given.values.norms is not None:
            norms = [given.values.norms[i % given.n] for i in range(n)]
            update["values"] = given.values.model_copy(update={"norms": norms})
    if d is not None:
        update["d"] = d
    if law is not None:
        keys = given.keys
        update["keys"] = (
            keys.model_copy(update={"mean": law}) if isinstance(keys, Gaussian) else law
        )
    return given.model_copy(update=update)


def _reflected(given: Keys, rng: np.random.Generator) -> KeyInstance:
    """Return keys at right angles in a frame that three reflections turn.

    The keys lie along the axes, of lengths l_i, and the reflections are I − Σ w u' over three
    pairs of vectors: key i becomes l_i (e_i − Σ w_i u), one product for all keys.
    """
    axes = key_instance(given)
    n, d = axes.keys.shape
    lengths = axes.keys[np.arange(n), np.arange(n)]
    if isinstance(given.keys, Orthogonal) and given.keys.norms is None:
        lengths = np.asarray(rng.uniform(0.5, 2, n))
    mirrors = np.array([rng.standard_normal(d) for _ in range(3)])
    pulls = np.zeros((d, 3))
    for at, u in enumerate(mirrors):
        pulls[:, at] = 2.0 * (u - pulls[:, :at] @ (mirrors[:at] @ u)) / (u @ u)
    keys = (-lengths[:, None] * pulls[:n]) @ mirrors
    keys[np.arange(n), np.arange(n)] += lengths
    symbols = axes.symbols | {"K": keys}
    symbols |= {f"k_{name}": keys[row] for name, row in given.names.items()}
    return KeyInstance(keys, axes.values, None, symbols)
