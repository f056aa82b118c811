"""torch's own module of several heads, read and made.

It holds the heads of one letter side by side in one matrix, as `head_layouts` calls "out_in".
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.core.head_layouts import unpacked
from regard.errors import ParameterError

if TYPE_CHECKING:
    from regard.core.multi_head import MultiHead

Array = NDArray[Any]
FROM_TORCH = "MultiHead.from_torch"
TO_TORCH = "MultiHead.to_torch"


def from_torch(module: Any) -> dict[str, Any]:
    """Return the arguments of `MultiHead` for a `torch.nn.MultiheadAttention`."""
    _is_torchs(module)
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


def _is_torchs(module: Any) -> None:
    """Refuse what is no module of torch's, or computes otherwise than that does."""
    torch = sys.modules.get("torch")
    own = None if torch is None else torch.nn.MultiheadAttention
    if own is None or getattr(type(module), "forward", None) is not own.forward:
        inside = next((n for n, m in _children(module) if own and type(m) is own), None)
        fix = f"It has one: pass .{inside}." if inside else ""
        raise ParameterError(
            f"{FROM_TORCH}: module must be a torch.nn.MultiheadAttention. Got "
            f"{type(module).__name__}. {fix or 'For matrices of another module use from_arrays.'}"
        )
    if module.out_proj.weight.is_meta:
        raise ParameterError(
            f"{FROM_TORCH}: the parameters are on device 'meta', where they have no numbers. Load "
            "them first: module.to_empty(device='cpu') and module.load_state_dict(...)."
        )


def _children(module: Any) -> list[tuple[str, Any]]:
    """Return the modules inside a module by name, none where it is no module."""
    if isinstance(module, type) or not hasattr(module, "named_modules"):
        return []
    return [(name, one) for name, one in module.named_modules() if name]


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
