"""One head against many: what the same random keys do to different designs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.noise.failure import failure_probability, head_correlation
from regard.analysis.noise.key_noise import key_noise
from regard.analysis.noise.output_law import OutputLaw
from regard.analysis.noise.stability_result import DesignStability, Stability
from regard.core.kernels.threads import one_blas_thread
from regard.errors import ParameterError, RegardError
from regard.shapes import real
from regard.shapes.extremes import finite_or_refused
from regard.shapes.goals import read_rows, read_target, read_vector
from regard.shapes.laws import read_generator

__all__ = ["stability"]

Array = NDArray[np.float64]

FUNCTION = "analysis.stability"


def stability(
    designs: Mapping[str, ArrayLike],
    means: ArrayLike,
    covariances: ArrayLike,
    values: ArrayLike,
    target: object,
    *,
    scale: float = 1.0,
    head_weights: Mapping[str, ArrayLike] | None = None,
    tolerance: float = 0.1,
    method: str = "auto",
    rng: np.random.Generator | int | None = None,
) -> Stability:
    """Compare designs on the same random keys k_i ~ N(means_i, covariances_i).

    For each design: how far its mean output is from c* = Σ target_i v_i, how much it varies, how
    often it fails, and how its heads are correlated. Two heads are independent iff q_g·Σ_i q_h = 0
    for every key; different queries alone do not make them so.

    Args:
        designs: {name: queries}, queries (heads, d) or (d,).
        means: (n, d).
        covariances: (n, d, d).
        values: (n, d_v).
        target: an index, {index: weight}, or n weights.
        scale: what scores are multiplied by.
        head_weights: {name: (heads,)}; designs that are left out take the mean of their heads.
        tolerance: an output further than this from c* is a failure.
        method: of :func:`key_noise`.
        rng: generator or seed, for what has to be sampled.

    Guarantee: moments as by :func:`key_noise`. The failure probability has a closed form if the
    output moves on a line (one key's noise in one head, or two keys and one head) and in the limit;
    else it is sampled, with its error.

    Example:
        >>> import numpy as np
        >>> mu = np.eye(4)
        >>> noise = np.zeros((4, 4, 4))
        >>> noise[0] = np.outer(mu[0], mu[0]) / 2
        >>> designs = {"one head": 10 * (mu[0] + mu[1]), "two heads": 10 * mu[:2]}
        >>> both = stability(designs, mu, noise, mu, {0: 0.5, 1: 0.5})
        >>> [round(d.variance, 6) for d in both.designs], both.best.name
        ([0.390606, 0.024311], 'two heads')
    """
    if not isinstance(designs, Mapping) or not designs:
        raise ParameterError(
            f"{FUNCTION}: designs must be {{name: queries}} with at least one design. "
            f"Got {type(designs).__name__}{' without any' if isinstance(designs, Mapping) else ''}."
        )
    averaged = read_rows(FUNCTION, "values", values, "(n, d_v)")
    keys, shares = read_target(FUNCTION, target, len(averaged))
    wanted = np.zeros(len(averaged))
    wanted[keys] = shares
    far = real(FUNCTION, "tolerance", tolerance, positive=True)
    factor = real(FUNCTION, "scale", scale)
    generator = read_generator(FUNCTION, 0 if rng is None else rng)
    given = _read_head_weights(head_weights, designs)
    noisy = _NoisyKeys(means, covariances, averaged, factor, method, generator)
    goal = _Goal(wanted, averaged, far)

    def compare() -> Stability:
        entries = []
        for name, queries in designs.items():
            entry = noisy.law(name, queries, given.get(name))
            with one_blas_thread():
                entries.append(_measure(name, *entry, goal, generator))
        return Stability(tuple(entries), wanted, wanted @ averaged, far)

    arrays = {"means": means, "covariances": covariances, "values": averaged, "scale": factor}
    named = {f"designs[{name!r}]": queries for name, queries in designs.items()}
    return finite_or_refused(
        FUNCTION,
        {**arrays, **named},
        compare,
        lambda found: [
            x for one in found.designs for x in (one.mean_error, one.variance, one.failure)
        ],
    )


def _read_head_weights(
    head_weights: Mapping[str, ArrayLike] | None, designs: Mapping[str, ArrayLike]
) -> Mapping[str, ArrayLike]:
    if head_weights is None:
        return {}
    if not isinstance(head_weights, Mapping):
        raise ParameterError(
            f"{FUNCTION}: head_weights must be {{name: weights}}, because designs differ in heads. "
            f"Got {type(head_weights).__name__}."
        )
    for name in head_weights:
        if name not in designs:
            raise ParameterError(f"{FUNCTION}: head_weights names {name!r}, which is no design.")
    return head_weights


@dataclass(frozen=True, eq=False)
class _NoisyKeys:
    """The random keys that all designs meet, with their values: arguments of `key_noise`."""

    means: ArrayLike
    covariances: ArrayLike
    values: Array
    scale: float
    method: str
    rng: np.random.Generator

    def law(
        self, name: str, queries: ArrayLike, head_weights: ArrayLike | None
    ) -> tuple[OutputLaw, Array]:
        """Return the law of a design's output, and the weights of its heads."""
        try:
            law = key_noise(queries, head_weights=head_weights, **vars(self))
        except RegardError as refused:
            words = str(refused).removeprefix("analysis.key_noise: ")
            raise type(refused)(f"{FUNCTION}, design {name!r}: {words}") from None
        if law.scores.batch:
            raise ParameterError(
                f"{FUNCTION}, design {name!r}: designs are compared on one problem at a time. "
                f"Got batch axes {law.scores.batch}."
            )
        heads = law.scores.heads
        if head_weights is None:
            return law, np.full(heads, 1 / heads)
        return law, read_vector(FUNCTION, "head_weights", head_weights, heads)


@dataclass(frozen=True, eq=False)
class _Goal:
    """The weights that are wanted, of these values, and how far off an output may be."""

    weights: Array
    values: Array
    tolerance: float


def _measure(
    name: str,
    law: OutputLaw,
    head_weights: Array,
    goal: _Goal,
    rng: np.random.Generator,
) -> DesignStability:
    output = goal.weights @ goal.values
    mean_error = float(np.linalg.norm(law.mean - output))
    variance = max(0.0, float(law.variance))  # of a head that does not vary: rounding
    failure, off, how = failure_probability(law, output, goal.tolerance, rng)
    main, correlation, independent = head_correlation(law, np.flatnonzero(goal.weights), rng)
    return DesignStability(
        name,
        law,
        head_weights,
        mean_error,
        variance,
        float(np.hypot(mean_error, np.sqrt(variance))),
        failure,
        off,
        how,
        main,
        correlation,
        independent,
    )
