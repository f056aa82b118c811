"""A model that was loaded: its layers and heads, read when they are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.heads import Head
from regard.core.multi_head import MultiHead
from regard.errors import InvalidModel, ParameterError
from regard.models.architecture import Architecture
from regard.models.tensors import Tensors
from regard.shapes import integer, show

__all__ = ["Layer", "Model", "ModelHead"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """Heads out of a file; see `regard.models.load`.

    Attributes:
        tensors: the file.
        architecture: which tensor plays which part.
    """

    tensors: Tensors
    architecture: Architecture

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers; nothing is read yet."""
        return tuple(Layer(self, i) for i in range(self.architecture.n_layers))

    @property
    def heads(self) -> tuple[ModelHead, ...]:
        """All heads, layer by layer; nothing is read yet."""
        return tuple(
            ModelHead(self, i, h)
            for i in range(self.architecture.n_layers)
            for h in range(self.architecture.n_heads)
        )

    def head(self, layer: int, head: int) -> ModelHead:
        """Return one head, both numbers from 0."""
        for name, value, count in (
            ("layer", layer, self.architecture.n_layers),
            ("head", head, self.architecture.n_heads),
        ):
            if integer("Model.head", name, value, minimum=0) >= count:
                raise ParameterError(
                    f"Model.head: {name} must be below {count}, which is how many there are. "
                    f"Got {value}."
                )
        return ModelHead(self, layer, head)

    @property
    def longest(self) -> int | None:
        """On how many positions it can be read; None where there is no limit."""
        name = self.architecture.name("position_embedding")
        if name is None or self.architecture.positions != "learned":
            return self.architecture.reach
        return self.tensors.shape(name)[0] - self.architecture.first_position

    @property
    def vocabulary(self) -> int | None:
        """How many tokens it knows; None where it has no table of them."""
        name = self.architecture.name("token_embedding")
        return None if name is None else self.tensors.shape(name)[0]

    def read(self, part: str, layer: int = 0) -> Array | None:
        """Read the tensor that plays a part, or None if the model has no such part."""
        name = self.architecture.name(part, layer)
        return None if name is None else self.tensors.read(name)

    def matrix(self, part: str, layer: int = 0) -> Array | None:
        """Read a matrix as (in, out), which multiplies rows from the right."""
        found = self.read(part, layer)
        if found is None:
            return None
        if found.ndim != 2:
            name = self.architecture.name(part, layer)
            raise InvalidModel(
                f"{self.tensors.source}: {name} must be a matrix. Got {show(found.shape)}."
            )
        return found if self.architecture.transposed else found.T

    def __repr__(self) -> str:
        a = self.architecture
        shared = f" ({len(set(a.stored))} stored)" if a.shares_layers else ""
        groups = f", {a.n_kv_heads} for keys and values" if a.n_kv_heads != a.n_heads else ""
        return (
            f"Model({a.family} from {self.tensors.format}: {a.n_layers} layers{shared} of "
            f"{a.n_heads} heads{groups}, d_model {a.d_model}, d_k {a.d_head}, "
            f"{a.positions} positions{', causal' if a.is_causal else ''})"
        )


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a model."""

    model: Model
    index: int

    def multihead(self) -> MultiHead:
        """Read the heads: W_Q (n_heads, d_model, d_k), W_K (n_kv_heads, d_model, d_k) and so on."""
        model, a = self.model, self.model.architecture
        wide = {"query": a.n_heads, "key": a.n_kv_heads, "value": a.n_kv_heads}
        matrices = {part: model.matrix(part, self.index) for part in wide}
        biases = {part: model.read(f"{part}_bias", self.index) for part in wide}
        fused, fused_bias = model.matrix("qkv", self.index), model.read("qkv_bias", self.index)
        at = 0
        for part, count in wide.items():
            end = at + count * a.d_head
            if fused is not None:
                matrices[part] = fused[:, at:end]
            if fused_bias is not None:
                biases[part] = fused_bias[at:end]
            at = end
        split = {part: self._split(part, matrices[part], count) for part, count in wide.items()}
        joined = model.matrix("output", self.index)
        if joined is None or joined.shape != (a.n_heads * a.d_head, a.d_model):
            raise self._refusal("output", joined, (a.n_heads * a.d_head, a.d_model))
        return MultiHead(
            split["query"],
            split["key"],
            split["value"],
            joined.reshape(a.n_heads, a.d_head, a.d_model),
            b_Q=self._bias("query", biases["query"], a.n_heads),
            b_K=self._bias("key", biases["key"], a.n_kv_heads),
            b_V=self._bias("value", biases["value"], a.n_kv_heads),
            b_O=model.read("output_bias", self.index),
            scale=a.scale,
        )

    def _split(self, part: str, matrix: Array | None, count: int) -> Array:
        """Cut (d_model, heads · d_k) into (heads, d_model, d_k)."""
        a = self.model.architecture
        if matrix is None or matrix.shape != (a.d_model, count * a.d_head):
            raise self._refusal(part, matrix, (a.d_model, count * a.d_head))
        return np.ascontiguousarray(matrix.reshape(a.d_model, count, a.d_head).transpose(1, 0, 2))

    def _bias(self, part: str, bias: Array | None, count: int) -> Array | None:
        width = count * self.model.architecture.d_head
        if bias is None:
            return None
        if bias.shape != (width,):
            raise self._refusal(f"{part}_bias", bias, (width,))
        return bias.reshape(count, -1)

    def _refusal(self, part: str, found: Array | None, shape: tuple[int, ...]) -> InvalidModel:
        name = self.model.architecture.name(part, self.index) or part
        got = "none" if found is None else show(found.shape)
        return InvalidModel(
            f"{self.model.tensors.source}: {name} must be {show(shape)} (inputs first). Got {got}."
        )


@dataclass(frozen=True, eq=False)
class ModelHead:
    """One head of a model, both numbers from 0."""

    model: Model
    layer: int
    head: int

    def matrices(self) -> Head:
        """Read W_Q, W_K, W_V, W_O with biases; keys and values are those of its group."""
        return self.model.layers[self.layer].multihead().heads[self.head]
