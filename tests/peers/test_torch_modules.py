"""Heads taken out of torch's own module and put back, and the drop-in for its function."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest

import regard
from peers.required import peer

torch = peer("torch")
sdpa = torch.nn.functional.scaled_dot_product_attention
ours = regard.torch.scaled_dot_product_attention
TOLERANCE = {torch.float64: 1e-12, torch.float32: 3e-6, torch.float16: 4e-3}


def module(n_heads: int, width: int, dtype: Any, *, bias: bool = True, d_context: int = 0) -> Any:
    d_model = n_heads * width
    made = torch.nn.MultiheadAttention(
        d_model,
        n_heads,
        bias=bias,
        kdim=d_context or d_model,
        vdim=d_context or d_model,
        batch_first=True,
        dtype=dtype,
    ).eval()
    rng = torch.Generator().manual_seed(n_heads * width)
    for parameter in made.parameters():
        with torch.no_grad():
            parameter.copy_(torch.randn(parameter.shape, generator=rng, dtype=dtype) / 3)
    return made


@pytest.mark.parametrize("bias", [True, False], ids=["biases", "no biases"])
@pytest.mark.parametrize("d_context", [0, 13], ids=["itself", "a context of another width"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_heads_of_a_module_compute_what_it_does(bias: bool, d_context: int, dtype: Any) -> None:
    made = module(3, 7, dtype, bias=bias, d_context=d_context)
    heads = regard.MultiHead.from_torch(made)
    x = torch.randn(2, 5, 21, dtype=dtype)
    context = torch.randn(2, 11, d_context, dtype=dtype) if d_context else x
    with torch.no_grad():
        output, weights = made(x, context, context, average_attn_weights=False)
    given = (x, context) if d_context else (x,)
    torch.testing.assert_close(heads(*given), output, rtol=0, atol=TOLERANCE[dtype])
    torch.testing.assert_close(heads.weights(*given), weights, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("bias", [True, False], ids=["biases", "no biases"])
@pytest.mark.parametrize("d_context", [0, 13], ids=["itself", "a context of another width"])
def test_a_module_comes_back_with_its_own_parameters(bias: bool, d_context: int) -> None:
    made = module(3, 7, torch.float64, bias=bias, d_context=d_context)
    back = regard.MultiHead.from_torch(made).to_torch().state_dict()
    assert list(back) == list(made.state_dict())
    for name, parameter in made.state_dict().items():
        torch.testing.assert_close(back[name], parameter, rtol=0, atol=1e-15)


HEADS: dict[str, dict[str, Any]] = {
    "as torch has them": {"W_Q": (3, 21, 7), "W_K": (3, 21, 7), "W_V": (3, 21, 7)},
    "narrow": {"W_Q": (3, 21, 2), "W_K": (3, 21, 2), "W_V": (3, 21, 5)},
    "with a context of another width": {"W_Q": (3, 21, 2), "W_K": (3, 13, 2), "W_V": (3, 13, 5)},
    "with shared keys": {"W_Q": (6, 42, 5), "W_K": (2, 42, 5), "W_V": (2, 42, 3)},
}


@pytest.mark.parametrize("combine", ["concat", "mean"])
@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("shapes", HEADS.values(), ids=HEADS)
def test_a_module_made_of_heads_computes_what_they_do(
    shapes: dict[str, Any], scale: float | None, combine: str
) -> None:
    rng = np.random.default_rng(5)
    n_heads, d_model, _ = shapes["W_Q"]
    d_v = shapes["W_V"][-1]
    matrices = {name: rng.standard_normal(shape) / 3 for name, shape in shapes.items()}
    for name in ("Q", "K", "V"):
        count, _, d = shapes[f"W_{name}"]
        matrices[f"b_{name}"] = rng.standard_normal((count, d))
    matrices["W_O"] = rng.standard_normal((n_heads, d_v, d_model))
    matrices["b_O"] = rng.standard_normal(d_model)
    heads = regard.MultiHead(**matrices, scale=scale, combine=combine)
    x = torch.from_numpy(rng.standard_normal((2, 5, d_model)))
    context = torch.from_numpy(rng.standard_normal((2, 11, shapes["W_K"][1])))
    with torch.no_grad():
        output, weights = heads.to_torch()(x, context, context, average_attn_weights=False)
    np.testing.assert_allclose(output, heads(x, context), atol=1e-12)
    np.testing.assert_allclose(weights, heads.weights(x, context), atol=1e-12)


def test_averages_without_an_output_matrix_are_written_as_they_are() -> None:
    rng = np.random.default_rng(6)
    heads = regard.MultiHead(*rng.standard_normal((3, 3, 21, 7)))
    x = torch.from_numpy(rng.standard_normal((5, 21)))
    with torch.no_grad():
        output, _ = heads.to_torch()(x, x, x)
    np.testing.assert_allclose(output, heads(x), atol=1e-12)


def test_heads_that_torch_has_no_room_for_are_refused() -> None:
    with pytest.raises(regard.ParameterError) as caught:
        regard.MultiHead(*np.zeros((3, 2, 5, 3))).to_torch()
    assert str(caught.value) == (
        "MultiHead.to_torch: torch.nn.MultiheadAttention needs d_out = d_model and d_k, d_v at most "
        "d_model / n_heads, a whole number. Got n_heads 2, d_model 5, d_k 3, d_v 3, d_out 6."
    )


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            torch.nn.Linear(3, 3),
            "MultiHead.from_torch: module must be a torch.nn.MultiheadAttention. Got Linear. "
            "For matrices of another module use from_arrays.",
        ),
        (
            torch.nn.TransformerEncoderLayer(6, 2, 3),
            "MultiHead.from_torch: module must be a torch.nn.MultiheadAttention. "
            "Got TransformerEncoderLayer. It has one: pass .self_attn.",
        ),
        (  # a class of this name whose parameters are elsewhere
            type("MultiheadAttention", (torch.nn.MultiheadAttention,), {"forward": print})(6, 2),
            "MultiHead.from_torch: module must be a torch.nn.MultiheadAttention. "
            "Got MultiheadAttention. For matrices of another module use from_arrays.",
        ),
        (
            torch.nn.MultiheadAttention(6, 2, device="meta"),
            "MultiHead.from_torch: the parameters are on device 'meta', where they have no "
            "numbers. Load them first: module.to_empty(device='cpu') and "
            "module.load_state_dict(...).",
        ),
        (
            torch.nn.MultiheadAttention(6, 2, add_bias_kv=True),
            "MultiHead.from_torch: add_bias_kv adds a key that no head here has.",
        ),
        (
            torch.nn.MultiheadAttention(6, 2, add_zero_attn=True),
            "MultiHead.from_torch: add_zero_attn adds a key that no head here has.",
        ),
        (
            torch.nn.MultiheadAttention(6, 2, kdim=5, vdim=7),
            "MultiHead.from_torch: keys and values must come from one context. Got kdim 5, vdim 7.",
        ),
    ],
)
def test_modules_that_are_no_heads_are_refused(made: Any, message: str) -> None:
    with pytest.raises(regard.ParameterError) as caught:
        regard.MultiHead.from_torch(made)
    assert str(caught.value) == message


def test_the_drop_in_has_the_signature_of_torch() -> None:
    names = ["query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa"]
    signature = inspect.signature(ours)
    assert list(signature.parameters) == names
    defaults = [one.default for one in signature.parameters.values()][3:]
    assert defaults == [None, 0.0, False, None, False]
    assert all(one.kind is one.POSITIONAL_OR_KEYWORD for one in signature.parameters.values())
    assert all(
        f"{name}" in torch.nn.functional.scaled_dot_product_attention.__doc__ for name in names
    )


CASES = list(
    itertools.product(
        [torch.float64, torch.float32, torch.float16],
        ["none", "bool", "float", "causal"],
        [None, 0.37],
        [(5, 3), (2, 5, 3), (2, 6, 5, 3)],
    )
)


@pytest.mark.parametrize(("dtype", "mask", "scale", "shape"), CASES)
def test_the_drop_in_computes_what_torch_does(
    dtype: Any, mask: str, scale: float | None, shape: tuple[int, ...]
) -> None:
    rng = torch.Generator().manual_seed(7)
    n_k, d_v = 11, 7
    query = torch.randn(shape, generator=rng, dtype=torch.float64).to(dtype)
    key = torch.randn(*shape[:-2], n_k, shape[-1], generator=rng, dtype=torch.float64).to(dtype)
    value = torch.randn(*shape[:-2], n_k, d_v, generator=rng, dtype=torch.float64).to(dtype)
    rules: dict[str, Any] = {"scale": scale}
    if mask == "causal":
        rules["is_causal"] = True
    elif mask == "bool":
        allowed = torch.rand(5, n_k, generator=rng) < 0.7
        allowed[2] = False  # a query that may attend to nothing
        rules["attn_mask"] = allowed
    elif mask == "float":
        rules["attn_mask"] = torch.randn(5, n_k, generator=rng, dtype=torch.float64).to(dtype)
    expected = sdpa(query, key, value, **rules)
    actual = ours(query, key, value, **rules)
    assert actual.dtype == expected.dtype
    torch.testing.assert_close(actual, expected, rtol=0, atol=TOLERANCE[dtype])


def test_grouped_queries_are_those_of_torch() -> None:
    query = torch.randn(2, 6, 5, 3, dtype=torch.float64)
    key, value = torch.randn(2, 2, 2, 11, 3, dtype=torch.float64)
    expected = sdpa(query, key, value, enable_gqa=True)
    torch.testing.assert_close(ours(query, key, value, enable_gqa=True), expected)
    with pytest.raises(regard.ShapeError) as caught:
        ours(query, key, value)
    assert str(caught.value) == (
        "scaled_dot_product_attention: heads do not match (axis -3): query 6, key 2, value 2. "
        "For grouped-query heads pass enable_gqa=True."
    )
    with pytest.raises(RuntimeError):
        sdpa(query, key, value)


def test_no_gradient_is_lost_silently() -> None:
    x = torch.randn(5, 3, requires_grad=True)
    with pytest.raises(regard.ParameterError) as caught:
        ours(x.detach(), x, x.detach())
    assert str(caught.value) == (
        "scaled_dot_product_attention: key asks for a gradient, and none flows through regard. "
        "Wrap the call in torch.no_grad(), or use "
        "torch.nn.functional.scaled_dot_product_attention."
    )
    with torch.no_grad():
        torch.testing.assert_close(ours(x, x, x), sdpa(x, x, x))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"dropout_p": 0.1},
            "dropout_p must be 0. Got 0.1. regard computes what a model does when it is not trained.",
        ),
        (
            {"is_causal": True, "attn_mask": torch.ones(5, 5, dtype=torch.bool)},
            "give attn_mask or is_causal, not both, as in torch.",
        ),
        ({"key": np.zeros((5, 3))}, "key must be a tensor. Got ndarray."),
        ({"attn_mask": np.ones((5, 5))}, "attn_mask must be a tensor. Got ndarray."),
        (
            {"attn_mask": torch.ones(5, 5, dtype=torch.int64)},
            "attn_mask has dtype torch.int64. Need torch.bool (True = takes part) or floats that are "
            "added to the scores. For a mask of 0 and 1 pass attn_mask.bool().",
        ),
        (
            {"value": torch.zeros(7, 3)},
            "value does not match key in n_k (7 vs 5). Need key (..., n_k, d_k), "
            "value (..., n_k, d_v). Got key (5, 3), value (7, 3).",
        ),
        (
            {"value": torch.zeros(5, 3, dtype=torch.float64)},
            "query, key and value must have one dtype. "
            "Got query torch.float32, key torch.float32, value torch.float64.",
        ),
    ],
)
def test_what_the_drop_in_cannot_do_is_said(change: dict[str, Any], message: str) -> None:
    x = torch.zeros(5, 3)
    with pytest.raises((regard.ParameterError, regard.ShapeError)) as caught:
        ours(**{"query": x, "key": x, "value": x} | change)
    assert str(caught.value) == f"scaled_dot_product_attention: {message}"
