"""The heads of *Noisy keys*, and the laws of their outputs.

Weights do not depend on values. Their law is integrated once for each setting of the sliders, and
kept; that of the output is a linear image of it, so that values can be dragged without integrals.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
HEADS = ("one", "two", "null_one", "null_two")
KEPT = 64  # settings


class Setting(NamedTuple):
    """Which heads, how many keys, the length C of the queries, and the noises.

    The means of the keys are orthonormal; every key has noise alpha I, and k_a, the first one,
    varies in length besides: N(mu_a, alpha I + variance mu_a mu_a').
    """

    heads: str
    n: int
    C: float
    alpha: float
    variance: float

    def keys(self) -> tuple[Array, Array]:
        """The means (n, n) and the covariances (n, n, n) of the keys."""
        covariances = self.alpha * np.repeat(np.eye(self.n)[None], self.n, axis=0)
        covariances[0, 0, 0] += self.variance
        return np.eye(self.n), covariances

    def queries(self) -> Array:
        """The queries (heads, n); the first head serves k_a."""
        a, b = np.eye(self.n)[:2] * self.C
        plain = {"one": [a + b], "two": [a, b]}.get(self.heads)
        return _steered(self)[0] if plain is None else np.array(plain)

    def proved(self) -> bool | None:
        """Whether it is proved that no query is quieter at this gap; None: nothing is claimed."""
        return _steered(self)[1] if self.heads.startswith("null") else None

    def law(self, values: Array) -> Any:
        """The law of the output, of values (n, d_v): what `analysis.key_noise` returns."""
        of_weights = _weights(self, "auto")
        if of_weights.method != "exact":  # drawn until these outputs are known well enough
            return _law(self, values, "auto")
        reach = float(np.max(np.sum(np.abs(values), axis=0), initial=0.0))
        covariance = values.T @ of_weights.covariance @ values
        return replace(
            of_weights,
            mean=of_weights.mean @ values,
            covariance=0.5 * (covariance + covariance.T),
            error=(of_weights.error + 1e-15 * self.n) * max(reach, reach**2),
            mixing=of_weights.mixing @ values,
        )

    def limit(self, values: Array) -> list[tuple[float, Array]]:
        """Where the outputs go as C grows without end, with probabilities."""
        return [(chance, shares @ values) for chance, shares in _weights(self, "limit").atoms]


@lru_cache(maxsize=KEPT)
def _weights(setting: Setting, method: str) -> Any:
    """The law of the weights: of the output whose values are the unit vectors."""
    return _law(setting, np.eye(setting.n), method)


def _law(setting: Setting, values: Array, method: str) -> Any:
    from regard.analysis import key_noise

    return key_noise(setting.queries(), *setting.keys(), values, method=method, rng=0)


@lru_cache(maxsize=KEPT)
def _steered(setting: Setting) -> tuple[Array, bool]:
    """The quietest queries at the gap C, and whether the proof of that was verified."""
    from regard.certify import verify
    from regard.design import robust

    heads = 1 if setting.heads == "null_one" else 2
    design = robust(*setting.keys(), {0: 0.5, 1: 0.5}, heads=heads, gap=setting.C)
    return design.queries, verify(design.certificate).holds
