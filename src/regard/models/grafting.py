"""`regard.models.graft`: a designed head in the place of one of a model's, in a new file.

Only the numbers of that head are written; every other tensor has the bytes it had, so that the
library that made the file loads the new one like the old.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.heads import Head
from regard.design.positions.result import PositionalDesign
from regard.errors import InvalidModel, ParameterError, ShapeError
from regard.models.exporting.heads import as_multihead
from regard.models.formats.safetensors import SIZES, to_bytes, write_safetensors
from regard.models.model import Model
from regard.shapes import show

__all__ = ["Grafted", "graft"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Grafted:
    """What was written.

    Attributes:
        path: the new file.
        tensors: the names of those that changed.
        heads: (layer, head) of all heads that changed: layers that share tensors, and groups that
            share a key head, change together.
    """

    path: Path
    tensors: tuple[str, ...]
    heads: tuple[tuple[int, int], ...]


def graft(
    model: Model,
    layer: int,
    head: int,
    design: Any,
    path: Any,
    *,
    values: bool = False,
    group: bool = False,
) -> Grafted:
    """Write a copy of a model with a designed head in the place of one of its own.

    Args:
        model: loaded from safetensors (one file or several) or torch.
        layer, head: which head, from 0.
        design: a HeadDesign, a PositionalDesign or a Head, for what this model's heads read: after
            the norm before them, positions of the model's own included. d_k at most the model's.
        path: the new file, .safetensors.
        values: also put in W_V and W_O, which the design must have; otherwise what the head
            copies stays the model's.
        group: with grouped-query heads, put the design into all heads that share its key head,
            which change with it.

    The design's scale goes into W_Q, since the model has its own; biases of the design are put in,
    and those of the model's head become 0 where the design has none.

    Raises:
        ParameterError, ShapeError: the design does not fit the model.
        InvalidModel: the model is of a format that cannot be written.
    """
    a = model.architecture
    model.head(layer, head)
    one = as_multihead("graft", design).heads[0]
    _check(model, design, one, values)
    target = Path(path)
    if target.suffix != ".safetensors":
        raise ParameterError(f"graft: path must end in .safetensors. Got {str(path)!r}.")
    if (
        target.exists()
        and Path(model.tensors.source).exists()
        and target.samefile(model.tensors.source)
    ):
        raise ParameterError(f"graft: {target} is what is read; it is not written over.")
    kv = a.kv_head(head)
    sharing = [h for h in range(a.n_heads) if a.kv_head(h) == kv]
    if len(sharing) > 1 and not group:
        raise ParameterError(
            f"graft: heads {', '.join(map(str, sharing))} of layer {layer} share one key head. "
            f"Say group=True to put the design into all of them."
        )
    changed = _changes(model, layer, sharing, kv, one, values)
    fetch = model.tensors.raw
    if fetch is None:
        raise InvalidModel(
            f"{model.tensors.source}: a new file is written from safetensors or torch, "
            f"not from {model.tensors.format}."
        )
    odd = [name for name, entry in model.tensors.entries.items() if entry.dtype not in SIZES]
    if odd:
        raise InvalidModel(f"{model.tensors.source}: {odd[0]} cannot be copied.")
    said = model.tensors.config.get("safetensors")
    write_safetensors(
        target,
        {
            name: (entry.dtype, entry.shape, _fetcher(name, entry.dtype, changed, fetch))
            for name, entry in model.tensors.entries.items()
        },
        said if isinstance(said, dict) else {"format": "pt"},
    )
    together = [i for i, stored in enumerate(a.stored) if stored == a.stored[layer]]
    return Grafted(target, tuple(sorted(changed)), tuple((i, h) for i in together for h in sharing))


def _fetcher(name: str, dtype: str, changed: dict[str, Array], fetch: Any) -> Any:
    return (lambda: to_bytes(changed[name], dtype)) if name in changed else lambda: fetch(name)


def _check(model: Model, design: Any, one: Head, values: bool) -> None:
    a = model.architecture
    if isinstance(design, PositionalDesign) and a.positions in ("rotary", "relative", "none"):
        raise ParameterError(
            f"graft: a positional design reads positions that are added to tokens, and this model "
            f"has {a.positions} ones."
        )
    width, d_k = one.W_Q.shape
    if width != a.d_model or one.W_K.shape[0] != a.d_model or d_k > a.d_head:
        raise ShapeError(
            f"graft: the model's heads have d_model {a.d_model} and d_k {a.d_head}; a design must "
            f"have the first, and at most the second. Got W_Q {show(one.W_Q.shape)}."
        )
    if not values:
        return
    if one.W_O is None:
        raise ParameterError("graft: values=True needs a design with W_O.")
    if one.W_V.shape[1] > a.d_head or one.W_O.shape[1] != a.d_model:
        raise ShapeError(
            f"graft: W_V must have at most {a.d_head} columns, and W_O {a.d_model}. "
            f"Got {show(one.W_V.shape)} and {show(one.W_O.shape)}."
        )


def _changes(
    model: Model, layer: int, heads: list[int], kv: int, one: Head, values: bool
) -> dict[str, Array]:
    """Return the tensors that change, whole and as they are stored."""
    a = model.architecture
    own = a.scale if a.scale is not None else a.d_head**-0.5
    factor = (one.W_Q.shape[1] ** -0.5 if one.scale is None else one.scale) / own
    edit = _Edit(model, layer)
    for h in heads:
        edit.columns("query", h, one.W_Q * factor, None if one.b_Q is None else one.b_Q * factor)
    edit.columns("key", kv, one.W_K, one.b_K)
    if values:
        edit.columns("value", kv, one.W_V, one.b_V)
        for h in heads:
            rows = np.zeros((a.d_head, a.d_model))
            rows[: len(one.W_O)] = one.W_O
            edit.matrix("output")[h * a.d_head : (h + 1) * a.d_head] = rows
    return edit.stored()


class _Edit:
    """Matrices of a layer as (in, out), changed in place and given back as they are stored."""

    def __init__(self, model: Model, layer: int) -> None:
        self.model, self.layer = model, layer
        self.arrays: dict[str, Array] = {}

    def matrix(self, part: str) -> Array:
        """Return a matrix (in, out), or a bias, to be written to."""
        name = self.model.architecture.name(part, self.layer)
        assert name is not None
        if name not in self.arrays:
            self.arrays[name] = np.array(self.model.tensors.read(name))
        found = self.arrays[name]
        return found if self.model.architecture.transposed or found.ndim == 1 else found.T

    def columns(self, part: str, head: int, matrix: Array, bias: Array | None) -> None:
        """Put a head's matrix (d_model, k) into its columns, zeros after it, and its bias."""
        a = self.model.architecture
        fused = "qkv" in a.tensors
        first = head * a.d_head
        if fused:
            before = {"query": 0, "key": a.n_heads, "value": a.n_heads + a.n_kv_heads}[part]
            first += before * a.d_head
        where = slice(first, first + a.d_head)
        target = self.matrix("qkv" if fused else part)
        target[:, where] = 0
        target[:, first : first + matrix.shape[1]] = matrix
        shift = ("qkv" if fused else part) + "_bias"
        if shift in a.tensors:
            self.matrix(shift)[where] = 0
            if bias is not None:
                self.matrix(shift)[first : first + len(bias)] = bias
        elif bias is not None and np.any(bias):
            raise ShapeError(f"graft: the design has a bias, and the model's {part} has none.")

    def stored(self) -> dict[str, Array]:
        return self.arrays
