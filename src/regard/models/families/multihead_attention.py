"""What `export` writes: one torch `nn.MultiheadAttention`, read with sinusoidal positions."""

from __future__ import annotations

from regard.errors import InvalidModel
from regard.models.architecture import Architecture
from regard.models.families.given import head_width, matrix_shape, whole_number
from regard.models.tensors import Tensors


def recognise(tensors: Tensors) -> Architecture | None:
    """Return the architecture if the file is one module's state dict."""
    if "in_proj_weight" not in tensors or "out_proj.weight" not in tensors:
        return None
    three, d_model = matrix_shape(tensors, "in_proj_weight")
    if three != 3 * d_model:
        raise InvalidModel(
            f"{tensors.source}: in_proj_weight must be (3 d, d). Got ({three}, {d_model})."
        )
    n_heads = whole_number(tensors, ("num_attention_heads", "regard.heads"), "the number of heads")
    parts = {"qkv": "in_proj_weight", "qkv_bias": "in_proj_bias",
             "output": "out_proj.weight", "output_bias": "out_proj.bias"}  # fmt: skip
    return Architecture(
        family="multihead attention",
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=d_model,
        d_head=head_width(tensors, d_model, n_heads, "in_proj_weight"),
        tensors={part: name for part, name in parts.items() if name in tensors},
        stored=(0,),
        norm="none",
        positions="sinusoidal",
        weights_only="it is one module, without tokens and MLP",
        notes=("a module by itself: positions are taken to be sinusoidal, without content",),
    )
