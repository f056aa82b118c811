"""Whether a head writes what it reads: the eigenvalues of its OV product."""

from __future__ import annotations

import numpy as np

from regard.core.heads import Head

__all__ = ["FORMULAS", "copying_score"]

FORMULAS = {
    "copying": "Σ Re λ / Σ |λ| over the eigenvalues λ of W_V W_O, −1 to 1; embeddings, norm gains "
    "and biases are left out. 1 does not mean that W_V W_O is like the identity",
}


def copying_score(head: Head) -> float:
    """Return Σ Re λ / Σ |λ|; the small W_O W_V has the same eigenvalues other than 0.

    Example:
        >>> import numpy as np, regard
        >>> copying_score(regard.Head(np.eye(2), np.eye(2), np.eye(2), -np.eye(2)))
        -1.0
    """
    small = head.W_O.astype(np.float64) @ head.W_V.astype(np.float64)
    eigenvalues = np.linalg.eigvals(small)
    total = float(np.abs(eigenvalues).sum())
    return float(eigenvalues.real.sum()) / total if total > 0 else 0.0
