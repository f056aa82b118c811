"""Are given matrices covariances: symmetric and positive semidefinite?

A matrix that was computed as singular, v vᵀ for instance, is in floats almost never exactly
positive semidefinite: an eigenvalue of 0 came out as -1e-17. So each matrix Σ gets its shortfall,

    δ ≥ 0 with Σ + δI positive semidefinite, proved,

which is exactly 0 where Σ itself is. Claims are about keys with the covariance Σ + δI. A δ beyond
what rounding does to a matrix is refused: then Σ is the covariance of nothing.

Proof. NumPy proposes factors Σ ≈ L Lᵀ + cI, in which c = 0 if Σ looks singular. With R = Σ - L Lᵀ -
cI computed in balls, Σ = L Lᵀ + cI + R ⪰ (c - ‖R‖) I. So ‖R‖ ≤ c proves it for Σ, and else δ = ‖R‖
will do. What looks singular and is small is decided in rationals first.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from flint import arb

from regard.certify.balls import BALLS, EXACT, definite, norm, with_bits
from regard.certify.certificate import Float64, Unusable

BITS = 128
MOST_ROWS = 24  # of a matrix in rationals
# A shortfall may be rounding (of float32, even) if it is below this share of the largest entry, or
# of the square of the largest mean, whose rounding is in a covariance that was computed from keys.
OF_ENTRIES, OF_SQUARES = 1e-6, 1e-15


def shortfalls(means: Float64, matrices: Float64) -> Float64:
    """Return δ of each covariance (n, d, d) of keys with such means, or refuse what is none."""
    if not np.array_equal(matrices, matrices.swapaxes(1, 2)):
        raise Unusable("covariances must be symmetric.")
    width = matrices.shape[1]
    found = np.zeros(len(matrices))
    longest = float(np.max(np.abs(means), initial=0.0))
    for i, matrix in enumerate(matrices):
        found[i] = _shortfall(np.ascontiguousarray(matrix + 0.0).tobytes(), width)
        entry = float(np.max(np.abs(matrix), initial=0.0))
        if found[i] > max(OF_ENTRIES * entry, OF_SQUARES * longest * longest):
            raise Unusable(
                f"covariances must be positive semidefinite, and that of key {i} is not: it lacks "
                f"{found[i]:.3g} on its diagonal."
            )
    return found


@lru_cache(maxsize=256)  # one law is read once per claim
def _shortfall(entries: bytes, width: int) -> float:
    matrix = np.frombuffer(entries).reshape(width, width)
    used = np.any(matrix != 0, axis=1)
    matrix = matrix[used][:, used]
    if not matrix.size:
        return 0.0
    off_diagonal = matrix[~np.eye(len(matrix), dtype=bool)]
    if not off_diagonal.any():
        return max(0.0, -float(np.min(matrix.diagonal())))
    unit = 2.0 ** min(max(math.frexp(float(np.max(np.abs(matrix))))[1], -1000), 1000)
    try:
        sizes, axes = np.linalg.eigh(matrix / unit)
    except np.linalg.LinAlgError:
        raise Unusable("covariances have no eigenvalues that can be computed.") from None
    if sizes[0] > len(matrix) * 1e-14 * sizes[-1]:
        if _left_over(matrix, axes, sizes, float(sizes[0]) / 2, unit) == 0:
            return 0.0
    elif len(matrix) <= MOST_ROWS and definite(EXACT.read(matrix).tolist(), semi=True):
        return 0.0
    return _left_over(matrix, axes, sizes, 0.0, unit)


def _left_over(matrix: Float64, axes: Float64, sizes: Float64, shift: float, unit: float) -> float:
    """Return ‖R‖ less the shift, rounded up, or 0 if that is not positive."""
    factor = axes * np.sqrt(np.maximum(sizes - shift, 0.0))
    with with_bits(BITS):
        read = BALLS.read(factor)
        rest = (BALLS.read(matrix) / arb(unit) - read * read.transpose()).tolist()
        for i, row in enumerate(rest):
            row[i] -= shift
        left = (norm([entry for row in rest for entry in row]) - shift) * arb(unit)
        if left <= 0:
            return 0.0
        most = float(left.upper())
    return math.nextafter(most, math.inf)
