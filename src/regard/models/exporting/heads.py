"""Anything with the matrices of heads as a `MultiHead`, with its scale said and its sum plain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from regard.core.heads import Head
from regard.core.multi_head import MultiHead
from regard.errors import ParameterError, ShapeError
from regard.shapes import show

__all__ = ["as_multihead"]


def as_multihead(function: str, heads: Any) -> MultiHead:
    """Return heads as a `MultiHead` with combine="concat", a scale and one W_K, W_V per head.

    Args:
        function: the caller, for messages.
        heads: a design with `.head()`, a Head, a MultiHead, or several of the first two.
    """
    if isinstance(heads, MultiHead):
        return _plain(heads)
    several = list(heads) if isinstance(heads, Sequence) else [heads]
    singles = [_single(function, one) for one in several]
    if not singles:
        raise ParameterError(f"{function}: heads must be one head or more. Got none.")
    first = singles[0]
    for one in singles[1:]:
        for name in ("W_Q", "W_K", "W_V"):
            mine, its = getattr(first, name).shape, getattr(one, name).shape
            if mine != its:
                raise ShapeError(
                    f"{function}: heads side by side need matrices of one shape. "
                    f"Got {name} {show(mine)} and {show(its)}."
                )
        if (one.W_O is None) != (first.W_O is None) or one.b_O is not None:
            raise ShapeError(
                f"{function}: heads side by side need a W_O each, or none, and no b_O."
            )
    scales = [_scale(one) for one in singles]  # W_Q takes up what differs
    stacks: dict[str, Any] = {
        "W_Q": np.stack([one.W_Q * (s / scales[0]) for one, s in zip(singles, scales, strict=True)])
    }
    for name in ("W_K", "W_V"):
        stacks[name] = np.stack([getattr(one, name) for one in singles])
    if first.W_O is not None:
        stacks["W_O"] = np.stack([one.W_O for one in singles])
    for name, wide in (("b_Q", "W_Q"), ("b_K", "W_K"), ("b_V", "W_V")):
        own = [getattr(one, name) for one in singles]
        if any(bias is not None for bias in own):
            width = getattr(first, wide).shape[-1]
            full = [np.zeros(width) if bias is None else bias for bias in own]
            factors = [s / scales[0] if name == "b_Q" else 1.0 for s in scales]
            stacks[name] = np.stack([b * f for b, f in zip(full, factors, strict=True)])
    bias = first.b_O if len(singles) == 1 else None
    return MultiHead(**stacks, b_O=bias, scale=scales[0])


def _single(function: str, design: Any) -> Head:
    if isinstance(design, Head):
        return design
    head = getattr(design, "head", None)
    made = head() if callable(head) else None
    if not isinstance(made, Head):
        raise ParameterError(
            f"{function}: heads must be a design with .head(), a Head or a MultiHead. "
            f"Got {type(design).__name__}."
        )
    return made


def _scale(head: Head | MultiHead) -> float:
    return float(head.W_Q.shape[-1] ** -0.5) if head.scale is None else float(head.scale)


def _plain(heads: MultiHead) -> MultiHead:
    """Return the same heads without groups and with the division of a mean in W_O."""
    count = len(heads.W_Q)

    def own(stack: Any) -> Any:
        return None if stack is None else np.repeat(stack, count // len(stack), axis=0)

    W_O = heads.W_O
    if heads.combine == "mean":
        d_v = heads.W_V.shape[-1]
        W_O = np.broadcast_to(np.eye(d_v), (count, d_v, d_v)) if W_O is None else W_O
        W_O = W_O / count
    return MultiHead(
        heads.W_Q,
        own(heads.W_K),
        own(heads.W_V),
        W_O,
        b_Q=heads.b_Q,
        b_K=own(heads.b_K),
        b_V=own(heads.b_V),
        b_O=heads.b_O,
        scale=_scale(heads),
    )
