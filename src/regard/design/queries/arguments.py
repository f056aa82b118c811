"""Design a query from keys: read what is asked for, and hand it on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.core.kernels.threads import one_blas_thread
from regard.design.extremes import surely
from regard.design.progress import watched
from regard.design.queries.moving_keys import solve_moving
from regard.design.queries.task import QueryTask
from regard.design.results import QueryDesign
from regard.errors import ParameterError
from regard.shapes import real
from regard.shapes.goals import read_rows, read_target

__all__ = ["query"]

FUNCTION = "design.query"
Array = NDArray[np.float64]
COPY_LIMIT = 1 << 26  # bytes; larger keys are kept as the caller's own array


def query(
    keys: ArrayLike,
    target: object,
    *,
    tolerance: float = 1e-3,
    values: ArrayLike | None = None,
    scale: float = 1.0,
    radius: float | None = None,
) -> QueryDesign:
    """Design the query whose attention weights over `keys` are `target`.

    Weights are softmax(scale · keys @ query).

    Args:
        keys: (n, d), any finite numbers: equal keys, long keys, dependent keys are ordinary.
        target: the index of the key to copy, {index: weight}, or a vector of n weights.
        tolerance: largest error allowed, > 0: ‖output − wanted output‖₂ if values are given,
            else the largest |weight − target|.
        values: (n, d_v), what is averaged.
        scale: what scores are multiplied by, > 0.
        radius: ≥ 0. Given, the error is to be within the tolerance whatever the keys are, each
            within this distance of the one given; about weights, so without `values`.

    Returns:
        The design. For a copy of one key without values `.query` is the shortest query that leaves
        at most `tolerance` to the others, up to the share `.longer` of its length, which is proved.
        For mixtures, and with values, it lies along the direction of widest margin, at the smallest
        scale that meets the tolerance: no shorter query has the same weights, but another within
        the tolerance may be a few percent shorter. With a radius the same is said of all keys
        within it: `.error` is the largest over these, `.weights` are at the keys given.

    Raises:
        InfeasibleDesign: no query is within the tolerance. Its certificate proves it, for all
            queries or up to a length that it states; `.best` has the smallest error found.
        UndecidedDesign: neither a query nor a proof was found (tolerances at the edge of what can
            be reached, to about nine digits, or that no float64 query can meet; some outputs of
            keys in more than three dimensions; mixtures of keys that move).

    Example:
        >>> import regard
        >>> design = regard.design.query([[1, 0, 0], [0, 1, 0], [0, 0, 1]], {0: 0.5, 1: 0.5})
        >>> design.query.round(3).tolist()
        [2.071, 2.071, -4.142]
        >>> regard.certify.verify(design.certificate).holds
        True
    """
    points = read_rows(FUNCTION, "keys", keys, "(n, d)")
    averaged = None
    if values is not None:
        averaged = read_rows(FUNCTION, "values", values, "(n, d_v)", rows=len(points))
    indices, weights = read_target(FUNCTION, target, len(points))
    allowed = real(FUNCTION, "tolerance", tolerance, positive=True)
    factor = real(FUNCTION, "scale", scale, positive=True)
    moved_by = 0.0 if radius is None else _radius(radius, averaged)
    given = {
        "keys": points,
        "values": averaged,
        "tolerance": allowed,
        "scale": factor,
        "radius": moved_by,
    }
    points = _own(points)
    averaged = None if averaged is None else _own(averaged)
    with one_blas_thread(), watched(f"a query over {len(points):,} keys") as tick:
        return surely(
            FUNCTION,
            given,
            lambda: solve_moving(
                QueryTask(points, averaged, indices, weights, allowed, factor), moved_by, tick
            ),
        )


def _radius(radius: object, values: Array | None) -> float:
    moved_by = real(FUNCTION, "radius", radius)
    if moved_by < 0:
        raise ParameterError(f"{FUNCTION}: radius must be ≥ 0. Got {moved_by:g}.")
    if moved_by > 0 and values is not None:
        raise ParameterError(
            f"{FUNCTION}: radius is about weights, and values are given. Leave values out: weights "
            f"that are off by at most δ, of m keys, move the output by at most m δ / 2 times the "
            f"diameter of the values; `analysis.worst_case` gives the range of the output."
        )
    return moved_by


def _own(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy that the caller cannot change, unless the array is very large."""
    if array.nbytes > COPY_LIMIT:
        return array
    copy = array.copy()
    copy.flags.writeable = False
    return copy
