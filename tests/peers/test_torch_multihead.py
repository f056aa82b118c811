"""Heads with matrices beside torch.nn.MultiheadAttention, loaded with the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from peers.required import peer

torch = peer("torch")
sdpa = torch.nn.functional.scaled_dot_product_attention

BATCH, N_HEADS, N, N_CONTEXT, D_HEAD, D_CONTEXT = 2, 3, 5, 11, 7, 13
D_MODEL = N_HEADS * D_HEAD
# Relative to the largest number of the expected output.
TOLERANCE = {torch.float64: 1e-13, torch.float32: 2e-6}

dtypes = pytest.mark.parametrize("dtype", TOLERANCE)
biases = pytest.mark.parametrize("bias", [True, False], ids=["biases", "no biases"])


def normal(*shape: int, dtype: Any, seed: int = 0) -> Any:
    return torch.from_numpy(np.random.default_rng((*shape, seed)).normal(size=shape)).to(dtype)


def assert_near(actual: Any, expected: Any) -> None:
    np.testing.assert_equal(actual.dtype, expected.dtype)
    size = float(expected.abs().max())
    np.testing.assert_allclose(
        actual / size, expected / size, rtol=0, atol=TOLERANCE[expected.dtype], strict=True
    )


def torch_module(dtype: Any, *, bias: bool = True, d_context: int = D_MODEL) -> Any:
    """A module of torch with random matrices and, where it has them, random biases.

    Keys and values are of one width: W_K and W_V of regard read the same context, so a
    kdim that is not the vdim has no counterpart.
    """
    module = torch.nn.MultiheadAttention(
        D_MODEL,
        N_HEADS,
        bias=bias,
        kdim=d_context,
        vdim=d_context,
        batch_first=True,
        dtype=dtype,
    ).eval()
    for seed, parameter in enumerate(module.parameters()):
        numbers = normal(*parameter.shape, dtype=dtype, seed=seed)
        parameter.requires_grad_(False).copy_(numbers / parameter.shape[-1] ** 0.5)
    return module


def matrices_of(module: Any) -> dict[str, Any]:
    """The matrices of a module as regard.MultiHead takes them: (n_heads, d_in, d)."""
    joined = module.in_proj_weight
    each = (
        (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        if joined is None
        else joined.chunk(3)
    )
    matrices = {
        name: matrix.reshape(N_HEADS, D_HEAD, -1).swapaxes(-1, -2)  # torch has (d_out, d_in)
        for name, matrix in zip(("W_Q", "W_K", "W_V"), each, strict=True)
    }
    matrices["W_O"] = module.out_proj.weight.T
    if module.in_proj_bias is not None:
        each = module.in_proj_bias.reshape(3, N_HEADS, D_HEAD)
        matrices |= dict(zip(("b_Q", "b_K", "b_V"), each, strict=True))
        matrices["b_O"] = module.out_proj.bias
    return matrices


def output_of(
    module: Any, x: Any, context: Any = None, *, weights: bool = False, **masks: Any
) -> Any:
    context = x if context is None else context
    return module(x, context, context, need_weights=weights, **masks)[0]


@dtypes
@biases
@pytest.mark.parametrize("batch", [(BATCH,), ()], ids=["batch", "no batch"])
def test_self_attention_is_that_of_torch(batch: tuple[int, ...], bias: bool, dtype: Any) -> None:
    module = torch_module(dtype, bias=bias)
    x = normal(*batch, N, D_MODEL, dtype=dtype)
    multi = regard.MultiHead(**matrices_of(module))
    assert_near(multi(x), output_of(module, x))
    assert_near(multi(x), output_of(module, x, weights=True))
    later = torch.ones(N, N, dtype=torch.bool).triu(1)  # True: may NOT attend, in this module
    assert_near(multi(x, is_causal=True), output_of(module, x, attn_mask=later, is_causal=True))
    positions = normal(N + 2, D_MODEL, dtype=dtype)
    assert_near(multi(x, positions=positions), output_of(module, x + positions[:N]))


@dtypes
@biases
@pytest.mark.parametrize("d_context", [D_MODEL, D_CONTEXT])
def test_cross_attention_is_that_of_torch(d_context: int, bias: bool, dtype: Any) -> None:
    module = torch_module(dtype, bias=bias, d_context=d_context)
    x = normal(BATCH, N, D_MODEL, dtype=dtype)
    context = normal(BATCH, N_CONTEXT, d_context, dtype=dtype)
    multi = regard.MultiHead(**matrices_of(module))
    assert_near(multi(x, context), output_of(module, x, context))
    if d_context == D_MODEL:  # token t of either has row t added
        positions = normal(N_CONTEXT + 2, D_MODEL, dtype=dtype)
        expected = output_of(module, x + positions[:N], context + positions[:N_CONTEXT])
        assert_near(multi(x, context, positions=positions), expected)


@dtypes
@pytest.mark.parametrize("padded", [False, True], ids=["", "padding"])
@pytest.mark.parametrize(
    "mask_shape",
    [None, (N, N_CONTEXT), (BATCH * N_HEADS, N, N_CONTEXT)],
    ids=["no mask", "one mask", "a mask for each head"],
)
def test_masks_of_torch_say_what_may_not_be_attended_to(
    mask_shape: tuple[int, ...] | None, padded: bool, dtype: Any
) -> None:
    module = torch_module(dtype, d_context=D_CONTEXT)
    x = normal(BATCH, N, D_MODEL, dtype=dtype)
    context = normal(BATCH, N_CONTEXT, D_CONTEXT, dtype=dtype)
    forbidden, padding, mask = None, None, torch.ones(N, N_CONTEXT, dtype=torch.bool)
    if mask_shape is not None:
        forbidden = normal(*mask_shape, dtype=dtype) > 0.3
        mask = ~forbidden if len(mask_shape) == 2 else ~forbidden.unflatten(0, (BATCH, N_HEADS))
    if padded:
        padding = torch.arange(N_CONTEXT) >= torch.tensor([[7], [2]])
        mask = mask & ~padding[:, None, None, :]
    multi = regard.MultiHead(**matrices_of(module))
    expected = output_of(module, x, context, attn_mask=forbidden, key_padding_mask=padding)
    assert_near(multi(x, context, mask=mask), expected)


@dtypes
def test_float_masks_are_added_by_both(dtype: Any) -> None:
    module = torch_module(dtype)
    x = normal(BATCH, N, D_MODEL, dtype=dtype)
    mask = normal(BATCH * N_HEADS, N, N, dtype=dtype)
    mask[:, :, 2] = -torch.inf
    mine = regard.MultiHead(**matrices_of(module))(x, mask=mask.unflatten(0, (BATCH, N_HEADS)))
    assert_near(mine, output_of(module, x, attn_mask=mask))


@dtypes
def test_where_all_is_padding_only_the_bias_is_left_and_torch_gives_nan_with_weights(
    dtype: Any,
) -> None:
    module = torch_module(dtype)
    x = normal(BATCH, N, D_MODEL, dtype=dtype)
    padding = torch.tensor([[False], [True]]).expand(BATCH, N)
    bias = module.out_proj.bias.expand(N, D_MODEL)
    output = regard.MultiHead(**matrices_of(module))(x, mask=~padding[:, None, None, :])
    assert_near(output[1], bias)
    # torch leaves it to what else is asked for.
    assert_near(output, output_of(module, x, key_padding_mask=padding))
    with_weights = output_of(module, x, key_padding_mask=padding, weights=True)
    np.testing.assert_array_equal(with_weights[1].isnan(), np.ones((N, D_MODEL), dtype=bool))
    assert_near(output[0], with_weights[0])


@dtypes
@biases
def test_the_heads_add_up_to_the_whole_and_their_mean_divides_it(bias: bool, dtype: Any) -> None:
    module = torch_module(dtype, bias=bias)
    x = normal(BATCH, N, D_MODEL, dtype=dtype)
    mask = normal(N, N, dtype=dtype) < 0.5
    matrices = matrices_of(module)
    b_O = matrices.get("b_O", torch.zeros(D_MODEL, dtype=dtype))
    expected = output_of(module, x, attn_mask=~mask)
    heads = regard.MultiHead(**matrices).heads
    np.testing.assert_equal(len(heads), N_HEADS)
    assert_near(sum(head(x, mask=mask) for head in heads) + b_O, expected)

    matrices["W_O"] = matrices["W_O"].reshape(N_HEADS, D_HEAD, D_MODEL)
    assert_near(regard.MultiHead(**matrices)(x, mask=mask), expected)
    mean = regard.MultiHead(**matrices, combine="mean")(x, mask=mask)
    assert_near(mean, (expected - b_O) / N_HEADS + b_O)


@dtypes
@pytest.mark.parametrize("n_kv_heads", [1, 3])
def test_shared_heads_without_an_output_matrix(n_kv_heads: int, dtype: Any) -> None:
    # torch's module has neither, so the averages come from its attention function.
    W_Q = normal(6, D_MODEL, 2, dtype=dtype) / D_MODEL**0.5
    W_K = normal(n_kv_heads, D_MODEL, 2, dtype=dtype) / D_MODEL**0.5
    W_V = normal(n_kv_heads, D_MODEL, 17, dtype=dtype) / D_MODEL**0.5
    x = normal(BATCH, N, D_MODEL, dtype=dtype)
    query, key, value = (x[:, None] @ W for W in (W_Q, W_K, W_V))
    averages = sdpa(query, key, value, scale=0.3, enable_gqa=True)

    concat = regard.MultiHead(W_Q, W_K, W_V, scale=0.3)
    assert_near(concat(x), averages.swapaxes(1, 2).flatten(2))
    mean = regard.MultiHead(W_Q, W_K, W_V, scale=0.3, combine="mean")
    assert_near(mean(x), averages.mean(1))
    W_O = normal(17, 19, dtype=dtype)
    mean = regard.MultiHead(W_Q, W_K, W_V, W_O, scale=0.3, combine="mean")
    assert_near(mean(x), averages.mean(1) @ W_O)
    for h, head in enumerate(concat.heads):
        assert_near(head(x), averages[:, h])


@dtypes
@biases
@pytest.mark.parametrize("d_context", [None, D_CONTEXT], ids=["self", "cross"])
def test_a_head_is_attention_between_projections(
    d_context: int | None, bias: bool, dtype: Any
) -> None:
    d_k, d_v, d_out = 3, 17, 19
    d_read = d_context or D_MODEL
    W_Q = normal(D_MODEL, d_k, dtype=dtype) / D_MODEL**0.5
    W_K = normal(d_read, d_k, dtype=dtype, seed=1) / d_read**0.5
    W_V, W_O = normal(d_read, d_v, dtype=dtype) / d_read**0.5, normal(d_v, d_out, dtype=dtype)
    b_Q, b_K, b_V, b_O = (
        normal(n, dtype=dtype, seed=seed) * bias for seed, n in enumerate((d_k, d_k, d_v, d_out))
    )
    x = normal(BATCH, N, D_MODEL, dtype=dtype)
    context = None if d_context is None else normal(BATCH, N_CONTEXT, d_context, dtype=dtype)
    read = x if context is None else context
    query, key, value = x @ W_Q + b_Q, read @ W_K + b_K, read @ W_V + b_V
    given = {"b_Q": b_Q, "b_K": b_K, "b_V": b_V} if bias else {}

    plain = regard.Head(W_Q, W_K, W_V, **given)
    assert_near(plain(x, context), sdpa(query, key, value))
    assert_near(plain(x, context, is_causal=True), sdpa(query, key, value, is_causal=True))
    mask = normal(BATCH, N, read.shape[-2], dtype=dtype) < 0.5
    assert_near(plain(x, context, mask=mask), sdpa(query, key, value, mask))
    assert_near(plain(x, context, mask=mask[0]), sdpa(query, key, value, mask[0]))

    given |= {"b_O": b_O} if bias else {}
    writing = regard.Head(W_Q, W_K, W_V, W_O, **given, scale=0.3)
    assert_near(writing(x, context), sdpa(query, key, value, scale=0.3) @ W_O + b_O)
