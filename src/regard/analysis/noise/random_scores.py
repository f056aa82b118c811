"""From random keys to random scores: all that a head sees of a key is q·k.

If k_i ~ N(μ_i, Σ_i) independently, the scores s_hi = scale · q_h·k_i are Gaussian, independent
between keys, with means scale · q_h·μ_i and, between heads of the same key, covariances scale²
q_h·Σ_i q_h'. So nothing of size d is ever sampled or integrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.errors import ParameterError, ShapeError
from regard.shapes import show
from regard.shapes.laws import read_covariance, read_stack

__all__ = ["Scores", "read_scores"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """The law of the scores of H heads over n keys.

    Attributes:
        means: (..., H, n).
        covariances: (..., n, H, H), of the heads' scores of one key.
        blur: (..., H, n), by how much rounding may have changed each mean. Two means of a head
            that are no further apart than their blurs together may be equal.
        rounding: by how much that, and the rounding of the variances, may have changed a weight.
    """

    means: Array
    covariances: Array
    blur: Array
    rounding: float = 0.0

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes."""
        return self.means.shape[:-2]

    @property
    def heads(self) -> int:
        """How many heads there are."""
        return self.means.shape[-2]

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return self.means.shape[-1]

    @property
    def deviations(self) -> Array:
        """The standard deviations (..., H, n)."""
        variances = np.diagonal(self.covariances, axis1=-2, axis2=-1)
        return np.sqrt(np.swapaxes(variances, -1, -2))

    def of(self, place: tuple[int, ...]) -> Scores:
        """The law of one problem of a batch."""
        return Scores(self.means[place], self.covariances[place], self.blur[place], self.rounding)

    def of_heads(self, heads: Sequence[int]) -> Scores:
        """The law of some heads of one problem."""
        chosen = list(heads)
        covariances = self.covariances[:, chosen][:, :, chosen]
        return Scores(self.means[chosen], covariances, self.blur[chosen], self.rounding)

    def tied(self, scores: Array) -> NDArray[np.bool_]:
        """Which of some scores (..., H, n) may be the highest of their head, up to rounding."""
        best = np.argmax(scores, axis=-1, keepdims=True)
        top = np.take_along_axis(scores, best, axis=-1)
        blur = np.broadcast_to(self.blur, scores.shape)
        return np.asarray(scores >= top - blur - np.take_along_axis(blur, best, axis=-1))

    def factors(self) -> Array:
        """Matrices L (..., n, H, H) with L Lᵀ = covariances, also for singular ones."""
        sizes, vectors = np.linalg.eigh(self.covariances)
        return vectors * np.sqrt(np.maximum(sizes, 0.0))[..., None, :]

    def weights(self, normals: Array) -> Array:
        """Weights (points, ..., H, n) from standard normal numbers (points, ..., n, H)."""
        noise = np.einsum("...nhg,p...ng->p...hn", self.factors(), normals)
        s = self.means + noise
        with np.errstate(over="ignore"):  # so far below the best that floats end weighs nothing
            s -= np.max(s, axis=-1, keepdims=True)
        np.exp(s, out=s)
        s /= np.sum(s, axis=-1, keepdims=True)
        return s


def read_scores(
    function: str, queries: object, means: object, covariances: object, scale: object
) -> Scores:
    """Read queries (..., H, d) or (d,), means (..., n, d), covariances (..., n, d, d) and scale."""
    mu = read_stack(function, "means", means, "(..., n, d)")
    n, d = mu.shape[-2:]
    if np.ndim(queries) == 1:  # type: ignore[arg-type]
        q = read_stack(function, "queries", queries, "(d,)", width=d)[None]
    else:
        q = read_stack(function, "queries", queries, "(..., heads, d)", width=d)
    sigma = read_covariance(function, "covariances", covariances, d, rows=n)
    factor = read_stack(function, "scale", scale, "(...)")
    try:
        batch = np.broadcast_shapes(q.shape[:-2], mu.shape[:-2], sigma.shape[:-3], factor.shape)
    except ValueError:
        raise ShapeError(
            f"{function}: batch axes do not broadcast. Need queries (..., heads, d), means "
            f"(..., n, d), covariances (..., n, d, d), scale (...). Got queries {show(q.shape)}, "
            f"means {show(mu.shape)}, covariances {show(sigma.shape)}, scale {show(factor.shape)}."
        ) from None
    heads = q.shape[-2]
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        score_means, spreads = _products(q, mu, sigma)
        score_means = factor[..., None, None] * score_means
        spreads = (factor**2)[..., None, None, None] * spreads
        sizes = _products(np.abs(q), np.abs(mu), np.abs(sigma))
        # Sums of d terms that BLAS makes in blocks: d units would be the worst case, never seen.
        unit = 4 * float(np.finfo(np.float64).eps)
        blurs = unit * np.abs(factor)[..., None, None] * sizes[0]
        grains = unit * (factor**2)[..., None, None, None] * sizes[1]
    if not (
        np.all(np.isfinite(score_means))
        and np.all(np.isfinite(spreads))
        and np.all(np.isfinite(blurs))
    ):
        raise ParameterError(
            f"{function}: the scores overflow: queries, means and covariances are too large "
            f"together. Divide keys and multiply queries by a constant, or the other way round."
        )
    spreads, rounding = _steadied(spreads, blurs, grains)
    return Scores(
        np.broadcast_to(score_means, (*batch, heads, n)),
        np.broadcast_to(spreads, (*batch, n, heads, heads)),
        np.broadcast_to(blurs, (*batch, heads, n)),
        rounding,
    )


def _steadied(spreads: Array, blurs: Array, grains: Array) -> tuple[Array, float]:
    """Covariances with variances that are rounding set to 0, and what rounding does to a weight.

    A mean that is off by δ moves a weight by at most δ/2, and by at most δ/sd, because a Gaussian
    that is shifted by so little is nearly the same law. A variance that is off by δ moves it by at
    most δ/4, and by at most δ/variance.
    """
    variances = np.einsum("...hh->...h", spreads)  # (..., n, H)
    grain = np.einsum("...hh->...h", grains)
    seen = variances > grain
    spreads = np.where(np.abs(spreads) > grains, spreads, 0.0)  # heads that share no noise, too
    spreads = spreads * seen[..., :, None] * seen[..., None, :]
    safe = np.where(seen, variances, 1.0)
    by_variance = np.where(seen, np.minimum(0.25, 0.5 / safe), 0.25) * grain
    by_mean = np.minimum(0.5, np.where(seen, 1 / np.sqrt(safe), 0.5)) * np.swapaxes(blurs, -1, -2)
    return spreads, float(np.max(by_mean) + np.max(np.sum(by_variance, axis=-2)))


def _products(q: Array, mu: Array, sigma: Array) -> tuple[Array, Array]:
    """The means q·μ (..., H, n) and covariances q·Σ q (..., n, H, H) of the scores."""
    pulled = np.swapaxes(np.matmul(q[..., None, :, :], sigma), -1, -2)  # (..., n, d, H)
    spreads = np.matmul(q[..., None, :, :], pulled)
    spreads = 0.5 * (spreads + np.swapaxes(spreads, -1, -2))
    diagonal = np.einsum("...hh->...h", spreads)
    np.maximum(diagonal, 0.0, out=diagonal)  # what rounding may have made negative
    return q @ np.swapaxes(mu, -1, -2), spreads
