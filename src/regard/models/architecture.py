"""What a model is made of: which tensor plays which part, and what happens between them.

A family (`regard.models.families`) fills this in from names and shapes; a person can, in a mapping
file. Everything after it reads this and no family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LAYER_PARTS", "MODEL_PARTS", "Architecture", "Rotary"]

Array = NDArray[Any]

MODEL_PARTS = (
    "token_embedding", "position_embedding", "type_embedding", "embedding_norm",
    "embedding_norm_bias", "embedding_projection", "embedding_projection_bias", "relative_bias",
)  # fmt: skip
LAYER_PARTS = (
    "query", "query_bias", "key", "key_bias", "value", "value_bias", "qkv", "qkv_bias",
    "output", "output_bias", "query_norm", "key_norm",
    "attention_norm", "attention_norm_bias", "mlp_norm", "mlp_norm_bias",
    "mlp_up", "mlp_up_bias", "mlp_gate", "mlp_gate_bias", "mlp_down", "mlp_down_bias",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Rotary:
    """Queries and keys turned by their positions.

    Attributes:
        frequencies: (r/2,), radians per position of each pair; r ≤ d_k entries are turned.
        layout: "interleaved" pairs (2c, 2c + 1), "halves" pairs (c, c + r/2).
        factor: multiplies queries and keys after they are turned (1 but for some long contexts).
    """

    frequencies: Array
    layout: str
    factor: float = 1.0

    def turn(self, x: Array, positions: Array) -> Array:
        """Turn x (..., n, d_k) by positions (n,)."""
        r = 2 * len(self.frequencies)
        angles = positions[:, None] * self.frequencies
        cos, sin = (f(angles).astype(x.dtype) for f in (np.cos, np.sin))
        halves = self.layout == "halves"
        first = slice(0, r // 2) if halves else slice(0, r, 2)
        second = slice(r // 2, r) if halves else slice(1, r, 2)
        a, b = x[..., first], x[..., second]
        turned = x.copy()
        turned[..., first], turned[..., second] = a * cos - b * sin, b * cos + a * sin
        turned[..., :r] *= x.dtype.type(self.factor)
        return turned


@dataclass(frozen=True, eq=False)
class Architecture:
    """A model's parts and their order.

    Attributes:
        family: "bert", "gpt2" and so on.
        n_heads, n_kv_heads, d_model, d_head: its sizes.
        tensors: part → name of its tensor; those of layers have {layer} in them, or are a tuple of
            names, one for each layer.
        stored: for each layer the number that its tensors have in the file; layers that share
            tensors have the same.
        transposed: matrices are stored (in, out), as in GPT-2, and not (out, in) as in torch.
        is_causal: a token attends to those up to itself.
        scale: what scores are multiplied by; None is 1/sqrt(d_head).
        norm: "layer", "rms" or "none"; norm_eps: added to the variance.
        norm_first: norms stand before attention and MLP, and not after the sums.
        activation: of the MLP.
        positions: "learned", "sinusoidal" (computed), "rotary", "relative" or "none".
        first_position: the row of the first position in a table of learned ones.
        rotary: how queries and keys are turned, or None.
        reach: how many keys a query sees at most, where a window slides along with it; None where
            nothing but its place limits it. Heads are read on no more positions than that.
        buckets: of relative positions, (how many, the distance of the last).
        weights_only: why activations cannot be computed; "" if they can.
    """

    family: str
    n_heads: int
    n_kv_heads: int
    d_model: int
    d_head: int
    tensors: Mapping[str, str | tuple[str, ...]]
    stored: tuple[int, ...]
    transposed: bool = False
    is_causal: bool = False
    scale: float | None = None
    norm: str = "layer"
    norm_eps: float = 1e-5
    norm_first: bool = True
    activation: str = "gelu"
    positions: str = "learned"
    first_position: int = 0
    rotary: Rotary | None = None
    buckets: tuple[int, int] = (32, 128)
    reach: int | None = None
    weights_only: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def n_layers(self) -> int:
        """How many layers there are."""
        return len(self.stored)

    def name(self, part: str, layer: int = 0) -> str | None:
        """Return the name of a part's tensor, or None if the model has no such part."""
        template = self.tensors.get(part)
        if isinstance(template, tuple):
            return template[layer]
        return None if template is None else template.replace("{layer}", str(self.stored[layer]))

    @property
    def shares_layers(self) -> bool:
        """Whether some layers have the tensors of others."""
        return len(set(self.stored)) < len(self.stored)

    def kv_head(self, head: int) -> int:
        """Return which key and value head a query head reads: neighbours share one."""
        return head * self.n_kv_heads // self.n_heads
