"""Matrices as other libraries lay them out, cut by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard

RNG = np.random.default_rng(32)
# 6 query heads and 2 key heads of width 3, d_model 5, d_out 7.
W_Q, W_K, W_V = RNG.standard_normal((18, 5)), *RNG.standard_normal((2, 6, 5))
W_O = RNG.standard_normal((7, 18))
B_Q, B_K, B_V, B_O = (RNG.standard_normal(n) for n in (18, 6, 6, 7))
X = RNG.standard_normal((11, 5))


def by_hand() -> Any:
    """The output, head by head, as a model with matrices on the left of columns computes it."""
    output = np.zeros((11, 7)) + B_O
    for h in range(6):
        g = h // 3
        query = X @ W_Q[3 * h : 3 * h + 3].T + B_Q[3 * h : 3 * h + 3]
        key = X @ W_K[3 * g : 3 * g + 3].T + B_K[3 * g : 3 * g + 3]
        value = X @ W_V[3 * g : 3 * g + 3].T + B_V[3 * g : 3 * g + 3]
        scores = np.exp(query @ key.T / np.sqrt(3))
        output += scores / scores.sum(-1, keepdims=True) @ value @ W_O[:, 3 * h : 3 * h + 3].T
    return output


W_6, W_4, W_O_4 = np.eye(6), np.ones((4, 6)), np.ones((5, 4))  # d_model 6, d_v 2, d_out 5
BIASES = {"b_Q": B_Q, "b_K": B_K, "b_V": B_V, "b_O": B_O}
COUNTS = {"n_heads": 6, "n_kv_heads": 2}


def test_matrices_of_torch_have_a_head_in_each_run_of_rows() -> None:
    heads = regard.MultiHead.from_arrays(W_Q, W_K, W_V, W_O, **COUNTS, **BIASES)
    np.testing.assert_allclose(heads(X), by_hand(), atol=1e-12)


def test_matrices_on_the_right_have_a_head_in_each_run_of_columns() -> None:
    heads = regard.MultiHead.from_arrays(
        W_Q.T, W_K.T, W_V.T, W_O.T, **COUNTS, **BIASES, layout="in_out"
    )
    np.testing.assert_allclose(heads(X), by_hand(), atol=1e-12)


@pytest.mark.parametrize("layout", ["out_in", "in_out"])
def test_queries_keys_and_values_may_be_packed_in_one(layout: str) -> None:
    packed, written = np.concatenate([W_Q, W_K, W_V]), W_O
    if layout == "in_out":
        packed, written = packed.T, written.T
    heads = regard.MultiHead.from_arrays(
        W_O=written,
        W_QKV=packed,
        b_QKV=np.concatenate([B_Q, B_K, B_V]),
        b_O=B_O,
        layout=layout,
        **COUNTS,
    )
    np.testing.assert_allclose(heads(X), by_hand(), atol=1e-12)


@pytest.mark.parametrize(
    ("layout", "axes", "written"),
    [
        ("in_head_out", (2, 0, 1), (1, 2, 0)),
        ("head_in_out", (0, 2, 1), (1, 2, 0)),
        ("head_out_in", (0, 1, 2), (1, 0, 2)),
    ],
)
def test_heads_may_have_an_axis_of_their_own(
    layout: str, axes: tuple[int, ...], written: tuple[int, ...]
) -> None:
    apart = [one.reshape(-1, 3, 5).transpose(axes) for one in (W_Q, W_K, W_V)]  # (head, out, in)
    biases = BIASES | {name: BIASES[name].reshape(-1, 3) for name in ("b_Q", "b_K", "b_V")}
    W_O_apart = W_O.reshape(7, 6, 3).transpose(written)
    heads = regard.MultiHead.from_arrays(*apart, W_O_apart, **COUNTS, **biases, layout=layout)
    np.testing.assert_allclose(heads(X), by_hand(), atol=1e-12)


def test_matrices_that_heads_are_not_made_of_are_told_what_takes_them() -> None:
    with pytest.raises(regard.ShapeError) as caught:
        regard.MultiHead(W_Q.T, W_K.T, W_V.T)
    assert str(caught.value) == (
        "MultiHead: W_Q needs 3 axes (n_heads, d_model, d_k). Got W_Q (5, 18). "
        "For heads side by side in one matrix: MultiHead.from_arrays(..., n_heads=...)."
    )
    with pytest.raises(regard.ShapeError) as caught:
        regard.MultiHead(*np.ones((3, 5, 3, 2)), np.ones((3, 2, 7)))
    assert str(caught.value).endswith(
        "Got W_Q (5, 3, 2), W_O (3, 2, 7). "
        "The matrices fit MultiHead.from_arrays with layout='in_head_out'."
    )
    for wrong in ((), (2,), (2, 3, 4, 5)):
        with pytest.raises(regard.ShapeError) as caught:
            regard.MultiHead(*np.ones((3, 2, 5, 3)), np.ones(wrong))
        assert str(caught.value) == (
            f"MultiHead: W_O needs 3 axes (n_heads, d_v, d_out). Got W_O {wrong}."
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"W_Q": W_Q, "W_K": W_K, "n_heads": 6},
            "MultiHead.from_arrays: W_V is missing. Give W_Q, W_K and W_V, or W_QKV.",
        ),
        (
            {"W_QKV": W_Q, "W_K": W_K, "n_heads": 6},
            "MultiHead.from_arrays: W_QKV holds W_K already. Give one of them.",
        ),
        (
            {"W_QKV": W_Q, "n_heads": 5},
            "MultiHead.from_arrays: W_QKV is not a multiple of n_heads + 2 n_kv_heads = 15 wide. "
            "Got (18, 5).",
        ),
        (
            {"W_Q": W_Q.T, "W_K": W_K.T, "W_V": W_V.T, **COUNTS},
            "MultiHead.from_arrays: W_Q has 5 rows for 6 heads, which is no whole number for "
            "each. The matrices fit layout='in_out'.",
        ),
        (
            {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "n_heads": 4},
            "MultiHead.from_arrays: W_Q has 18 rows for 4 heads, which is no whole number for each.",
        ),
        (  # square but for W_O: only that tells the layouts apart
            {"W_Q": W_6.T, "W_K": W_6.T, "W_V": W_4.T, "W_O": W_O_4.T, "n_heads": 2},
            "MultiHead: W_V does not match W_K in d_context (4 vs 6). Need W_K (n_kv_heads, "
            "d_context, d_k), W_V (n_kv_heads, d_context, d_v). Got W_K (2, 6, 3), W_V (2, 4, 3). "
            "The matrices fit layout='in_out'.",
        ),
        (
            {"W_QKV": np.ones((5, 18)), "n_heads": 6},
            "MultiHead.from_arrays: W_QKV is not a multiple of n_heads + 2 n_kv_heads = 18 wide. "
            "Got (5, 18). With layout='in_out' it is.",
        ),
        (
            dict.fromkeys(("W_Q", "W_K", "W_V"), np.ones((5, 3, 2))) | {"n_heads": 3},
            "MultiHead.from_arrays: W_Q needs 2 axes. Got (5, 3, 2). "
            "The matrices fit layout='in_head_out'.",
        ),
        (  # one of the two, and no W_O that would say which
            dict.fromkeys(("W_Q", "W_K", "W_V"), np.ones((3, 5, 2))) | {"n_heads": 3},
            "MultiHead.from_arrays: W_Q needs 2 axes. Got (3, 5, 2). "
            "The matrices fit layout='head_in_out' or 'head_out_in'.",
        ),
        (
            dict.fromkeys(("W_Q", "W_K", "W_V"), np.ones((5, 3, 2)))
            | {"n_heads": 5, "layout": "in_head_out"},
            "MultiHead.from_arrays: W_Q has 3 heads in axis 1 of layout 'in_head_out', and 5 are "
            "said. Got (5, 3, 2). The matrices fit layout='head_in_out' or 'head_out_in'.",
        ),
        (
            {"W_QKV": np.ones((5, 18)), "n_heads": 6, "layout": "in_head_out"},
            "MultiHead.from_arrays: W_QKV has layout 'out_in' or 'in_out'. Got 'in_head_out'. "
            "In another layout give W_Q, W_K and W_V.",
        ),
        (
            {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "n_heads": 6, "n_kv_heads": 4},
            "MultiHead.from_arrays: n_kv_heads must divide n_heads. Got 4 and 6.",
        ),
        (
            {"W_Q": W_Q[0], "W_K": W_K, "W_V": W_V, "n_heads": 6},
            "MultiHead.from_arrays: W_Q needs 2 axes. Got (5,).",
        ),
        (
            {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "n_heads": 0},
            "MultiHead.from_arrays: n_heads must be a whole number ≥ 1. Got 0.",
        ),
    ],
)
def test_what_does_not_fit_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(regard.RegardError) as caught:
        regard.MultiHead.from_arrays(**arguments)
    assert str(caught.value) == message
