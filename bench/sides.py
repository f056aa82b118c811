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
    kv_heads: int = 0  # 0: as many as there are heads
    window: int = 0  # so many keys up to the query's own; 0: no window
    ragged: bool = False  # the members of the batch have keys of different lengths
    query: Array = field(init=False)
    key: Array = field(init=False)
    value: Array = field(init=False)
    mask: Array = field(init=False, default=None)
    key_lengths: Array = field(init=False, default=None)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(0)
        self.query, self.key, self.value = (
            rng.standard_normal((self.batch, heads, n, self.d)).astype(self.dtype)
            for heads, n in ((self.heads, self.n_q), *2 * ((self.groups, self.n_k),))
        )
        if self.ragged:
            self.key_lengths = self.n_k - np.arange(self.batch) * self.n_k // (2 * self.batch)
        if self.masked:
            self.mask = rng.random((self.n_q, self.n_k)) < 0.5

    def __str__(self) -> str:
        sizes = f"{self.batch},{self.heads},{self.n_q},{self.n_k},{self.d}"
        kinds = {"causal": self.is_causal, "mask": self.masked, "weights": self.weights}
        kinds |= {f"{self.groups} kv": self.kv_heads, f"window {self.window}": self.window}
        kinds |= {"ragged": self.ragged}
        words = [word for word, there in kinds.items() if there]
        return " ".join([sizes, *(["float64"] if self.dtype == "float64" else []), *words])

    @property
    def flops(self) -> float:
        """Multiplications and additions of the two products."""
        pairs = self.heads * self.n_q * self.n_k * self.batch * (0.5 if self.is_causal else 1)
        if self.window:
            pairs = self.batch * self.heads * self.n_q * min(self.window, self.n_k)
        if self.ragged:
            pairs = self.heads * self.n_q * int(self.key_lengths.sum())
        return 4.0 * pairs * self.d

    def exact(self) -> Array:
        """Return the first head in float64, by plain NumPy."""
        first = [x[:1, :1].astype(np.float64) for x in (self.query, self.key, self.value)]
        allowed = self.allowed()
        return formula(*first, allowed[:1] if allowed is not None and self.ragged else allowed)[0]

    def allowed(self) -> Array:
        """Return which pairs count, as a table, or None for all."""
        if self.ragged:
            return (np.arange(self.n_k) < self.key_lengths[:, None])[:, None, None, :]
        if self.window:
            back = np.arange(self.n_q)[:, None] - np.arange(self.n_k)
            return (back >= 0) & (back < self.window)
        return np.tri(self.n_q, self.n_k, dtype=bool) if self.is_causal else self.mask

    @property
    def groups(self) -> int:
        """The number of key heads."""
        return self.kv_heads or self.heads

    def rules(self) -> dict[str, Any]:
        """Return the rules as arguments of `regard.attention`."""
        window = (self.window - 1, 0) if self.window else None
        return {
            "is_causal": self.is_causal, "window": window, "key_lengths": self.key_lengths
        }  # fmt: skip


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
    rules = case.rules()
    return lambda: first(function(*arrays, **rules))


def by_numpy(case: Case) -> Run | None:
    if case.batch * case.heads * case.n_q * case.n_k > 2**28:
        return None  # its tables would not fit
    allowed, each = case.allowed(), case.heads // case.groups
    arrays = (case.query, np.repeat(case.key, each, 1), np.repeat(case.value, each, 1))
    return lambda: formula(*arrays, allowed)[0]


def by_torch(case: Case) -> Run:
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    torch.set_num_threads(threads.available())
    query, key, value = (torch.from_numpy(x) for x in (case.query, case.key, case.value))
    table = case.mask if case.is_causal else case.allowed()
    mask = None if table is None else torch.from_numpy(np.ascontiguousarray(table))
    if case.weights:  # which its fused function does not return

        def in_two_products() -> Array:
            weights = torch.softmax(query @ key.mT * case.d**-0.5, dim=-1)
            return (weights @ value).numpy()

        return in_two_products
    return lambda: scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=case.is_causal, enable_gqa=case.kv_heads > 0
    ).numpy()


def by_onnxruntime(case: Case) -> Run | None:
    import onnxruntime
    from onnx import TensorProto, helper

    if case.weights:
        return None
    kind = TensorProto.DOUBLE if case.dtype == "float64" else TensorProto.FLOAT
    feeds = {"query": case.query, "key": case.key, "value": case.value}
    inputs = [helper.make_tensor_value_info(name, kind, [None] * 4) for name in feeds]
    table = case.mask if case.is_causal else case.allowed()
    if table is not None:
        feeds["mask"] = table = np.broadcast_to(
            table, (*table.shape[:-2], case.n_q, case.n_k)
        ).copy()
        inputs.append(helper.make_tensor_value_info("mask", TensorProto.BOOL, [None] * table.ndim))
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


def by_group_query(case: Case) -> Run | None:
    """ONNX Runtime's own operator for grouped-query heads, which is causal and has no mask."""
    import onnxruntime
    from onnx import TensorProto, helper

    if not (case.kv_heads and case.is_causal) or case.n_q != case.n_k or case.dtype != "float32":
        return None
    # Heads lie side by side in rows; the past is empty, and the lengths are those of all keys.
    arrays = (case.query, case.key, case.value)
    rows = [x.swapaxes(1, 2).reshape(case.batch, x.shape[2], -1).copy() for x in arrays]
    feeds: dict[str, Array] = dict(zip(("query", "key", "value"), rows, strict=True))
    past = np.zeros((case.batch, case.groups, 0, case.d), dtype=np.float32)
    feeds |= {"past_key": past, "past_value": past}
    feeds["last"] = np.full(case.batch, case.n_k - 1, dtype=np.int32)
    feeds["total"] = np.array([case.n_k], dtype=np.int32)
    types = [TensorProto.FLOAT] * 5 + [TensorProto.INT32] * 2
    inputs = [
        helper.make_tensor_value_info(name, kind, [None] * x.ndim)
        for (name, x), kind in zip(feeds.items(), types, strict=True)
    ]
    names = ["output", "present_key", "present_value"]
    node = helper.make_node(
        "GroupQueryAttention", list(feeds), names, domain="com.microsoft",
        num_heads=case.heads, kv_num_heads=case.groups,
    )  # fmt: skip
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * (3 + (name != "output")))
        for name in names
    ]
    model = helper.make_model(
        helper.make_graph([node], "attention", inputs, outputs),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)],
        ir_version=10,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads.available()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    shape = (case.batch, case.n_q, case.heads, case.d)
    return lambda: session.run(["output"], feeds)[0].reshape(shape).swapaxes(1, 2)


def by_jax(case: Case) -> Run | None:
    import jax

    if case.weights:
        return None
    jax.config.update("jax_enable_x64", True)
    # JAX puts the length before the heads.
    arrays = [jax.numpy.asarray(x.swapaxes(1, 2)) for x in (case.query, case.key, case.value)]
    table = case.mask if case.is_causal else case.allowed()
    mask = None if table is None else jax.numpy.asarray(table)
    mask = mask[None, None] if mask is not None and mask.ndim == 2 else mask
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
    "its GQA": by_group_query,
    "JAX": by_jax,
    "NumPy": by_numpy,
}
