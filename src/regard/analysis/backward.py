"""The backward pass of attention in closed form.

With S = scale · Q Kᵀ (masked), A = softmax(S) along rows, Y = A V and G = ∂L/∂Y:

    dV = Aᵀ G                     dA = G Vᵀ
    dS = A ∘ (dA − ρ 1ᵀ)          ρ_i = Σ_j A_ij dA_ij = Y_i · G_i
    dQ = scale · dS K             dK = scale · dSᵀ Q

Row i of dS is J_i dA_i with the softmax Jacobian J_i = diag(a_i) − a_i a_iᵀ. Since J 1 = 0, rows of
dS sum to 0, and so do the rows of dK over all keys: adding one vector to every key changes nothing.
Heads of the query that share a key head each add to its gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.analysis.summary import span
from regard.arrays import common_dtype, give, numbers
from regard.core.call import Call, Rules
from regard.core.eager import eager
from regard.errors import ShapeError
from regard.report import Report, Table, Text
from regard.shapes import show

__all__ = ["Gradients", "gradients"]

Array = NDArray[np.float64]
_NAMES = ("query", "key", "value", "scores", "weights")


@dataclass(frozen=True, eq=False, repr=False)
class Gradients:
    """The gradients of a loss with respect to everything that one call of attention is made of.

    Attributes:
        query: (..., n_q, d_k), as the query that came in.
        key: (..., n_k, d_k), as the key: summed over the query heads that share it.
        value: (..., n_k, d_v), as the value: likewise.
        scores: (..., n_q, n_k), dS: what softmax was taken of, scaled and masked. It is also the
            gradient of a float mask that was added. 0 where nothing may be attended to.
        weights: (..., n_q, n_k), dA = G Vᵀ, as if every weight could be moved by itself.
    """

    query: Any
    key: Any
    value: Any
    scores: Any
    weights: Any

    def report(self) -> Report:
        """Shapes and sizes as a report."""
        rows = []
        for name in _NAMES:
            array = np.asarray(getattr(self, name), np.float64)
            sizes = span(array) if array.size else "nothing"
            rows.append((name, show(array.shape), sizes, f"{np.linalg.norm(array):.6g}"))
        table = Table(("with respect to", "shape", "entries", "norm"), tuple(rows))
        text = Text("Rows of the gradient of the scores sum to 0.")
        return Report("Gradients of attention", (table, text))

    def __str__(self) -> str:
        return str(self.report())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


@eager
def gradients(
    query: Any,
    key: Any,
    value: Any,
    grad_output: Any,
    mask: Any = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
) -> Gradients:
    """Compute the backward pass of `regard.attention` by its closed form.

    Args:
        query: (..., n_q, d_k); axes before the length are batch and heads, as in `attention`.
        key: (..., n_k, d_k). Its heads may be fewer: they divide those of the query.
        value: (..., n_k, d_v). Likewise.
        grad_output: ∂L/∂output, of the shape of the output, (..., n_q, d_v).
        mask: broadcasts to (..., n_q, n_k). Boolean: True = may attend. Float: added.
        scale: multiplies the scores. None is 1/sqrt(d_k).
        is_causal: query i may attend to keys j ≤ i only.

    Returns:
        Gradients: .query, .key, .value of the shapes that came in, .scores and .weights
        (..., n_q, n_k); arrays of the query's library, in the dtype that came in.

    Guarantee: computed in float64 and rounded once at the end. A query that may attend to nothing
    has gradients of 0, and NaN that nothing attends to reaches nothing. The weights are held in
    memory, n_q · n_k numbers for each head.

    Raises:
        ShapeError: the shapes do not fit.
        ParameterError: any other argument that cannot be used.

    Example:
        Two keys with equal scores: the weights are 1/2, and J = [[1, -1], [-1, 1]]/4.

        >>> found = gradients([[0.0]], [[1.0], [3.0]], [[10.0], [20.0]], [[1.0]], scale=1)
        >>> print(found.scores, found.query, found.value.T)
        [[-2.5  2.5]] [[5.]] [[0.5 0.5]]
    """
    function = "gradients"
    given = {"query": query, "key": key, "value": value, "grad_output": grad_output}
    taken = {name: numbers(function, name, array) for name, array in given.items()}
    Q, K, V, G = (one.array.astype(np.float64) for one in taken.values())
    call = Call(function, {"query": Q, "key": K, "value": V}, mask, Rules(scale, is_causal))
    fitted = call.layout
    wanted = (*fitted.outer, fitted.n_q, fitted.d_v)
    if G.shape != wanted:
        raise ShapeError(
            f"{function}: grad_output must have the shape of the output, (..., n_q, d_v) = "
            f"{show(wanted)}. Got grad_output {show(G.shape)}."
        )
    A = call.per_pair()
    call.attend(weights=A)
    heads = fitted.outer[-1] if fitted.outer else 1
    with np.errstate(all="ignore"):
        Q_h, K_h, V_h = (_per_head(x, heads) for x in (Q, K, V))
        found = _backward(A, Q_h, K_h, V_h, G, call.problem.scale)
    parts = {
        name: _summed_to(found[name], array.shape)
        for name, array in (("query", Q), ("key", K), ("value", V))
    }
    parts |= {name: found[name] for name in ("scores", "weights")}
    library, dtype = taken["query"].library, common_dtype(*(one.dtype for one in taken.values()))
    return Gradients(**{name: give(part, library, dtype) for name, part in parts.items()})


def _per_head(array: Array, heads: int) -> Array:
    """Repeat key heads, so that each query head has its own."""
    if array.ndim < 3 or array.shape[-3] in (1, heads):
        return array
    return np.repeat(array, heads // array.shape[-3], axis=-3)


def _backward(A: Array, Q: Array, K: Array, V: Array, G: Array, scale: float) -> dict[str, Array]:
    attended = A != 0  # also where a weight is NaN
    dA = G @ V.swapaxes(-1, -2)
    share = np.where(attended, A * dA, 0.0)
    rho = np.sum(share, axis=-1, keepdims=True)
    dS = np.where(attended, A * (dA - rho), 0.0)
    back = attended.swapaxes(-1, -2)
    return {
        "weights": dA,
        "scores": dS,
        "value": _product(A.swapaxes(-1, -2), G, back),
        "query": scale * _product(dS, K, attended),
        "key": scale * _product(dS.swapaxes(-1, -2), Q, back),
    }


def _product(left: Array, right: Array, attended: NDArray[np.bool_]) -> Array:
    """Multiply, where 0 · NaN is 0 for what is not attended to and NaN for what is."""
    bad = ~np.all(np.isfinite(right), axis=-1, keepdims=True)
    if not np.any(bad):
        return np.asarray(left @ right)
    clean = left @ np.where(bad, 0.0, right)
    reached = attended.astype(float) @ bad.astype(float) > 0
    return np.where(reached, np.nan, clean)


def _summed_to(array: Array, shape: tuple[int, ...]) -> Array:
    """Sum over the axes that were broadcast, and over the heads of a group."""
    if array.ndim > 2 and len(shape) > 2 and array.shape[-3] != shape[-3] > 1:
        parted = (*array.shape[:-3], shape[-3], -1, *array.shape[-2:])
        array = np.sum(array.reshape(parted), axis=-3)
    array = np.sum(array, axis=tuple(range(array.ndim - len(shape))))
    wide = tuple(axis for axis, n in enumerate(shape) if n == 1 != array.shape[axis])
    return np.sum(array, axis=wide, keepdims=True)
