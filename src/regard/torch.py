"""A drop-in for torch's own attention, computed by regard.

    from regard.torch import scaled_dot_product_attention

has torch's signature and torch's meaning, where no gradient is needed. `torch.compile` goes
around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regard.core.call import Call, Rules
from regard.core.eager import eager
from regard.errors import ParameterError, ShapeError

if TYPE_CHECKING:
    import torch

__all__ = ["scaled_dot_product_attention"]

_NAME = "scaled_dot_product_attention"


@eager
def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """Compute `torch.nn.functional.scaled_dot_product_attention` on the CPU, without a gradient.

    Args:
        query: (..., heads, n_q, d_k), or without the axis of heads; a tensor.
        key: (..., heads, n_k, d_k), of the same dtype.
        value: (..., heads, n_k, d_v), of the same dtype.
        attn_mask: broadcasts to (..., n_q, n_k). Boolean: True = takes part. Float: added to the
            scores.
        dropout_p: must be 0: what is dropped would be drawn otherwise than torch draws it.
        is_causal: query i attends to keys j ≤ i; not together with attn_mask, as in torch.
        scale: multiplies the scores. None is 1/sqrt(d_k).
        enable_gqa: whether keys and values may have fewer heads, a divisor of those of the query.

    Returns:
        (..., heads, n_q, d_v), in the dtype that came in. A query that may attend to nothing
        gets 0, as in torch from 2.5 on.

    Raises:
        ParameterError: an argument that torch would refuse, a tensor that asks for a gradient
            while gradients are recorded (wrap the call in `torch.no_grad()`), or dropout.
        ShapeError: the shapes do not fit.

    Example:
        >>> torch = __import__("pytest").importorskip("torch")
        >>> from regard.torch import scaled_dot_product_attention
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> scaled_dot_product_attention(x, x, x, is_causal=True)[0]
        tensor([1., 0.])
    """
    torch = _torch()
    tensors = {"query": query, "key": key, "value": value}
    for name, one in tensors.items():
        if not isinstance(one, torch.Tensor):
            raise ParameterError(f"{_NAME}: {name} must be a tensor. Got {type(one).__name__}.")
    if attn_mask is not None:
        _check_mask(attn_mask, torch)
    if dropout_p != 0:
        raise ParameterError(
            f"{_NAME}: dropout_p must be 0. Got {dropout_p}. "
            "regard computes what a model does when it is not trained."
        )
    if is_causal and attn_mask is not None:
        raise ParameterError(f"{_NAME}: give attn_mask or is_causal, not both, as in torch.")
    if len({one.dtype for one in tensors.values()}) > 1:
        kinds = ", ".join(f"{name} {one.dtype}" for name, one in tensors.items())
        raise ParameterError(f"{_NAME}: query, key and value must have one dtype. Got {kinds}.")
    if not enable_gqa:
        _same_heads(tensors)
    given = tensors if attn_mask is None else tensors | {"attn_mask": attn_mask}
    for name, one in given.items():
        if torch.is_grad_enabled() and getattr(one, "requires_grad", False):
            raise ParameterError(
                f"{_NAME}: {name} asks for a gradient, and none flows through regard. Wrap the "
                "call in torch.no_grad(), or use torch.nn.functional.scaled_dot_product_attention."
            )
    plain: dict[str, object] = {name: one.detach() for name, one in tensors.items()}
    mask = None if attn_mask is None else attn_mask.detach()
    call = Call(_NAME, plain, mask, Rules(scale=scale, is_causal=is_causal))
    return call.give(call.attend())


def _check_mask(mask: Any, torch: Any) -> None:
    """Refuse a mask that torch would refuse, in the words of torch's argument."""
    if not isinstance(mask, torch.Tensor):
        raise ParameterError(f"{_NAME}: attn_mask must be a tensor. Got {type(mask).__name__}.")
    if mask.dtype != torch.bool and not mask.dtype.is_floating_point:
        raise ParameterError(
            f"{_NAME}: attn_mask has dtype {mask.dtype}. Need torch.bool (True = takes part) or "
            "floats that are added to the scores. For a mask of 0 and 1 pass attn_mask.bool()."
        )


def _same_heads(tensors: dict[str, Any]) -> None:
    """Refuse what torch refuses without enable_gqa: heads that differ and are not 1."""
    heads = {name: one.shape[-3] for name, one in tensors.items() if one.ndim > 2}
    if len({count for count in heads.values() if count != 1}) > 1:
        counts = ", ".join(f"{name} {count}" for name, count in heads.items())
        raise ShapeError(
            f"{_NAME}: heads do not match (axis -3): {counts}. "
            "For grouped-query heads pass enable_gqa=True."
        )


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ParameterError(f"{_NAME}: torch is not installed: pip install torch.") from None
    except OSError as error:  # a library that torch itself is made of
        raise ParameterError(
            f"{_NAME}: torch is installed and cannot be loaded: {error}. Install it again."
        ) from None
    return torch
