"""The closed form of the backward pass beside torch's automatic differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from peers.required import peer
from regard.analysis import gradients

torch = peer("torch")
sdpa = torch.nn.functional.scaled_dot_product_attention

CASES: dict[str, Any] = {
    "one head": ((3, 5), (7, 5), (7, 2), {}),
    "batch and heads": ((2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13), {}),
    "causal": ((2, 3, 5, 7), (2, 3, 5, 7), (2, 3, 5, 13), {"is_causal": True}),
    "scaled": ((2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13), {"scale": 1.7}),
    "grouped": ((2, 6, 5, 7), (2, 3, 11, 7), (2, 3, 11, 2), {}),
    "multi-query": ((2, 6, 5, 7), (2, 1, 11, 7), (2, 1, 11, 2), {"is_causal": True}),
}


def torch_gradients(arrays: list[Any], mask: Any, options: Any) -> list[Any]:
    query, key, value = (torch.tensor(x, requires_grad=True) for x in arrays[:3])
    output = sdpa(query, key, value, mask, enable_gqa=query.ndim > 2, **options)
    output.backward(torch.tensor(arrays[3]))
    return [x.grad.numpy() for x in (query, key, value)]


# torch takes a mask or the causal order, not both.
MASKED = [name for name, (*_, options) in CASES.items() if "is_causal" not in options]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("name", "masked"), [*((n, False) for n in CASES), *((n, True) for n in MASKED)]
)
def test_they_are_those_of_autograd(name: str, dtype: Any, masked: bool) -> None:
    *shapes, options = CASES[name]
    rng = np.random.default_rng(len(name))
    arrays = [rng.normal(size=shape).astype(dtype) for shape in shapes]
    outer = (*shapes[0][:-1], shapes[2][-1])
    arrays.append(rng.normal(size=outer).astype(dtype))
    mask = None
    if masked:
        mask = rng.random((shapes[0][-2], shapes[1][-2])) < 0.7
        mask[:, 0] = True
    theirs = torch_gradients(arrays, None if mask is None else torch.tensor(mask), options)
    found = gradients(*arrays, mask, **options)
    tolerance = 1e-12 if dtype == np.float64 else 2e-5
    for ours, other in zip((found.query, found.key, found.value), theirs, strict=True):
        assert ours.dtype == dtype
        np.testing.assert_allclose(ours, other, rtol=tolerance, atol=tolerance)


def test_tensors_come_back_as_tensors() -> None:
    arrays = [torch.ones(shape, dtype=torch.float64) for shape in ((3, 5), (7, 5), (7, 2), (3, 2))]
    found = gradients(*arrays)
    assert isinstance(found.query, torch.Tensor)
    assert found.value.shape == (7, 2)


@pytest.mark.parametrize("name", ["one head", "batch and heads", "causal", "scaled"])
def test_those_of_scores_and_weights_are_too_also_for_a_mask_beside_the_causal_order(
    name: str,
) -> None:
    *shapes, options = CASES[name]
    rng = np.random.default_rng(7)
    arrays = [rng.normal(size=shape) for shape in shapes]
    arrays.append(rng.normal(size=(*shapes[0][:-1], shapes[2][-1])))
    n_q, n_k = shapes[0][-2], shapes[1][-2]
    mask = rng.random((n_q, n_k)) < 0.7
    mask[:, 0] = True
    allowed = mask & (np.tril(np.ones((n_q, n_k), bool)) if "is_causal" in options else True)
    query, key, value = (torch.tensor(x) for x in arrays[:3])
    scale = options.get("scale", shapes[0][-1] ** -0.5)
    scores = (scale * query @ key.mT).masked_fill(~torch.tensor(allowed), -np.inf)
    scores.requires_grad_()
    weights = torch.softmax(scores, -1)
    weights.retain_grad()
    (weights @ value).backward(torch.tensor(arrays[3]))
    found = gradients(*arrays, mask, **options)
    np.testing.assert_allclose(found.scores, scores.grad.numpy(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        np.where(allowed, found.weights, 0), np.where(allowed, weights.grad.numpy(), 0), rtol=1e-12
    )
