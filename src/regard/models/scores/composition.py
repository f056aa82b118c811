"""How strongly heads of one layer read what heads of the layer before have written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.multi_head import MultiHead
from regard.models.scores.rank import triangle

__all__ = ["FORMULAS", "composition_scores", "random_level"]

Array = NDArray[Any]

FORMULAS = {
    "composition": "of head 2 after head 1 of the layer before: K ‖OV₁ A₂‖/(‖OV₁‖ ‖A₂‖), "
    "Q ‖OV₁ A₂ᵀ‖/(‖OV₁‖ ‖A₂‖), V ‖OV₁ OV₂‖/(‖OV₁‖ ‖OV₂‖), A = W_K W_Qᵀ, OV = W_V W_O, Frobenius "
    "norms; norm gains are left out. Random matrices have about 1/sqrt(d_model)",
}


def random_level(d_model: int) -> float:
    """Return about what random matrices have."""
    return float(d_model**-0.5)


def composition_scores(first: MultiHead, second: MultiHead) -> dict[str, Array]:
    """Return Q, K and V, each (heads of the first, heads of the second).

    With thin triangular factors R of V₁, Q₂, K₂ and O₂ no norm needs a (d_model, d_model) matrix:
    ‖V₁ O₁ K₂ Q₂ᵀ‖ = ‖R(V₁) (O₁ K₂) R(Q₂)ᵀ‖.
    """
    V1, O1 = _own(first, "W_V"), first.W_O.astype(np.float64)
    Q2, K2, V2 = (_own(second, name) for name in ("W_Q", "W_K", "W_V"))
    R_V1, R_Q2, R_K2, R_V2 = (triangle(x) for x in (V1, Q2, K2, V2))
    R_O1, R_O2 = (triangle(heads.W_O.swapaxes(-1, -2)) for heads in (first, second))

    def norm(x: Array) -> Array:
        return np.asarray(np.linalg.norm(x, axis=(-2, -1)))

    written = norm(R_V1 @ R_O1.swapaxes(-1, -2))[:, None]
    matched = norm(R_K2 @ R_Q2.swapaxes(-1, -2))[None]
    copied = norm(R_V2 @ R_O2.swapaxes(-1, -2))[None]

    def through(read: Array, other: Array, size: Array) -> Array:
        joined = R_V1[:, None] @ (O1[:, None] @ read[None]) @ other.swapaxes(-1, -2)[None]
        below = written * size
        return np.where(below > 0, norm(joined) / np.where(below > 0, below, 1), 0.0)

    return {
        "Q": through(Q2, R_K2, matched),
        "K": through(K2, R_Q2, matched),
        "V": through(V2, R_O2, copied),
    }


def _own(heads: MultiHead, name: str) -> Array:
    """Return a stack with one matrix per query head, those of groups repeated."""
    stack = getattr(heads, name).astype(np.float64)
    return np.repeat(stack, len(heads.W_Q) // len(stack), axis=0)
