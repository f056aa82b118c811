"""A noise problem as arrays: keys in the limits that come first, and how the queries grow.

Limits are taken in the order given. What tends to a number before anything grows is replaced by
that number. What tends to a number after that stands for it as a value very near to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from regard.analysis import OutputLaw, key_noise
from regard.analysis.noise.one_noise import OneNoise
from regard.analysis.noise.random_scores import Scores, read_scores
from regard.errors import FormulaError, InvalidProblem
from regard.kinds.noise.spec import NoiseGiven
from regard.language import parse
from regard.problems import key_instance
from regard.problems.instances import Float64, KeyInstance

NEAR = 1e-12  # how near a parameter is to a limit that is taken last
LARGE = 8000  # numbers in covariances, beyond which coordinates that do not matter are left out
ALIKE = 1e-9  # relative; queries that differ by less grow along one line
FAR = 1e8  # a size at which queries that go on turning are looked at


@dataclass(frozen=True)
class Growth:
    """A parameter without bound, along which the queries grow in fixed directions.

    Attributes:
        name: of the parameter.
        sign: 1 if it tends to infinity, -1 if to minus infinity.
        size: what it is for the numbers of the instance.
        linear: whether the queries are directions times its size, plus offsets.
    """

    name: str
    sign: float
    size: float
    linear: bool


@dataclass(frozen=True, eq=False)
class Setting:
    """Keys, values and queries of one instance.

    Attributes:
        given: what the problem says.
        means: (n, d), of the keys.
        covariances: (n, d, d), of the keys.
        values: (n, d_v).
        symbols: arrays and parameters by name, with limits of small parameters taken.
        late: whether a small parameter has its limit only after another has grown.
        directions: (H, d), along which the queries grow without bound; 0 where they do not.
        offsets: (H, d), what is left of the queries beside that.
        growth: what grows; None if nothing does, or not along fixed directions.
        open_limit: what grows otherwise, by name: with the keys, or while queries turn. Then
            directions are those far out, or 0 where there are none.
    """

    given: NoiseGiven
    means: Float64
    covariances: Float64
    values: Float64
    symbols: Mapping[str, Float64 | float]
    late: bool
    directions: Float64
    offsets: Float64
    growth: Growth | None = None
    open_limit: str = ""

    @property
    def grows(self) -> str:
        """The name of what grows without bound, in whatever way; empty if nothing does."""
        return self.open_limit if self.growth is None else self.growth.name

    @property
    def heads(self) -> int:
        """How many queries there are."""
        return len(self.directions)

    def queries(self, size: float | None = None) -> Float64:
        """The queries (H, d) for the numbers of the instance, or where what grows has this size."""
        if size is None or self.growth is None:
            return _queries(self.given, self.symbols)
        return _queries(self.given, {**self.symbols, self.growth.name: size})

    def scores(self, queries: Float64) -> Scores:
        """The law of the scores that queries (H, d) see."""
        return read_scores("noise", queries, self.means, self.covariances, self.given.scale)

    def shared_noise(self, queries: Float64) -> Float64:
        """The covariances q_h'Σ_i q_g (n, H, H) of different heads; 0 up to rounding is 0.

        Heads are independent if and only if all are 0.
        """
        joint = self.scores(queries).covariances / self.given.scale**2
        return np.asarray(np.where(np.eye(len(queries), dtype=bool), 0.0, joint))

    def one_noise(self, queries: Float64) -> OneNoise | None:
        """How one normal number moves all heads of these queries (H, d); None if it is not one."""
        moved = OneNoise.of(self.scores(queries))
        return moved if moved is not None and moved.varies else None

    def output_law(self, queries: Float64, values: Float64, tolerance: float) -> OutputLaw:
        """The law of the average of the heads' outputs; equal heads are one that counts more."""
        distinct, counts = np.unique(queries, axis=0, return_counts=True)
        return key_noise(
            distinct,
            self.means,
            self.covariances,
            values,
            head_weights=counts / len(queries),
            scale=self.given.scale,
            tolerance=tolerance,
            rng=0,
        )

    def without_noise(self) -> Setting:
        """The setting with every key at its mean."""
        return replace(self, covariances=np.zeros_like(self.covariances))

    def as_one_head(self) -> Setting:
        """The setting with one head, whose query is the sum of all queries."""
        together = " + ".join(f"({text})" for text in self.given.queries)
        return read(self.given.model_copy(update={"queries": [together]}))

    def label(self, row: int) -> str:
        """What the key in a row is called: its name, or its number, counted from 1."""
        return self.given.label(row)


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

    Raises:
        InvalidProblem: a formula is no covariance in these limits.
    """
    numbers = {**given.parameters, **(changed or {})}
    grows, late = None, False
    for limit in given.read_limits:
        if math.isinf(limit.target):
            grows = limit
        elif limits:
            late = late or grows is not None
            numbers[limit.name] = limit.target + (NEAR if grows is not None else 0.0)
    arrays = _seen(given, _instance(given, rng, numbers), numbers)
    assert arrays.covariances is not None
    queries = _queries(given, arrays.symbols)
    found = Setting(
        given,
        arrays.keys,
        arrays.covariances,
        arrays.values,
        arrays.symbols,
        late,
        np.zeros_like(queries),
        queries,
    )
    if grows is None:
        return found
    return _growing(found, grows.name, math.copysign(1.0, grows.target))


def _instance(
    given: NoiseGiven, rng: np.random.Generator | None, numbers: dict[str, float]
) -> KeyInstance:
    try:
        instance = key_instance(given, rng, parameters=numbers)
    except FormulaError as error:
        raise InvalidProblem(f"keys: covariance: {error.reason}") from None
    assert instance.covariances is not None
    for row, matrix in enumerate(instance.covariances):
        size = 1e-9 * max(1e-300, float(np.max(np.abs(matrix))))
        proper = bool(np.all(np.isfinite(matrix))) and np.max(np.abs(matrix - matrix.T)) <= size
        if not proper or np.min(np.linalg.eigvalsh(matrix)) < -size:
            raise InvalidProblem(
                f"given.keys: covariance: that of key {given.label(row)} is not symmetric and "
                "positive semidefinite in the limits given."
            )
    return instance


def _seen(given: NoiseGiven, instance: KeyInstance, numbers: Mapping[str, float]) -> KeyInstance:
    """Leave out of many coordinates those that all queries are 0 in: they add to no score."""
    assert instance.covariances is not None
    if instance.covariances.size <= LARGE:
        return instance
    others = {name: 1.1 * x + 0.1 for name, x in numbers.items()}
    seen = np.flatnonzero(np.any(_queries(given, {**instance.symbols, **others}) != 0, axis=0))
    seen = seen if len(seen) else np.zeros(1, dtype=int)
    symbols = {
        name: x[seen] if name.startswith("mu_") and isinstance(x, np.ndarray) else x
        for name, x in instance.symbols.items()
    }
    covariances = np.ascontiguousarray(instance.covariances[:, seen][:, :, seen])
    return KeyInstance(instance.keys[:, seen], instance.values, covariances, symbols)


def _queries(given: NoiseGiven, symbols: Mapping[str, Float64 | float]) -> Float64:
    return np.array([parse(text).evaluate(symbols) for text in given.queries], dtype=np.float64)


def _growing(at: Setting, name: str, sign: float) -> Setting:
    """Return a setting with how its queries grow, by their values at a few sizes of a parameter."""
    if any(name in parse(text).names for text in at.given.covariance_formulas.values()):
        return replace(at, open_limit=name)  # the keys change as well
    size = float(at.symbols[name])
    step = sign * max(1.0, abs(size))

    def at_size(x: float) -> Float64:
        return _queries(at.given, {**at.symbols, name: x})

    once, twice, thrice = (at_size(k * step) for k in (1, 2, 3))
    large = max(float(np.max(np.abs(thrice))), 1e-300)
    if np.max(np.abs(thrice - 2 * twice + once)) <= ALIKE * large:
        along = (twice - once) / abs(step)
        offsets = once - along * abs(step)
        along[np.abs(along) * abs(step) <= ALIKE * large] = 0.0
        offsets[np.abs(offsets) <= ALIKE * large] = 0.0
        growth = Growth(name, sign, size, linear=True)
        return replace(at, directions=along, offsets=offsets, growth=growth)
    lengths = np.linalg.norm(np.stack([twice, thrice]), axis=-1, keepdims=True)
    if np.any(lengths[1] <= lengths[0]):
        return replace(at, open_limit=name)
    first, second = np.stack([twice, thrice]) / lengths
    grown = replace(at, directions=second, offsets=np.zeros_like(second))
    if np.max(np.abs(first - second)) <= ALIKE:
        return replace(grown, growth=Growth(name, sign, size, linear=False))
    far = at_size(sign * FAR)
    if not np.all(np.isfinite(far)):
        return replace(at, open_limit=name)
    far = far / np.linalg.norm(far, axis=1, keepdims=True)
    return replace(grown, directions=far, open_limit=name)
