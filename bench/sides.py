"""The implementations that are compared: each takes a case and returns a function to be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import regard
from regard.core.kernels import threads

Array = Any
Run = Callable[[], Array]


@dataclass
class Case:
    """One row of the table: sizes, dtype, rules, and the arrays that go with them."""

    batch: int
    heads: int
    n_q: int
    n_k: int
    d: int
    dtype: str = "float32"
    is_causal: bool = False
    masked: bool = False
    weights: bool = False
    query: Array = field(init=False)
    key: Array = field(init=False)
    value: Array = field(init=False)
    mask: Array = field(init=False, default=None)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(0)
        self.query, self.key, self.value = (
            rng.standard_normal((self.batch, self.heads, n, self.d)).astype(self.dtype)
            for n in (self.n_q, self.n_k, self.n_k)
        )
        if self.masked:
            self.mask = rng.random((self.n_q, self.n_k)) < 0.5

    def __str__(self) -> str:
        sizes = f"{self.batch},{self.heads},{self.n_q},{self.n_k},{self.d}"
        kinds = {"causal": self.is_causal, "mask": self.masked, "weights": self.weights}
        words = [word for word, there in kinds.items() if there]
        return " ".join([sizes, *(["float64"] if self.dtype == "float64" else []), *words])

    @property
    def flops(self) -> float:
        """Multiplications and additions of the two products."""
        pairs = self.batch * self.heads * self.n_q * self.n_k
        return 4.0 * pairs * self.d * (0.5 if self.is_causal else 1)

    def exact(self) -> Array:
        """Return the first head in float64, by plain NumPy."""
        first = [x[:1, :1].astype(np.float64) for x in (self.query, self.key, self.value)]
        return formula(*first, self.allowed())[0]

    def allowed(self) -> Array:
        """Return which pairs count, as a table, or None for all."""
        return np.tri(self.n_q, self.n_k, dtype=bool) if self.is_causal else self.mask


def formula(query: Array, key: Array, value: Array, allowed: Array) -> tuple[Array, Array]:
    """Compute output and weights as one writes it down in NumPy."""
    scores = query @ key.swapaxes(-1, -2) * query.dtype.type(query.shape[-1] ** -0.5)
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ value, weights


def by_regard(case: Case) -> Run:
    function = regard.attention_with_weights if case.weights else regard.attention
    arrays = (case.query, case.key, case.value, case.mask)
    return lambda: first(function(*arrays, is_causal=case.is_causal))


def by_numpy(case: Case) -> Run | None:
    if case.batch * case.heads * case.n_q * case.n_k > 2**28:
        return None  # its tables would not fit
    arrays, allowed = (case.query, case.key, case.value), case.allowed()
    return lambda: formula(*arrays, allowed)[0]


def by_torch(case: Case) -> Run:
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    torch.set_num_threads(threads.available())
    query, key, value = (torch.from_numpy(x) for x in (case.query, case.key, case.value))
    mask = None if case.mask is None else torch.from_numpy(case.mask)
    if case.weights:  # which its fused function does not return

        def in_two_products() -> Array:
            weights = torch.softmax(query @ key.mT * case.d**-0.5, dim=-1)
            return (weights @ value).numpy()

        return in_two_products
    return lambda: scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=case.is_causal
    ).numpy()


def by_onnxruntime(case: Case) -> Run | None:
    import onnxruntime
    from onnx import TensorProto, helper

    if case.weights:
        return None
    kind = TensorProto.DOUBLE if case.dtype == "float64" else TensorProto.FLOAT
    feeds = {"query": case.query, "key": case.key, "value": case.value}
    inputs = [helper.make_tensor_value_info(name, kind, [None] * 4) for name in feeds]
    if case.mask is not None:
        feeds["mask"] = case.mask
        inputs.append(helper.make_tensor_value_info("mask", TensorProto.BOOL, [None] * 2))
    node = helper.make_node("Attention", list(feeds), ["output"], is_causal=int(case.is_causal))
    output = helper.make_tensor_value_info("output", kind, [None] * 4)
    model = helper.make_model(
        helper.make_graph([node], "attention", inputs, [output]),
        opset_imports=[helper.make_opsetid("", 23)],
        ir_version=10,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads.available()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return lambda: session.run(None, feeds)[0]


def by_jax(case: Case) -> Run | None:
    import jax

    if case.weights:
        return None
    jax.config.update("jax_enable_x64", True)
    # JAX puts the length before the heads.
    arrays = [jax.numpy.asarray(x.swapaxes(1, 2)) for x in (case.query, case.key, case.value)]
    mask = None if case.mask is None else jax.numpy.asarray(case.mask)[None, None]
    function = jax.jit(
        lambda q, k, v: jax.nn.dot_product_attention(q, k, v, mask=mask, is_causal=case.is_causal)
    )
    if by_numpy(case) is None:
        return None  # it too builds the tables
    return lambda: np.asarray(function(*arrays).block_until_ready()).swapaxes(1, 2)


def first(result: Any) -> Array:
    """Return the output of a function that may return more."""
    return result[0] if isinstance(result, tuple) else result


SIDES: dict[str, Callable[[Case], Run | None]] = {
    "regard": by_regard,
    "torch": by_torch,
    "ONNX Runtime": by_onnxruntime,
    "JAX": by_jax,
    "NumPy": by_numpy,
}
