"""How other libraries lay out the matrices of several heads, and torch's module of them.

There all heads of one letter lie side by side in one matrix: head h has d columns from h · d on
where tokens are multiplied from the right ("in_out"), d rows where the matrix acts on columns
("out_in", torch's `nn.Linear`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import numbers
from regard.errors import ParameterError, ShapeError
from regard.shapes import choice, integer

if TYPE_CHECKING:
    from regard.core.multi_head import MultiHead

Array = NDArray[Any]
FROM_ARRAYS = "MultiHead.from_arrays"
FROM_TORCH = "MultiHead.from_torch"
TO_TORCH = "MultiHead.to_torch"


def unpacked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `MultiHead` for those of `MultiHead.from_arrays`."""
    choice(FROM_ARRAYS, "layout", given["layout"], ("out_in", "in_out"))
    n_heads = integer(FROM_ARRAYS, "n_heads", given["n_heads"], minimum=1)
    n_kv_heads = given["n_kv_heads"]
    n_kv = n_heads
    if n_kv_heads is not None:
        n_kv = integer(FROM_ARRAYS, "n_kv_heads", n_kv_heads, minimum=1)
    if n_heads % n_kv:
        raise ParameterError(
            f"{FROM_ARRAYS}: n_kv_heads must divide n_heads. Got {n_kv} and {n_heads}."
        )
    inward = given["layout"] == "in_out"
    letters = _letters(given, n_heads, n_kv, inward)
    heads = {"Q": n_heads, "K": n_kv, "V": n_kv}
    found: dict[str, Any] = {"scale": given["scale"], "b_O": given["b_O"]}
    for letter, count in heads.items():
        side = "columns" if inward else "rows"
        found[f"W_{letter}"] = _per_head(f"W_{letter}", letters[f"W_{letter}"], count, side)
        bias = letters[f"b_{letter}"]
        if bias is not None:
            bias = _per_head(f"b_{letter}", bias, count, "entries")
        found[f"b_{letter}"] = bias
    found["W_O"] = None if given["W_O"] is None else _matrix("W_O", given["W_O"], inward)
    _refuse_the_other_layout(given, found, n_heads)
    return found


def _refuse_the_other_layout(
    given: Mapping[str, Any], found: Mapping[str, Any], n_heads: int
) -> None:
    """Refuse W_O that does not fit where all would fit in the other layout."""
    W_V, W_O = found["W_V"], found["W_O"]
    if given["W_QKV"] is not None or W_O is None or W_O.shape[0] == n_heads * W_V.shape[-1]:
        return
    n_kv, d_context, _ = W_V.shape  # read the other way, d_context is n_kv · d_v
    if d_context % n_kv == 0 and W_O.shape[1] == n_heads * d_context // n_kv:
        other = "in_out" if given["layout"] == "out_in" else "out_in"
        raise ShapeError(
            f"{FROM_ARRAYS}: W_O does not fit W_V with layout {given['layout']!r}; with layout "
            f"{other!r} it does. Got W_V {np.shape(given['W_V'])}, W_O {np.shape(given['W_O'])}."
        )


def _letters(given: Mapping[str, Any], n_heads: int, n_kv: int, inward: bool) -> dict[str, Any]:
    """Return W_Q, W_K, W_V as (d_model, heads · d) and the biases, also out of packed ones."""
    found: dict[str, Any] = {}
    for kind in ("W", "b"):
        packed = given[f"{kind}_QKV"]
        own = {f"{kind}_{letter}": given[f"{kind}_{letter}"] for letter in "QKV"}
        if packed is None:
            missing = [name for name, array in own.items() if array is None]
            if kind == "W" and missing:
                raise ParameterError(
                    f"{FROM_ARRAYS}: {missing[0]} is missing. Give W_Q, W_K and W_V, or W_QKV."
                )
            found |= {
                name: array if array is None else _matrix(name, array, inward)
                for name, array in own.items()
            }
            continue
        twice = [name for name, array in own.items() if array is not None]
        if twice:
            raise ParameterError(
                f"{FROM_ARRAYS}: {kind}_QKV holds {twice[0]} already. Give one of them."
            )
        array = _matrix(f"{kind}_QKV", packed, inward)
        parts = n_heads + 2 * n_kv
        if array.shape[-1] % parts:
            raise ShapeError(
                f"{FROM_ARRAYS}: {kind}_QKV is not a multiple of n_heads + 2 n_kv_heads = {parts} "
                f"wide. Got {numbers(FROM_ARRAYS, f'{kind}_QKV', packed).array.shape}."
            )
        width = array.shape[-1] // parts
        cuts = [n_heads * width, (n_heads + n_kv) * width]
        found |= dict(zip(own, np.split(array, cuts, axis=-1), strict=True))
    return found


def _matrix(name: str, given: Any, inward: bool) -> Array:
    """Read a matrix as (in, out), or a vector."""
    array = numbers(FROM_ARRAYS, name, given).array
    wanted = 1 if name.startswith("b") else 2
    if array.ndim != wanted:
        raise ShapeError(f"{FROM_ARRAYS}: {name} needs {wanted} axes. Got {array.shape}.")
    return array if inward or wanted == 1 else array.T


def _per_head(name: str, array: Array, count: int, side: str) -> Array:
    """Cut (in, count · d) into (count, in, d), and (count · d,) into (count, d)."""
    if array.shape[-1] % count:
        other = array.ndim == 2 and array.shape[0] % count == 0
        raise ShapeError(
            f"{FROM_ARRAYS}: {name} has {array.shape[-1]} {side} for {count} heads, "
            f"which is no whole number for each.{' Is the layout the other one?' if other else ''}"
        )
    cut = array.reshape(*array.shape[:-1], count, -1)
    return np.moveaxis(cut, -2, 0)


