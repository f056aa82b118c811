"""The state of an online softmax, in float64."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regard.kinds.compute.instance.setup import Float64, Setup


def tiled(setup: Setup, found: Mapping[str, Float64]) -> Mapping[str, Float64]:
    """The state of an online softmax after each tile of keys: maximum, sum, weighted sum."""
    size = setup.given.tiles
    if size is None:
        return {}
    seen = setup.allowed if "M" not in found else found["M"] > 0.5
    Z = np.where(seen, found["Z"] / setup.temperature, -np.inf)
    ends = [*range(size, Z.shape[1], size), Z.shape[1]]
    tops = np.array([Z[:, :end].max(axis=1) for end in ends]).T
    terms = [np.exp(Z[:, :end] - tops[:, [t]]) for t, end in enumerate(ends)]
    terms = [np.where(np.isnan(term), 0.0, term) for term in terms]
    result = {"RM": tops, "RS": np.array([term.sum(axis=1) for term in terms]).T}
    if "V" in found:
        for t, (term, end) in enumerate(zip(terms, ends, strict=True), 1):
            result[f"RU_t{t}"] = term @ found["V"][:end]
    return result
