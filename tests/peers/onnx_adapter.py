"""ONNX's own Attention cases, told in the words of regard.

Nothing is computed here: arrays are reshaped, transposed, joined and padded, and attributes are
renamed. Every score, mask, weight and output comes from ``regard``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# Importing this one module adds its cases to ONNX's collection. Collecting every operator gives
# the same Attention cases, takes ten times as long and warns on the way.
import onnx.backend.test.case.node.attention  # noqa: F401
from onnx import helper
from onnx.backend.test.case.node import _NodeTestCases
from onnx.backend.test.case.test_case import TestCase

import regard

# Both are positional in ONNX: a node leaves one out by naming it "".
INPUTS = ("Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen")
OUTPUTS = ("Y", "present_key", "present_value", "qk_matmul_output")

# qk_matmul_output_mode, the same in opsets 23, 24 and 25. Mode 3 is the weights.
STAGES = {0: "raw", 1: "softcapped", 2: "masked"}


@dataclass(frozen=True)
class Call:
    """The arguments of ``regard.attention`` that a node stands for."""

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    mask: np.ndarray | None
    options: dict[str, Any]

    @property
    def arrays(self) -> tuple[np.ndarray | None, ...]:
        return self.query, self.key, self.value, self.mask


def base_cases() -> list[TestCase]:
    """The cases that run the operator itself, not its expansion into smaller operators."""
    return [
        case
        for case in _NodeTestCases
        if case.name.startswith("test_attention_") and "_expanded" not in case.name
    ]


def expected_outputs(case: TestCase) -> list[np.ndarray]:
    ((_, outputs),) = case.data_sets
    return list(outputs)


def regard_outputs(case: TestCase) -> list[np.ndarray]:
    """What the case's node returns, in the node's order, when regard computes it."""
    (node,) = case.model.graph.node
    call = case_as_call(case)

    results = {"Y": regard.attention(*call.arrays, **call.options)}
    if _attributes(case).get("q_num_heads"):
        results["Y"] = merge_heads(results["Y"])
    results["present_key"], results["present_value"] = call.key, call.value
    wanted = [name for name, given in zip(OUTPUTS, node.output, strict=False) if given]
    if "qk_matmul_output" in wanted:
        results["qk_matmul_output"] = _qk_matmul_output(case, call)
    return [results[name] for name in wanted]


def case_as_call(case: TestCase) -> Call:
    (node,) = case.model.graph.node
    ((arrays, _),) = case.data_sets
    names = [name for name, given in zip(INPUTS, node.input, strict=False) if given]
    return as_call(**dict(zip(names, arrays, strict=True)), **_attributes(case))


def as_call(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    attn_mask: np.ndarray | None = None,
    past_key: np.ndarray | None = None,
    past_value: np.ndarray | None = None,
    nonpad_kv_seqlen: np.ndarray | None = None,
    *,
    q_num_heads: int | None = None,
    kv_num_heads: int | None = None,
    scale: float | None = None,
    is_causal: int = 0,
    left_window_size: int | None = None,
    right_window_size: int | None = None,
    softcap: float = 0.0,
    # Says which output to return, not how to compute: see _qk_matmul_output.
    qk_matmul_output_mode: int = 0,
    # A lower bound on precision for 16-bit inputs, which regard computes in float32 anyway. The
    # one float32 case that asks for float64 must agree without it.
    softmax_precision: int | None = None,
) -> Call:
    """Translate the inputs and attributes of a node, under ONNX's names.

    An attribute that is not a parameter here is a TypeError, so none is ignored by accident.
    """
    query, key, value = Q, K, V
    if q_num_heads is not None:
        query = split_heads(query, q_num_heads)
        key, value = split_heads(key, kv_num_heads), split_heads(value, kv_num_heads)

    # Causal masks and windows are counted from the number of keys before the first query.
    causal_offset: int | np.ndarray = 0
    if past_key is not None:
        causal_offset = past_key.shape[-2]
        key = np.concatenate([past_key, key], axis=-2)
        value = np.concatenate([past_value, value], axis=-2)
    elif nonpad_kv_seqlen is not None:
        causal_offset = nonpad_kv_seqlen - query.shape[-2]

    window = None
    if left_window_size is not None or right_window_size is not None:
        window = (_bound(left_window_size), _bound(right_window_size))

    return Call(
        query,
        key,
        value,
        None if attn_mask is None else pad_mask(attn_mask, key.shape[-2]),
        {
            "scale": scale,
            "is_causal": bool(is_causal),
            "causal_offset": causal_offset,
            "window": window,
            "key_lengths": nonpad_kv_seqlen,
            "softcap": softcap or None,
        },
    )


def split_heads(x: np.ndarray, n_heads: int) -> np.ndarray:
    """(batch, n, heads * d) -> (batch, heads, n, d)"""
    batch, n, _ = x.shape
    return x.reshape(batch, n, n_heads, -1).swapaxes(1, 2)


def merge_heads(x: np.ndarray) -> np.ndarray:
    """(batch, heads, n, d) -> (batch, n, heads * d)"""
    batch, _, n, _ = x.shape
    return x.swapaxes(1, 2).reshape(batch, n, -1)


def pad_mask(mask: np.ndarray, n_k: int) -> np.ndarray:
    """Fill up a mask that says nothing about the last keys.

    ONNX lets a mask end early and means "not these keys"; regard wants the whole axis, so the
    missing entries are written out. The given ones are not touched.
    """
    missing = [(0, 0)] * (mask.ndim - 1) + [(0, n_k - mask.shape[-1])]
    nothing = False if mask.dtype == bool else -np.inf
    return np.pad(mask, missing, constant_values=nothing)


def _bound(window_size: int | None) -> int | None:
    return None if window_size == -1 else window_size


def _attributes(case: TestCase) -> dict[str, Any]:
    (node,) = case.model.graph.node
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def _qk_matmul_output(case: TestCase, call: Call) -> np.ndarray:
    mode = _attributes(case).get("qk_matmul_output_mode", 0)
    if mode == 3:
        _, weights = regard.attention_with_weights(*call.arrays, **call.options)
        return weights
    return regard.attention_scores(
        call.query, call.key, call.mask, stage=STAGES[mode], **call.options
    )
