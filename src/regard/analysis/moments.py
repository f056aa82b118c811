"""Mean and variance of a score q·k of random vectors, by formula and by simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.analysis.summary import facts_of, scalar, span
from regard.errors import ParameterError
from regard.report import Report, Text, number
from regard.report.reported import Reported
from regard.shapes import integer
from regard.shapes.laws import (
    SLACK,
    batch_axes,
    read_covariance,
    read_generator,
    read_stack,
    refuse_negative,
    rounding,
)

__all__ = ["Moments", "SimulatedMoments", "dot_product_moments", "simulate_dot_product"]

Array = NDArray[np.float64]

AXES = {
    "mu_q": "(..., d)",
    "Sigma_q": "(..., d, d)",
    "mu_k": "(..., d)",
    "Sigma_k": "(..., d, d)",
    "cross": "(..., d, d)",
}
CHUNK = 2**20  # numbers drawn at once: 8 MB


@dataclass(frozen=True, eq=False, repr=False)
class Moments(Reported):
    """Mean and variance of q·k.

    Attributes:
        mean: (...), the expectation.
        variance: (...), the variance.
        law: what they hold for, in words.
    """

    mean: Array
    variance: Array
    law: str = "independent q and k, of any law with these means and covariances"

    @property
    def scale(self) -> Array:
        """The s for which q·k / s has variance 1: the standard deviation of q·k.

        A head multiplies its scores, so it is given 1 / s as its scale.
        """
        return scalar(np.sqrt(self.variance))

    def report(self) -> Report:
        """The moments as a report."""
        unit = []
        if np.min(self.variance) > 0:
            unit = [("for variance 1, multiply by", span(1 / self.scale))]
        facts = facts_of(
            self.mean,
            ("mean", span(self.mean)),
            ("variance", span(self.variance)),
            ("standard deviation", span(self.scale)),
            *unit,
        )
        return Report("Moments of q·k", (Text(f"For {self.law}."), facts))


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedMoments(Reported):
    """Mean and variance of q·k in a sample, with their standard errors.

    Attributes:
        mean: (...), the mean of the sample.
        variance: (...), its variance, unbiased.
        mean_error: (...), the standard error of the mean.
        variance_error: (...), the standard error of the variance.
        samples: how many pairs were drawn.
    """

    mean: Array
    variance: Array
    mean_error: Array
    variance_error: Array
    samples: int

    def report(self) -> Report:
        """The sample as a report."""
        facts = facts_of(
            self.mean,
            ("mean", span(self.mean)),
            ("its standard error", span(self.mean_error, 2)),
            ("variance", span(self.variance)),
            ("its standard error", span(self.variance_error, 2)),
            ("samples", number(self.samples)),
        )
        return Report("Moments of q·k by simulation", (facts,))


def dot_product_moments(
    mu_q: ArrayLike,
    Sigma_q: ArrayLike,
    mu_k: ArrayLike,
    Sigma_k: ArrayLike,
    cross: ArrayLike | None = None,
) -> Moments:
    """Compute mean and variance of q·k, exactly.

    Without `cross`, q and k are independent, of any law with these moments:
    E = mu_q·mu_k and Var = tr(Sigma_q Sigma_k) + mu_q'Sigma_k mu_q + mu_k'Sigma_q mu_k.
    With cross = C they are jointly Gaussian, tr C is added to the mean and
    tr(C C) + 2 mu_k'C mu_q to the variance. One token as query and key is
    C = Sigma_q = Sigma_k with equal means.

    Args:
        mu_q: (..., d), the mean of the query.
        Sigma_q: (..., d, d), its covariance.
        mu_k: (..., d), the mean of the key.
        Sigma_k: (..., d, d), its covariance.
        cross: (..., d, d), Cov(q, k), rows q; None: independent.

    Returns:
        Moments with .mean and .variance (...) and .scale; batch axes broadcast.

    >>> import numpy as np
    >>> moments = dot_product_moments(np.zeros(64), np.eye(64), np.zeros(64), np.eye(64))
    >>> print(moments.mean, moments.variance, moments.scale)
    0.0 64.0 8.0
    """
    function = "dot_product_moments"
    given = _read(function, mu_q, Sigma_q, mu_k, Sigma_k, cross)
    m_q, S_q, m_k, S_k = (given[name] for name in ("mu_q", "Sigma_q", "mu_k", "Sigma_k"))
    batch = batch_axes(function, given, AXES)
    law = Moments.law
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.einsum("...i,...i->...", m_q, m_k)
        variance = (
            np.einsum("...ij,...ij->...", S_q, S_k) + _form(m_q, S_k, m_q) + _form(m_k, S_q, m_k)
        )
        if cross is not None:
            law = "jointly Gaussian q and k with the given cross-covariance"
            C = given["cross"]
            mean = mean + np.einsum("...ii->...", C)
            variance = variance + np.einsum("...ij,...ji->...", C, C) + 2 * _form(m_k, C, m_q)
    _refuse_overflow(function, mean, variance)
    # Rounding may leave a variance of zero slightly below it.
    variance = np.maximum(np.broadcast_to(variance, batch), 0.0)
    return Moments(scalar(np.broadcast_to(mean, batch).copy()), scalar(variance), law)


def simulate_dot_product(
    mu_q: ArrayLike,
    Sigma_q: ArrayLike,
    mu_k: ArrayLike,
    Sigma_k: ArrayLike,
    cross: ArrayLike | None = None,
    *,
    samples: int = 100_000,
    rng: np.random.Generator | int = 0,
) -> SimulatedMoments:
    """Estimate mean and variance of q·k from drawn pairs of Gaussian q and k.

    A cross-check of :func:`dot_product_moments`, with which it shares no formula.

    Args:
        mu_q: (..., d), the mean of the query.
        Sigma_q: (..., d, d), its covariance; may be singular.
        mu_k: (..., d), the mean of the key.
        Sigma_k: (..., d, d), its covariance.
        cross: (..., d, d), Cov(q, k), rows q; None: independent.
        samples: how many pairs to draw, at least 2, for each problem of the batch.
        rng: a generator, or a seed for a new one.

    Returns:
        SimulatedMoments: .mean, .variance, .mean_error, .variance_error (...).
    """
    function = "simulate_dot_product"
    given = _read(function, mu_q, Sigma_q, mu_k, Sigma_k, cross)
    count = integer(function, "samples", samples, minimum=2)
    generator = read_generator(function, rng)
    batch = batch_axes(function, given, AXES)
    d = given["mu_q"].shape[-1]
    covariance, units = _joint(given)
    eigenvalues, axes = np.linalg.eigh(covariance)
    # The columns of a root of the covariance; a singular one has columns of zeros.
    root = units[..., :, None] * axes * np.sqrt(np.maximum(eigenvalues, 0.0))[..., None, :]
    sums = np.zeros((4, *batch))
    chunk = max(2, CHUNK // (2 * d * sums[0].size))
    start, unit = np.zeros(batch), np.ones(batch)
    for first in range(0, count, chunk):
        size = min(chunk, count - first)
        noise = generator.standard_normal((*batch, size, 2 * d)) @ np.swapaxes(root, -1, -2)
        q = given["mu_q"][..., None, :] + noise[..., :d]
        k = given["mu_k"][..., None, :] + noise[..., d:]
        products = np.einsum("...i,...i->...", q, k)
        if first == 0:
            # Powers of distances from a typical value, in typical units: nothing cancels when
            # the mean is large, and nothing overflows.
            start = products[..., 0]
            unit = np.max(np.abs(products - start[..., None]), axis=-1)
            unit = np.where(unit > 0, unit, 1.0)
        distance = (products - start[..., None]) / unit[..., None]
        sums += [np.sum(distance**power, axis=-1) for power in (1, 2, 3, 4)]
    one, two, three, four = sums / count
    spread = np.maximum(two - one**2, 0.0)
    fourth = np.maximum(four - 4 * one * three + 6 * one**2 * two - 3 * one**4, 0.0)
    variance = spread * count / (count - 1)
    of_variance = np.maximum(fourth - spread**2 * (count - 3) / (count - 1), 0.0) / count
    with np.errstate(over="ignore"):
        found = {
            "mean": start + unit * one,
            "variance": unit**2 * variance,
            "mean_error": unit * np.sqrt(variance / count),
            "variance_error": unit**2 * np.sqrt(of_variance),
        }
    _refuse_overflow(function, *found.values())
    return SimulatedMoments(
        **{name: scalar(np.asarray(x)) for name, x in found.items()}, samples=count
    )


def _read(
    function: str,
    mu_q: object,
    Sigma_q: object,
    mu_k: object,
    Sigma_k: object,
    cross: object,
) -> dict[str, Array]:
    given = {"mu_q": read_stack(function, "mu_q", mu_q, AXES["mu_q"])}
    d = given["mu_q"].shape[-1]
    given["Sigma_q"] = read_covariance(function, "Sigma_q", Sigma_q, d, axes=AXES["Sigma_q"])
    given["mu_k"] = read_stack(function, "mu_k", mu_k, AXES["mu_k"], width=d)
    given["Sigma_k"] = read_covariance(function, "Sigma_k", Sigma_k, d, axes=AXES["Sigma_k"])
    if cross is not None:
        given["cross"] = read_stack(function, "cross", cross, AXES["cross"], rows=d, width=d)
        batch_axes(function, given, AXES)
        originals = {"Sigma_q": Sigma_q, "Sigma_k": Sigma_k, "cross": cross}
        epsilon = max(rounding(function, name, x) for name, x in originals.items())
        refuse_negative(
            function,
            "[[Sigma_q, cross], [cross.T, Sigma_k]], with q and k each in units of its largest "
            "standard deviation,",
            _joint(given)[0],
            max(SLACK, 2 * d * epsilon),
        )
    return given


def _joint(given: dict[str, Array]) -> tuple[Array, Array]:
    """Return the covariance of (q, k) with variances of 1 at most, and the units (..., 2d)."""
    S_q, S_k = given["Sigma_q"], given["Sigma_k"]
    C = given.get("cross", np.zeros(S_q.shape[-2:]))
    d = C.shape[-1]
    batch = np.broadcast_shapes(S_q.shape[:-2], S_k.shape[:-2], C.shape[:-2])
    units = np.ones((*batch, 2 * d))
    joint = np.empty((*batch, 2 * d, 2 * d))
    for part, S in ((slice(d), S_q), (slice(d, None), S_k)):
        largest = np.max(np.einsum("...ii->...i", S), axis=-1, keepdims=True)
        units[..., part] = np.sqrt(np.where(largest > 0, largest, 1.0))
        joint[..., part, part] = S
    joint[..., :d, d:] = C
    joint[..., d:, :d] = np.swapaxes(C, -1, -2)
    return joint / units[..., :, None] / units[..., None, :], units


def _refuse_overflow(function: str, *moments: Array) -> None:
    if not all(np.all(np.isfinite(moment)) for moment in moments):
        raise ParameterError(
            f"{function}: the moments are too large for float64. Pass q or k in larger units."
        )


def _form(left: Array, matrix: Array, right: Array) -> Array:
    """Return left' matrix right."""
    product = np.sum(left * (matrix @ right[..., None])[..., 0], axis=-1)
    return np.asarray(product, dtype=np.float64)
