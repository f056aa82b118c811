"""Design a head of self-attention from tokens: read what is asked for, and hand it on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from regard.core.kernels.threads import one_blas_thread
from regard.design.extremes import surely
from regard.design.heads.task import HeadTask
from regard.design.linear_scores.family import largest
from regard.design.progress import watched
from regard.design.results import HeadDesign
from regard.errors import ParameterError
from regard.shapes import integer, real
from regard.shapes.goals import read_attend, read_outputs, read_rows

__all__ = ["self_attention"]

FUNCTION = "design.self_attention"
LARGEST, SMALLEST = 1e50, 1e-50  # scores are products of four numbers of this size


def self_attention(
    tokens: ArrayLike,
    *,
    attend: Mapping[int, Any] | None = None,
    outputs: Mapping[int, ArrayLike] | None = None,
    d_k: int | None = None,
    tolerance: float = 1e-3,
    scale: float = 1.0,
    W_V: ArrayLike | None = None,
) -> HeadDesign:
    """Design W_Q, W_K and W_V so that rows attend to, or put out, what is wanted.

    Row i of the head gives token j the weight softmax_j(scale · x_j·A x_i), A = W_K W_Qᵀ, and puts
    out the average of x_j W_V with these weights.

    Args:
        tokens: (n, d_model).
        attend: {row: token} or {row: {token: weight}}; rows left out are free.
        outputs: {row: vector}; rows left out are free. Without `attend` for a row, the token it
            attends to is chosen.
        d_k: the number of columns of W_Q and W_K; the smallest found by default.
        tolerance: largest error allowed, > 0: of weights |weight − wanted|, of outputs
            ‖output − wanted‖₂.
        scale: what scores are multiplied by, > 0.
        W_V: (d_model, d_v), if the values are given; by default they are designed too (and are the
            tokens themselves where no outputs are asked for).

    Raises:
        InfeasibleDesign: no head is within the tolerance; the certificate proves it, for all heads
            or up to a ‖A‖ that it states; `.best` has the smallest error found.
        UndecidedDesign: neither a head nor a proof was found.

    Example:
        >>> import regard
        >>> design = regard.design.self_attention([[1, 0], [0, 1]], attend={0: 1, 1: 0})
        >>> design.d_k, design.weights.round(2).tolist()
        (1, [[0.0, 1.0], [1.0, 0.0]])
    """
    points = read_rows(FUNCTION, "tokens", tokens, "(n, d_model)").copy()
    size = largest(points)
    if size != 0 and not SMALLEST <= size <= LARGEST:
        raise ParameterError(
            f"{FUNCTION}: the largest number in tokens must be between {SMALLEST:g} and "
            f"{LARGEST:g}, or the matrices could not be written down. Got {size:g}. "
            f"Multiply tokens by a constant first."
        )
    if attend is None and outputs is None:
        raise ParameterError(f"{FUNCTION}: nothing is asked for. Pass attend=, outputs= or both.")
    wanted = {} if attend is None else read_attend(FUNCTION, attend, len(points))
    vectors = {} if outputs is None else read_outputs(FUNCTION, outputs, len(points))
    given = None
    if W_V is not None:
        width = len(next(iter(vectors.values()))) if vectors else None
        given = read_rows(
            FUNCTION, "W_V", W_V, "(d_model, d_v)", rows=points.shape[1], width=width
        ).copy()
    columns = None if d_k is None else integer(FUNCTION, "d_k", d_k, minimum=1)
    allowed = real(FUNCTION, "tolerance", tolerance, positive=True)
    factor = real(FUNCTION, "scale", scale, positive=True)
    sizes = {"tokens": points, "W_V": given, "tolerance": allowed, "scale": factor}
    sizes |= {f"outputs[{row}]": vector for row, vector in vectors.items()}
    with one_blas_thread(), watched(f"a head over {len(points):,} tokens"):
        return surely(
            FUNCTION,
            sizes,
            lambda: HeadTask(points, wanted, vectors, given, columns, allowed, factor).solve(),
        )
