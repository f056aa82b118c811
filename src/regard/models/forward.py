"""Activations from loaded weights: one layer at a time, so that one layer is in memory.

norms before:  x ← x + heads(norm(x)),  x ← x + mlp(norm(x))      (GPT-2, Llama, T5)
norms after:   x ← norm(x + heads(x)),  x ← norm(x + mlp(x))      (BERT)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.attention import attention
from regard.core.multi_head import MultiHead
from regard.core.positions import sinusoidal
from regard.errors import InvalidModel, ParameterError
from regard.models.model import Model
from regard.models.relative_positions import relative_bias
from regard.shapes import show

__all__ = ["Pass", "activation", "embed", "normed", "passes", "project"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pass:
    """What the heads of one layer compute with.

    Attributes:
        layer: from 0.
        inputs: (n, d_model), what the heads read, after the norm before them.
        query: (n_heads, n, d_k), turned where positions are rotary.
        key: (n_kv_heads, n, d_k), likewise.
        bias: (n_heads, n, n), added to scores where positions are relative; else None.
        scale: what scores are multiplied by.
        output: (n, d_model), what the layer hands on.
    """

    layer: int
    inputs: Array
    query: Array
    key: Array
    bias: Array | None
    scale: float
    output: Array


def passes(model: Model, tokens: Any, layers: int | None = None) -> Iterator[Pass]:
    """Run token ids (n,) through the model and give each layer as it is done."""
    a = model.architecture
    if a.weights_only:
        raise ParameterError(f"inspect: activations need the whole model, and {a.weights_only}.")
    ids = np.asarray(tokens)
    x = embed(model, ids, np.arange(len(ids)))
    bias = relative_bias(model, len(ids))
    for i in range(a.n_layers if layers is None else layers):
        done = _layer(model, i, x, bias)
        yield done
        x = done.output


def embed(model: Model, ids: Array | None, positions: Array) -> Array:
    """Return what the first layer is given, (..., n, d_model).

    Args:
        model: whose embeddings.
        ids: (..., n), or None for the mean of all tokens in every place (nothing, where the model
            has no table of tokens).
        positions: (n,).
    """
    a = model.architecture
    table = model.read("token_embedding")
    if ids is not None and table is None:
        raise ParameterError(f"inspect: {a.family} has no table of tokens, so it takes no ids.")
    x = np.zeros(1, dtype=np.float32)
    width = _embedding_width(model)
    if table is not None:
        _fit(model, "token_embedding", 0, table, (len(table), width))
        x = table.mean(axis=0, dtype=np.float64).astype(table.dtype) if ids is None else table[ids]
    if a.positions == "learned":
        learned = model.read("position_embedding")
        if learned is None:
            raise InvalidModel(f"{model.tensors.source}: has no table of positions.")
        _fit(model, "position_embedding", 0, learned, (len(learned), width))
        x = x + learned[positions + a.first_position]
    elif a.positions == "sinusoidal":
        x = x + sinusoidal(int(positions.max()) + 1, a.d_model)[positions].astype(np.float32)
    types = model.read("type_embedding")
    if types is not None:
        _fit(model, "type_embedding", 0, types, (len(types), width))
        x = x + types[0]
    if "embedding_norm" in a.tensors:
        x = normed(model, "embedding_norm", 0, x)
    return _linear(model, "embedding_projection", 0, x) if width != a.d_model else x


def _embedding_width(model: Model) -> int:
    """Return how wide embeddings are: as layers, or as what the matrix after them reads."""
    name = model.architecture.name("embedding_projection")
    if name is None:
        return model.architecture.d_model
    shape = model.tensors.shape(name)
    return int(shape[0 if model.architecture.transposed else -1])


def _fit(model: Model, part: str, layer: int, found: Array, shape: tuple[int, ...]) -> None:
    """Check the shape of a tensor."""
    if found.shape != shape:
        name = model.architecture.name(part, layer)
        raise InvalidModel(
            f"{model.tensors.source}: {name} must be {show(shape)}. Got {show(found.shape)}."
        )


def _linear(model: Model, part: str, layer: int, x: Array) -> Array:
    """Apply a matrix of the model, and its bias if it has one, to x (..., d)."""
    matrix, shift = model.matrix(part, layer), model.read(f"{part}_bias", layer)
    if matrix is None:
        raise InvalidModel(f"{model.tensors.source}: layer {layer} has no {part}.")
    if len(matrix) != x.shape[-1]:
        raise InvalidModel(
            f"{model.tensors.source}: {model.architecture.name(part, layer)} must take "
            f"{x.shape[-1]} inputs. It takes {len(matrix)}."
        )
    if shift is None:
        return x @ matrix
    _fit(model, f"{part}_bias", layer, shift, matrix.shape[1:])
    return x @ matrix + shift


def project(x: Array, matrices: Array, biases: Array | None) -> Array:
    """Return x (..., n, d_model) through (heads, d_model, d_k): (heads, ..., n, d_k)."""
    heads, d_model, d_k = matrices.shape
    side_by_side = matrices.transpose(1, 0, 2).reshape(d_model, heads * d_k)
    out = (x.reshape(-1, d_model) @ side_by_side).reshape(*x.shape[:-1], heads, d_k)
    out = out if biases is None else out + biases
    return np.moveaxis(out, -2, 0)


def queries_and_keys(model: Model, layer: int, heads: MultiHead, x: Array) -> tuple[Array, Array]:
    """Return queries and keys of x, with the norms that some models put on them, not yet turned."""
    query, key = project(x, heads.W_Q, heads.b_Q), project(x, heads.W_K, heads.b_K)
    found: list[Array] = []
    for part, y in (("query_norm", query), ("key_norm", key)):
        gain = model.read(part, layer)
        if gain is not None:
            _fit(model, part, layer, gain, y.shape[-1:])
            y = _rms(y, model.architecture.norm_eps) * gain
        found.append(y)
    return found[0], found[1]


def normed(model: Model, part: str, layer: int, x: Array) -> Array:
    """Apply one of the model's norms to x (..., d)."""
    a = model.architecture
    gain = model.read(part, layer)
    if a.norm == "none" or gain is None:
        return x
    _fit(model, part, layer, gain, x.shape[-1:])
    if a.norm == "rms":
        return _rms(x, a.norm_eps) * gain
    shift = model.read(f"{part}_bias", layer)
    if shift is not None:
        _fit(model, f"{part}_bias", layer, shift, gain.shape)
    centred = x - x.mean(axis=-1, keepdims=True)
    return _rms(centred, a.norm_eps) * gain + (0 if shift is None else shift)