def from_torch(module: Any) -> dict[str, Any]:
    """Return the arguments of `MultiHead` for a `torch.nn.MultiheadAttention`."""
    if type(module).__name__ != "MultiheadAttention" or not hasattr(module, "out_proj"):
        raise ParameterError(
            f"{FROM_TORCH}: module must be a torch.nn.MultiheadAttention. "
            f"Got {type(module).__name__}. For matrices of another module use from_arrays."
        )
    if module.bias_k is not None or module.add_zero_attn:
        option = "add_bias_kv" if module.bias_k is not None else "add_zero_attn"
        raise ParameterError(f"{FROM_TORCH}: {option} adds a key that no head here has.")
    if module.kdim != module.vdim:
        raise ParameterError(
            f"{FROM_TORCH}: keys and values must come from one context. "
            f"Got kdim {module.kdim}, vdim {module.vdim}."
        )
    if module.in_proj_weight is None:
        weights = [getattr(module, f"{letter}_proj_weight") for letter in "qkv"]
    else:
        weights = list(module.in_proj_weight.chunk(3))
    given: dict[str, Any] = dict.fromkeys(("W_QKV", "b_QKV", "scale", "n_kv_heads"))
    given |= {"n_heads": module.num_heads, "layout": "out_in"}
    given |= {f"W_{c}": one.detach() for c, one in zip("QKV", weights, strict=True)}
    given["W_O"] = module.out_proj.weight.detach()
    bias = module.in_proj_bias
    biases = (None,) * 3 if bias is None else bias.detach().chunk(3)
    given |= {f"b_{c}": one for c, one in zip("QKV", biases, strict=True)}
    given["b_O"] = None if module.out_proj.bias is None else module.out_proj.bias.detach()
    return unpacked(given)


def to_torch(heads: MultiHead) -> Any:
    """Return a `torch.nn.MultiheadAttention` that computes what `heads` does."""
    try:
        import torch
    except ImportError:
        raise ParameterError(f"{TO_TORCH}: torch is not installed: pip install torch.") from None
    n_heads, d_model, d_k = heads.W_Q.shape
    d_v = heads.W_V.shape[-1]
    d_out = heads.W_O.shape[-1] if heads.W_O is not None else n_heads * d_v
    width = d_model // n_heads
    if heads.W_O is None and heads.combine == "mean":
        d_out = d_v
    if d_model % n_heads or max(d_k, d_v) > width or d_out != d_model:
        raise ParameterError(
            f"{TO_TORCH}: torch.nn.MultiheadAttention needs d_out = d_model and d_k, d_v at most "
            f"d_model / n_heads, a whole number. Got n_heads {n_heads}, d_model {d_model}, "
            f"d_k {d_k}, d_v {d_v}, d_out {d_out}."
        )
    shared = n_heads // len(heads.W_K)
    scale = 1 / math.sqrt(d_k) if heads.scale is None else heads.scale
    factors = {"Q": scale * math.sqrt(width), "K": 1.0, "V": 1.0}
    matrices, biases = [], []
    for letter, factor in factors.items():
        matrix, bias = getattr(heads, f"W_{letter}"), getattr(heads, f"b_{letter}")
        if letter != "Q":
            matrix = np.repeat(matrix, shared, axis=0)
            bias = None if bias is None else np.repeat(bias, shared, axis=0)
        bias = np.zeros((n_heads, matrix.shape[-1])) if bias is None else bias
        matrices.append(_side_by_side(matrix * factor, width).T)
        biases.append(_side_by_side(bias[:, None] * factor, width)[0])
    module = torch.nn.MultiheadAttention(
        d_model,
        n_heads,
        bias=any(getattr(heads, f"b_{letter}") is not None for letter in "QKVO"),
        batch_first=True,
        kdim=heads.W_K.shape[-2],
        vdim=heads.W_V.shape[-2],
        dtype=getattr(torch, heads.dtype),
    )
    b_O = np.zeros(d_model) if heads.b_O is None else heads.b_O
    with torch.no_grad():
        packed = module.in_proj_weight is not None
        own = [module.q_proj_weight, module.k_proj_weight, module.v_proj_weight]
        for place, matrix in zip(
            module.in_proj_weight.chunk(3) if packed else own, matrices, strict=True
        ):
            place.copy_(torch.from_numpy(np.ascontiguousarray(matrix)))
        module.out_proj.weight.copy_(torch.from_numpy(_written(heads, width).T.copy()))
        if module.in_proj_bias is not None:
            module.in_proj_bias.copy_(torch.from_numpy(np.concatenate(biases)))
            module.out_proj.bias.copy_(torch.from_numpy(np.ascontiguousarray(b_O)))
    return module.eval()


def _side_by_side(matrix: Array, width: int) -> Array:
    """Return (n_heads, in, d) as (in, n_heads · width), each head filled up with zeros."""
    n_heads, rows, d = matrix.shape
    wide = np.zeros((n_heads, rows, width), matrix.dtype)
    wide[..., :d] = matrix
    return np.moveaxis(wide, 0, 1).reshape(rows, -1)


def _written(heads: MultiHead, width: int) -> Array:
    """Return what turns the averages of all heads, `width` wide each, into the output."""
    n_heads, d_v = len(heads.W_Q), heads.W_V.shape[-1]
    W_O = heads.W_O
    if W_O is None:
        own = np.eye(n_heads * d_v).reshape(n_heads, d_v, -1)
        W_O = own if heads.combine == "concat" else np.stack([np.eye(d_v)] * n_heads)
    filled = np.zeros((n_heads, width, W_O.shape[-1]))
    filled[:, :d_v] = W_O
    return filled.reshape(n_heads * width, -1) / (n_heads if heads.combine == "mean" else 1)
