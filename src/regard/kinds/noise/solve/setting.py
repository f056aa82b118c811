"""A noise problem as arrays: keys in the limits that come first, and queries at every size.

Limits are taken in the order given. What tends to a number before anything grows is replaced by
that number. What tends to a number after that stands for it as a value very near to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from regard.errors import FormulaError, InvalidProblem
from regard.kinds.noise.spec import NoiseGiven
from regard.language import Formula, parse, parse_limit
from regard.problems import key_instance
from regard.problems.instances import KeyInstance

Float64 = NDArray[np.float64]

NEAR = 1e-12  # how near a parameter is to a limit that is taken last
LARGE = 8000  # numbers in covariances, beyond which coordinates that do not matter are left out
ALIKE = 1e-9  # relative; queries that differ by less grow along one line


@lru_cache(256)
def parsed(text: str) -> Formula:
    """A formula that is evaluated many times."""
    return parse(text)


@dataclass(frozen=True, eq=False)
class Growth:
    """Queries C u + w for a parameter C without bound.

    Attributes:
        name: of the parameter.
        sign: 1 if it tends to infinity, -1 if to minus infinity.
        size: what it is for the numbers of the instance.
        directions: u (H, d), times the sign.
        offsets: w (H, d).
        linear: whether the queries are C u + w; else they are multiples of u that grow otherwise.
    """

    name: str
    sign: float
    size: float
    directions: Float64
    offsets: Float64
    linear: bool


@dataclass(frozen=True, eq=False)
class Setting:
    """Keys, values and queries of one instance.

    Attributes:
        given: what the problem says.
        instance: its arrays, with the parameters below.
        numbers: the parameters, with limits of small ones taken.
        late: whether a small parameter has its limit only after another has grown.
        growth: how the queries grow; None if they do not, or not along a line.
    """

    given: NoiseGiven
    instance: KeyInstance
    numbers: Mapping[str, float]
    late: bool
    growth: Growth | None

    @property
    def means(self) -> Float64:
        """The means of the keys (n, d)."""
        return self.instance.keys

    @property
    def covariances(self) -> Float64:
        """Their covariances (n, d, d)."""
        assert self.instance.covariances is not None
        return self.instance.covariances

    @property
    def values(self) -> Float64:
        """The values (n, d_v)."""
        return self.instance.values

    @property
    def heads(self) -> int:
        """How many queries there are."""
        return len(self.given.queries)

    @property
    def used(self) -> set[str]:
        """The names in the covariances and queries."""
        formulas = [*_formulas(self.given), *self.given.queries]
        return {name for text in formulas for name in parse(text).names}

    def queries(self, size: float | None = None) -> Float64:
        """The queries (H, d) for the numbers of the instance, or where what grows has this size."""
        if size is None or self.growth is None:
            return _queries(self.given, self.instance, self.numbers)
        return _queries(self.given, self.instance, {**self.numbers, self.growth.name: size})


def read(
    given: NoiseGiven,
    rng: np.random.Generator | None = None,
    changed: Mapping[str, float] | None = None,
    *,
    limits: bool = True,
) -> Setting:
    """Return the arrays of a problem, plain ones or drawn at random.

    Args:
        given: what the problem says.
        rng: draws other keys and values of the same laws.
        changed: parameters with other numbers.
        limits: whether small parameters take their limits.
    """
    numbers = {**given.parameters, **(changed or {})}
    grows, late = None, False
    for limit in map(parse_limit, given.limits):
        if math.isinf(limit.target):
            grows = limit
        elif limits:
            late = late or grows is not None
            numbers[limit.name] = limit.target + (NEAR if grows is not None else 0.0)
    instance = _instance(given, rng, numbers)
    if instance.covariances is not None and instance.covariances.size > LARGE:
        instance = _seen(given, instance, numbers)
    growth = None
    if grows is not None:
        growth = _growth(given, instance, numbers, grows.name, math.copysign(1.0, grows.target))
    return Setting(given, instance, numbers, late, growth)


def _instance(
    given: NoiseGiven, rng: np.random.Generator | None, numbers: dict[str, float]
) -> KeyInstance:
    """The arrays; InvalidProblem where a formula is no covariance."""
    try:
        instance = key_instance(given, rng, parameters=numbers)
    except FormulaError as error:
        raise InvalidProblem(f"keys: covariance: {error.reason}") from None
    assert instance.covariances is not None
    for row, matrix in enumerate(instance.covariances):
        size = 1e-9 * max(1e-300, float(np.max(np.abs(matrix))))
        proper = bool(np.all(np.isfinite(matrix))) and np.max(np.abs(matrix - matrix.T)) <= size
        if not proper or np.min(np.linalg.eigvalsh(matrix)) < -size:
            name = next((name for name, at in given.names.items() if at == row), str(row + 1))
            raise InvalidProblem(
                f"given.keys: covariance: that of key {name} is not symmetric and positive "
                "semidefinite in the limits given."
            )
    return instance


def _seen(given: NoiseGiven, instance: KeyInstance, numbers: Mapping[str, float]) -> KeyInstance:
    """Leave out the coordinates that all queries are 0 in: they add nothing to any score."""
    assert instance.covariances is not None
    queries = _queries(given, instance, {k: 1.1 * x + 0.1 for k, x in numbers.items()})
    seen = np.flatnonzero(np.any(queries != 0, axis=0))
    if not len(seen):
        seen = np.zeros(1, dtype=int)
    symbols = {
        name: x[seen] if name.startswith("mu_") and isinstance(x, np.ndarray) else x
        for name, x in instance.symbols.items()
    }
    return KeyInstance(
        instance.keys[:, seen],
        instance.values,
        np.ascontiguousarray(instance.covariances[:, seen][:, :, seen]),
        symbols,
    )


def _queries(given: NoiseGiven, instance: KeyInstance, numbers: Mapping[str, float]) -> Float64:
    symbols = {**instance.symbols, **numbers}
    return np.array([parsed(text).evaluate(symbols) for text in given.queries], dtype=np.float64)


def _growth(
    given: NoiseGiven, instance: KeyInstance, numbers: Mapping[str, float], name: str, sign: float
) -> Growth | None:
    """How queries grow with one parameter, by their values at a few sizes of it."""
    if any(name in parse(text).names for text in _formulas(given)):
        return None  # the keys change as well
    size = float(numbers[name])
    step = sign * max(1.0, abs(size))
    once, twice, thrice = (
        _queries(given, instance, {**numbers, name: k * step}) for k in (1, 2, 3)
    )
    large = max(float(np.max(np.abs(thrice))), 1e-300)
    if np.max(np.abs(thrice - 2 * twice + once)) <= ALIKE * large:
        along = (twice - once) / abs(step)
        offsets = once - along * abs(step)
        along[np.abs(along) * abs(step) <= ALIKE * large] = 0.0
        offsets[np.abs(offsets) <= ALIKE * large] = 0.0
        return Growth(name, sign, size, along, offsets, linear=True)
    lengths = np.linalg.norm(np.stack([twice, thrice]), axis=-1, keepdims=True)
    if np.any(lengths[1] <= lengths[0]):
        return None
    first, second = np.stack([twice, thrice]) / lengths
    if np.max(np.abs(first - second)) > ALIKE:
        return None
    return Growth(name, sign, size, second, np.zeros_like(second), linear=False)


def _formulas(given: NoiseGiven) -> list[str]:
    covariance = getattr(given.keys, "covariance", "0")
    return list(covariance.values()) if isinstance(covariance, dict) else [covariance]


def covariance_parameters(given: NoiseGiven) -> list[str]:
    """The parameters that covariances depend on and that tend to nothing."""
    used = {name for text in _formulas(given) for name in parse(text).names}
    limits = {parse_limit(limit).name for limit in given.limits}
    return sorted((used & set(given.parameters)) - limits)