def activation(kind: str, x: Array) -> Array:
    """Apply the function between the matrices of an MLP."""
    if kind in ("relu", "gated-relu"):
        return np.maximum(x, 0)
    if kind in ("silu", "swish"):
        return x / (1 + np.exp(-np.clip(x, -80, None)))
    if kind in ("gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gated-gelu"):
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return np.asarray(0.5 * x * (1 + np.tanh(inner)))
    if kind == "gelu":
        from scipy.special import erf  # slow to load

        return np.asarray(0.5 * x * (1 + erf(x / math.sqrt(2))), dtype=x.dtype)
    if kind == "quick_gelu":
        return x / (1 + np.exp(-np.clip(1.702 * x, -80, None)))
    raise InvalidModel(f"the activation {kind!r} is not known here.")


def _layer(model: Model, i: int, x: Array, bias: Array | None) -> Pass:
    a = model.architecture
    heads = model.layers[i].multihead()
    inputs = normed(model, "attention_norm", i, x) if a.norm_first else x
    query, key = queries_and_keys(model, i, heads, inputs)
    value = project(inputs, heads.W_V, heads.b_V)
    scale = a.scale if a.scale is not None else a.d_head**-0.5
    if a.rotary is not None:
        positions = np.arange(x.shape[-2])
        query, key = a.rotary.turn(query, positions), a.rotary.turn(key, positions)
    averages = attention(query, key, value, bias, scale=scale, is_causal=a.is_causal)
    side_by_side = np.moveaxis(averages, 0, -2).reshape(len(x), -1)
    written = side_by_side @ heads.W_O.reshape(-1, a.d_model)
    x = x + written + (0 if heads.b_O is None else heads.b_O)
    if a.norm_first:
        output = x + _mlp(model, i, normed(model, "mlp_norm", i, x))
    else:
        x = normed(model, "attention_norm", i, x)
        output = normed(model, "mlp_norm", i, x + _mlp(model, i, x))
    return Pass(i, inputs, query, key, bias, scale, output)


def _mlp(model: Model, i: int, x: Array) -> Array:
    a = model.architecture
    inner = _linear(model, "mlp_up", i, x)
    if "mlp_gate" in a.tensors:
        gate = _linear(model, "mlp_gate", i, x)
        if gate.shape != inner.shape:
            raise InvalidModel(f"{model.tensors.source}: layer {i} has a gate of another width.")
        inner = activation(a.activation, gate) * inner
    else:
        inner = activation(a.activation, inner)
    out = _linear(model, "mlp_down", i, inner)
    if out.shape != x.shape:
        raise InvalidModel(
            f"{model.tensors.source}: {a.name('mlp_down', i)} must give {x.shape[-1]} outputs. "
            f"It gives {out.shape[-1]}."
        )
    return out


def _rms(x: Array, eps: float) -> Array:
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + x.dtype.type(eps))
