"""One head against many: what the same random keys do to different designs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.noise.failure import failure_probability, head_correlation
from regard.analysis.noise.key_noise import key_noise
from regard.analysis.noise.output_law import OutputLaw
from regard.core.kernels.threads import one_blas_thread
from regard.errors import ParameterError, RegardError
from regard.report import Report, Table, Text, number
from regard.report.reported import Reported
from regard.shapes import real
from regard.shapes.goals import read_rows, read_target, read_vector
from regard.shapes.laws import read_generator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DesignStability", "Stability", "stability"]

Array = NDArray[np.float64]

FUNCTION = "analysis.stability"


@dataclass(frozen=True, eq=False, repr=False)
class DesignStability:
    """What random keys do to one design.

    Attributes:
        name: what the design was called.
        law: the law of its output c.
        head_weights: (heads,), which the heads' outputs are added with.
        mean_error: ‖E c − c*‖.
        variance: trace of the covariance, E ‖c − E c‖².
        rmse: root of E ‖c − c*‖² = mean_error² + variance.
        failure: P(‖c − c*‖ > tolerance).
        failure_error: how far off that is at most: rounding for closed forms, else with
            probability 0.99.
        failure_method: "closed form", "atoms" (of a limit) or "qmc".
        main: (heads,), for every head the key of the target with its largest mean weight.
        correlation: (heads, heads), of the heads' weights on these keys; 0 where a weight does
            not vary.
        independent: (heads, heads), whether two heads are independent: q_g·Σ_i q_h = 0 for all i.
    """

    name: str
    law: OutputLaw
    head_weights: Array
    mean_error: float
    variance: float
    rmse: float
    failure: float
    failure_error: float
    failure_method: str
    main: NDArray[np.intp]
    correlation: Array
    independent: NDArray[np.bool_]

    @property
    def all_independent(self) -> bool:
        """Whether every head is independent of every other."""
        return bool(np.all(self.independent | np.eye(len(self.main), dtype=bool)))

    def __str__(self) -> str:
        return (
            f"{self.name}: RMSE {number(self.rmse)}, mean error {number(self.mean_error)}, "
            f"failure {number(self.failure)}"
        )

    __repr__ = __str__


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Reported):
    """Designs compared on the same random keys.

    Attributes:
        designs: one entry per design, in the order they were given; also by name, `[name]`.
        target: (n,), the wanted weights.
        output: (d_v,), the wanted output c* = target @ values.
        tolerance: an output further than this from c* is a failure.
    """

    designs: tuple[DesignStability, ...]
    target: Array
    output: Array
    tolerance: float

    def __getitem__(self, name: str) -> DesignStability:
        for design in self.designs:
            if design.name == name:
                return design
        known = ", ".join(repr(design.name) for design in self.designs)
        raise KeyError(f"no design {name!r}; there are {known}")

    @property
    def best(self) -> DesignStability:
        """The design with the smallest root mean square error."""
        return min(self.designs, key=lambda design: design.rmse)

    def plot(self) -> Figure:
        """Draw the cloud of outputs and the law of the weights of every design."""
        from regard.analysis.noise.plots import plot_stability

        return plot_stability(self)

    def report(self) -> Report:
        """The comparison as a report."""
        columns = ("design", "heads", "mean error", "variance", "RMSE", "failure", "correlation")
        table = Table(columns, tuple(_row(design) for design in self.designs))
        words = (
            f"Failure: the probability of an output further than {number(self.tolerance)} from "
            f"the target. Correlation: the largest between two heads' weights on their main "
            f"targets."
        )
        ways = {design.law.method for design in self.designs}
        how = [f"Moments: {' and '.join(sorted(ways))}."]
        sampled = [d.failure_error for d in self.designs if d.failure_method == "qmc"]
        if sampled:
            how.append(
                f"Failures marked ≈ are sampled: off by at most {max(sampled):.1g} with "
                f"probability 0.99."
            )
        blocks = (table, Text(words), Text(" ".join(how)))
        return Report("Stability under key noise", blocks)


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
    entries = []
    for name, queries in designs.items():
        entry = _read_design(
            name, queries, means, covariances, averaged, given.get(name), factor, method, generator
        )
        with one_blas_thread():
            entries.append(_measure(name, *entry, wanted, averaged, far, generator))
    return Stability(tuple(entries), wanted, wanted @ averaged, far)


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


def _read_design(
    name: str,
    queries: ArrayLike,
    means: ArrayLike,
    covariances: ArrayLike,
    values: Array,
    head_weights: ArrayLike | None,
    scale: float,
    method: str,
    rng: np.random.Generator,
) -> tuple[OutputLaw, Array]:
    try:
        law = key_noise(
            queries,
            means,
            covariances,
            values,
            head_weights=head_weights,
            scale=scale,
            method=method,
            rng=rng,
        )
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


def _measure(
    name: str,
    law: OutputLaw,
    head_weights: Array,
    wanted: Array,
    values: Array,
    tolerance: float,
    rng: np.random.Generator,
) -> DesignStability:
    output = wanted @ values
    mean_error = float(np.linalg.norm(law.mean - output))
    variance = max(0.0, float(law.variance))  # of a head that does not vary: rounding
    failure, off, how = failure_probability(law, output, tolerance, rng)
    main, correlation, independent = head_correlation(law, np.flatnonzero(wanted), rng)
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


def _row(design: DesignStability) -> tuple[str, ...]:
    heads = len(design.main)
    related = "–"
    if heads > 1:
        apart = design.correlation[~np.eye(heads, dtype=bool)]
        worst = float(apart[np.argmax(np.abs(apart))])
        related = "independent" if design.all_independent else number(worst, 3)
    failure = number(design.failure, 3)
    if design.failure_method == "qmc":
        unseen = design.failure == 0
        failure = f"< {design.failure_error:.1g}" if unseen else f"≈ {failure}"
    # What is below the error of the law is as good as 0.
    sizes = [design.mean_error, design.variance, design.rmse]
    known = [number(size if size > design.law.error else 0.0, 3) for size in sizes]
    return (design.name, str(heads), *known, failure, related)
