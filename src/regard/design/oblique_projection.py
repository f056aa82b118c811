"""Design a separator: a matrix that reads the part of one subspace out of a mix of two.

Construction. Let U and W be orthonormal bases of the spans of S and T. If the spans share only 0,
every c in their sum is s + t in one way, and P = [U 0][U W]⁺ returns s. With c = share · s + t,
the matrix M = P / share returns s itself. ‖P‖ = 1/sin θ, with θ the smallest angle between the
two spans, and no other such matrix is shorter: for unit s = S x and the t = T y nearest to it, ‖s
− t‖ = sin θ while M (s − t) = s / share.

Obstruction. If s = S x = T y ≠ 0, then M would have to send the same vector to s / share and to 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import ArrayLike, NDArray

from regard.certify import Certificate, Claim
from regard.design.extremes import surely
from regard.design.linear_scores.rational_witness import rational, text
from regard.design.reasons import Reason, refused
from regard.design.results import SeparatorDesign
from regard.errors import ParameterError
from regard.language.bounds import lower_bound, upper_bound
from regard.shapes import real
from regard.shapes.goals import read_rows

__all__ = ["separator"]

Array = NDArray[np.float64]

FUNCTION = "design.separator"
FLAT = 1e-12  # columns whose singular value is this share of the largest add no direction
PARALLEL = 1e-8  # below this sine of the angle a float64 matrix could not tell the parts apart
MOST_EXACT = 4000  # entries of S and T up to which a common vector is sought in rationals


@dataclass(frozen=True)
class CommonDirection(Reason):
    """The subspaces have a direction in common.

    Attributes:
        radius: the norm of matrices up to which none separates them; None: none at all.
        error: of the matrix that separates what can be.
    """

    function = FUNCTION
    nearest = None
    proved = True
    radius: float | None
    error: float

    @property
    def sentence(self) -> str:
        """What no matrix does, and why."""
        which = (
            "no matrix"
            if self.radius is None
            else f"no matrix of norm up to {lower_bound(self.radius, 3)}"
        )
        return f"{which} separates these subspaces: they have a direction in common."

    @property
    def best(self) -> str:
        """A sentence on what the closest separator, `.best`, tells apart."""
        return f".best separates what can be, with error at most {upper_bound(self.error)}."


def separator(S: ArrayLike, T: ArrayLike, *, share: float = 0.5) -> SeparatorDesign:
    """Design M with M @ (share · s + t) = s for every s in the span of S and t in the span of T.

    Args:
        S: (d, p), columns that span the subspace to keep: orthonormal, unit, independent or not.
        T: (d, r), columns that span the subspace to drop.
        share: the share of s in the mix, > 0: 1/2 for an average, 1 for a sum.

    Returns:
        The design. `.M` also drops whatever is orthogonal to both subspaces.

    Raises:
        InfeasibleDesign: the subspaces have a vector in common, which the certificate shows.

    Example:
        >>> import regard
        >>> design = regard.design.separator([[1, 0.6], [0, 0.8], [0, 0]], [[0], [0], [1]])
        >>> (design.M @ [1.1, 0.8, 2.5]).round(12).tolist()
        [2.2, 1.6, 0.0]
    """
    kept = read_rows(FUNCTION, "S", S, "(d, p)")
    dropped = read_rows(FUNCTION, "T", T, "(d, r)", rows=len(kept))
    part = real(FUNCTION, "share", share, positive=True)
    if not np.any(kept):
        raise ParameterError(f"{FUNCTION}: S spans nothing: all its columns are 0.")
    kept, dropped = kept.copy(), dropped.copy()
    given: dict[str, Array | float | None] = {"S": kept, "T": dropped, "share": part}
    return surely(FUNCTION, given, lambda: _separated(kept, dropped, part))


def _separated(kept: Array, dropped: Array, part: float) -> SeparatorDesign:
    """The design, or the exception that shows what the subspaces have in common."""
    basis, other = _basis(kept), _basis(dropped)
    # Singular values of what is left of U outside the span of T are the sines of the angles.
    _, sines, _ = np.linalg.svd(basis - other @ (other.T @ basis), full_matrices=False)
    sine = min(1.0, float(sines[-1])) if basis.shape[1] <= len(kept) else 0.0
    if basis.shape[1] + other.shape[1] > len(kept):
        sine = 0.0  # too many directions for the space: the spans must meet
    common = _common(kept, dropped) if sine <= PARALLEL else None
    found = _fit(kept, dropped, basis, other, part)
    if sine > PARALLEL:
        return _design(kept, dropped, found, part, sine, _closest(kept, dropped, basis, other))
    best = _design(kept, dropped, found, part, sine, None)
    x, y, radius = common if common is not None else _nearly(kept, dropped, basis, other, part)
    claim = Claim("no_separator", {"share": part, "radius": radius}, {"x": x, "y": y})
    reason = CommonDirection(radius, best.certificate.claims[0].fields["bound"])
    raise refused(reason, Certificate({"S": kept, "T": dropped}, (claim,)), best)


def _basis(columns: Array) -> Array:
    # A power of two leaves the span as it is, and keeps squares among the floats.
    columns = np.ldexp(columns, -math.frexp(float(np.max(np.abs(columns))))[1])
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, sizes > FLAT * max(float(sizes[0]), 1e-300)]


def _fit(kept: Array, dropped: Array, basis: Array, other: Array, share: float) -> Array:
    """[U 0][U W]⁺ / share, corrected until the given columns themselves come out right."""
    both = np.concatenate([basis, other], axis=1)
    wanted = np.concatenate([basis / share, np.zeros_like(other)], axis=1)
    inverse = np.linalg.pinv(both, rcond=1e-12)
    matrix = wanted @ inverse
    columns = np.concatenate([kept, dropped], axis=1)
    wanted = np.concatenate([kept / share, np.zeros_like(dropped)], axis=1)
    size = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    inverse = np.linalg.pinv(columns / size, rcond=1e-12)
    for _ in range(2):
        better = matrix + (wanted / size - matrix @ (columns / size)) @ inverse
        if _missed(kept, dropped, better, share) < _missed(kept, dropped, matrix, share):
            matrix = better
    return matrix


def _missed(kept: Array, dropped: Array, matrix: Array, share: float) -> float:
    """The longest column of M S − S/share and of M T, in wide floats, rounded up."""
    wide = np.concatenate([kept, dropped], axis=1).astype(np.longdouble)
    product = np.einsum("ij,jk->ik", matrix.astype(np.longdouble), wide)
    size = np.einsum("ij,jk->ik", np.abs(matrix).astype(np.longdouble), np.abs(wide))
    wanted = np.concatenate([kept.astype(np.longdouble) / share, 0 * dropped], axis=1)
    slack = 4 * len(kept) * np.finfo(np.longdouble).eps * (size + np.abs(wanted))
    missed = np.sqrt(np.sum((np.abs(product - wanted) + slack) ** 2, axis=0))
    return float(np.nextafter(float(np.max(missed) * (1 + 1e-12)), np.inf))


def _closest(kept: Array, dropped: Array, basis: Array, other: Array) -> tuple[Array, Array]:
    """The x and y for which S x and T y are the closest unit-length pair of the two spans."""
    rest = basis - other @ (other.T @ basis)
    _, _, right = np.linalg.svd(rest, full_matrices=False)
    vector = basis @ right[-1]
    x = np.linalg.lstsq(kept, vector, rcond=FLAT)[0]
    y = np.linalg.lstsq(dropped, kept @ x, rcond=FLAT)[0]
    return x, y


def _design(
    kept: Array,
    dropped: Array,
    matrix: Array,
    share: float,
    sine: float,
    closest: tuple[Array, Array] | None,
) -> SeparatorDesign:
    norm = float(np.linalg.norm(matrix, 2))
    error = _missed(kept, dropped, matrix, share)
    claims = [
        Claim("separates", {"share": share, "bound": error}, {"M": matrix}),
        Claim("norm_at_most", {"bound": norm * (1 + 1e-12) + 1e-300}, {"M": matrix}),
    ]
    if closest is not None:
        x, y = closest
        kept_part, apart = kept @ x, kept @ x - dropped @ y
        least = float(np.linalg.norm(kept_part) / np.linalg.norm(apart)) / share
        slack = 1e-12 + 1e-14 / sine  # the difference of two nearly equal vectors is rounded
        claims.append(
            Claim("norm_at_least", {"share": share, "bound": least * (1 - slack)}, {"x": x, "y": y})
        )
    return SeparatorDesign(
        M=matrix,
        norm=norm,
        certificate=Certificate({"S": kept, "T": dropped}, tuple(claims)),
        share=share,
        angle=math.asin(sine),
    )


def _common(kept: Array, dropped: Array) -> tuple[list[str], list[str], None] | None:
    """The x and y with S x = T y ≠ 0 exactly, if they exist and the matrices are small."""
    if kept.size + dropped.size > MOST_EXACT:
        return None
    columns = np.concatenate([kept, -dropped], axis=1)
    reduced, rank = fmpq_mat([[rational(v) for v in row] for row in columns]).rref()
    pivots = []
    for row in range(rank):
        pivots.append(next(c for c in range(columns.shape[1]) if reduced[row, c] != 0))
    width = kept.shape[1]
    exact = fmpq_mat([[rational(v) for v in row] for row in kept])
    for free in (c for c in range(columns.shape[1]) if c not in pivots):
        vector = [fmpq(0)] * columns.shape[1]
        vector[free] = fmpq(1)
        for row, pivot in enumerate(pivots):
            vector[pivot] = -reduced[row, free]
        image = exact * fmpq_mat([[v] for v in vector[:width]])
        if any(image[row, 0] != 0 for row in range(len(kept))):
            return [text(v) for v in vector[:width]], [text(v) for v in vector[width:]], None
    return None


def _nearly(
    kept: Array, dropped: Array, basis: Array, other: Array, share: float
) -> tuple[Array, Array, float]:
    """The x and y with S x nearly T y, and the norm up to which that rules a separator out."""
    x, y = _closest(kept, dropped, basis, other)
    wide_x, wide_y = x.astype(np.longdouble), y.astype(np.longdouble)
    apart = np.einsum("ij,j->i", kept.astype(np.longdouble), wide_x)
    size = float(np.sqrt(np.sum(apart * apart)))
    apart = apart - np.einsum("ij,j->i", dropped.astype(np.longdouble), wide_y)
    gap = float(np.sqrt(np.sum(apart * apart)))
    return x, y, min(1e12, 0.5 * size / max(gap, 1e-300)) / share
