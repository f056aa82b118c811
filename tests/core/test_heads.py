"""Heads with learned matrices, by hand and against attention itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from regard.core import reference

RNG = np.random.default_rng(30)


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape)


# One head: d_model 5, d_k 3, d_v 2, d_out 7.
MATRICES = {"W_Q": normal(5, 3), "W_K": normal(5, 3), "W_V": normal(5, 2), "W_O": normal(2, 7)}
BIASES = {"b_Q": normal(3), "b_K": normal(3), "b_V": normal(2), "b_O": normal(7)}


def test_the_worked_example_of_002_3bdb44851b502ebf() -> None:
    x = np.array([[2, 3], [-1, 0], [1, -2]])
    W_Q, W_K, W_V = [[1, 0, 2], [0, 1, -3]], [[0, 0, -1], [-2, 0, 1]], [[8, 0], [0, 9]]
    head = regard.Head(W_Q, W_K, W_V, scale=1)
    np.testing.assert_array_equal(head.A, [[-2, 3], [0, -3]])
    np.testing.assert_array_equal(head.QK, [[-2, 0], [3, -3]])
    np.testing.assert_array_equal(head.OV, W_V)
    np.testing.assert_allclose(head(x)[2], [-7.940657044229771, 0.06676082521667771], rtol=1e-12)


def test_a_head_projects_attends_and_writes() -> None:
    x, context = normal(4, 11, 5), normal(4, 13, 5)
    head = regard.Head(**MATRICES, **BIASES, scale=0.3)
    query = x @ MATRICES["W_Q"] + BIASES["b_Q"]
    key = context @ MATRICES["W_K"] + BIASES["b_K"]
    value = context @ MATRICES["W_V"] + BIASES["b_V"]
    averages = reference.attention(query, key, value, scale=0.3).output
    expected = averages @ MATRICES["W_O"] + BIASES["b_O"]
    np.testing.assert_allclose(head(x, context), expected, atol=1e-12)


def test_scores_are_key_token_times_a_times_query_token() -> None:
    head = regard.Head(**MATRICES, scale=1)
    x = normal(6, 5)
    scores = regard.attention_scores(x @ head.W_Q, x @ head.W_K, scale=1)
    np.testing.assert_allclose(scores, (x @ head.A @ x.T).T, atol=1e-12)
    np.testing.assert_allclose(scores, x @ head.QK @ x.T, atol=1e-12)


def test_the_default_scale_is_one_over_the_root_of_d_k() -> None:
    x = normal(6, 5)
    np.testing.assert_array_equal(
        regard.Head(**MATRICES)(x), regard.Head(**MATRICES, scale=1 / np.sqrt(3))(x)
    )


def test_positions_are_added_to_query_key_and_value_inputs() -> None:
    x, context, table = normal(6, 5), normal(9, 5), normal(12, 5)
    head = regard.Head(**MATRICES, **BIASES)
    np.testing.assert_array_equal(head(x, positions=table), head(x + table[:6]))
    np.testing.assert_array_equal(
        head(x, context, positions=table), head(x + table[:6], context + table[:9])
    )


def test_a_batch_of_contexts_is_not_taken_for_groups_of_heads() -> None:
    head = regard.Head(**MATRICES)
    with pytest.raises(regard.ShapeError, match="batch axes do not broadcast"):
        head(normal(4, 6, 5), normal(2, 9, 5))


def test_the_mask_of_a_head_has_the_batch_axes_of_its_tokens() -> None:
    head = regard.Head(**MATRICES)
    x, mask = normal(4, 6, 5), RNG.random((4, 6, 6)) < 0.7
    output = head(x, mask=mask)
    for b in range(4):
        np.testing.assert_array_equal(output[b], head(x[b], mask=mask[b]))


def test_a_causal_head_does_not_see_later_tokens() -> None:
    head = regard.Head(**MATRICES)
    x = normal(6, 5)
    whole = head(x, is_causal=True)
    for n in range(1, 7):
        np.testing.assert_allclose(whole[:n], head(x[:n], is_causal=True), atol=1e-14)


def stack(n_heads: int, **shapes: tuple[int, ...]) -> dict[str, Any]:
    return {name: normal(n_heads, *shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("combine", ["concat", "mean"])
@pytest.mark.parametrize("with_W_O", [True, False])
def test_heads_are_combined_as_said(combine: str, with_W_O: bool) -> None:
    matrices = stack(3, W_Q=(5, 2), W_K=(5, 2), W_V=(5, 4), b_Q=(2,), b_K=(2,), b_V=(4,))
    if with_W_O:
        matrices["W_O"] = normal(3, 4, 7)
    x = normal(2, 6, 5)
    outputs = [
        regard.Head(**{name: m[h] for name, m in matrices.items()})(x, is_causal=True)
        for h in range(3)
    ]
    bias = normal(7) if with_W_O else None
    many = regard.MultiHead(**matrices, b_O=bias, combine=combine)
    if with_W_O:
        expected = sum(outputs) / (3 if combine == "mean" else 1) + bias
    else:
        expected = np.mean(outputs, 0) if combine == "mean" else np.concatenate(outputs, -1)
    np.testing.assert_allclose(many(x, is_causal=True), expected, atol=1e-12)


def test_the_average_of_two_heads_is_that_of_001_725e95d9063a7e6c() -> None:
    # Part (d): orthonormal keys, one large query for each of two values.
    keys, values, C = np.eye(4), np.arange(8.0).reshape(4, 2), 40
    W_Q = np.zeros((2, 1, 4))
    W_Q[0, 0, 1] = W_Q[1, 0, 3] = C
    heads = regard.MultiHead(
        W_Q, np.stack([np.eye(4)] * 2), np.stack([values] * 2), combine="mean", scale=1
    )
    np.testing.assert_allclose(heads([[1.0]], keys), [(values[1] + values[3]) / 2], atol=1e-12)


def test_fewer_key_heads_are_shared() -> None:
    shared = stack(2, W_K=(5, 3), W_V=(5, 4), b_K=(3,), b_V=(4,))
    own = stack(6, W_Q=(5, 3), W_O=(4, 7))
    x = normal(8, 5)
    spelled_out = {name: m.repeat(3, axis=0) for name, m in shared.items()}
    few, many = regard.MultiHead(**own, **shared), regard.MultiHead(**own, **spelled_out)
    np.testing.assert_allclose(few(x), many(x), atol=1e-13)
    np.testing.assert_array_equal(few.A, many.A)
    np.testing.assert_array_equal(few.OV, many.OV)
    np.testing.assert_allclose(sum(head(x) for head in few.heads), few(x), atol=1e-12)


def test_one_output_matrix_may_serve_all_heads() -> None:
    matrices = stack(3, W_Q=(5, 2), W_K=(5, 2), W_V=(5, 4))
    x = normal(6, 5)
    joined, single = normal(12, 7), normal(4, 7)
    concat = regard.MultiHead(**matrices, W_O=joined)
    np.testing.assert_allclose(concat(x), regard.MultiHead(**matrices)(x) @ joined, atol=1e-12)
    mean = regard.MultiHead(**matrices, W_O=single, combine="mean")
    averages = regard.MultiHead(**matrices, combine="mean")(x)
    np.testing.assert_allclose(mean(x), averages @ single, atol=1e-12)


def test_a_context_of_another_width_needs_matrices_of_that_width() -> None:
    head = regard.Head(normal(5, 3), normal(11, 3), normal(11, 2))
    assert head(normal(4, 5), normal(6, 11)).shape == (4, 2)
    assert head.A.shape == (11, 5)


def test_results_have_the_widest_dtype_of_tokens_and_matrices() -> None:
    narrow = regard.Head(**{name: m.astype(np.float32) for name, m in MATRICES.items()})
    x = normal(4, 5)
    assert narrow(x).dtype == np.float64
    assert narrow(x.astype(np.float32)).dtype == np.float32
    half = regard.Head(**{name: m.astype(np.float16) for name, m in MATRICES.items()})
    assert half(x.astype(np.float16)).dtype == np.float16


def test_heads_say_what_they_are() -> None:
    assert repr(regard.Head(**MATRICES)) == "Head(d_model=5, d_k=3, d_out=7, scale=None)"
    many = regard.MultiHead(**stack(3, W_Q=(5, 2), W_K=(5, 2), W_V=(5, 4)), scale=0.5)
    assert repr(many) == (
        "MultiHead(n_heads=3, d_model=5, d_k=2, d_v=4, combine='concat', scale=0.5)"
    )


def test_a_head_cannot_be_changed() -> None:
    head = regard.Head(**MATRICES)
    with pytest.raises(AttributeError):
        head.scale = 2.0  # type: ignore[misc]
