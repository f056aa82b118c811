"""Heads with every combination of rules, drawn, against the reference head by head."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from regard.core import reference

D_MODEL, D_K, D_V, D_OUT = 5, 3, 2, 7


def rules_of(rng: np.random.Generator, batch: tuple[int, ...], n_k: int) -> dict[str, Any]:
    """Rules as a call takes them: one number, or one per batch."""
    drawn: dict[str, Any] = {}
    per_batch = batch if batch and rng.random() < 0.5 else ()
    if rng.random() < 0.5:
        drawn["is_causal"] = True
    if rng.random() < 0.4:
        drawn["causal_offset"] = np.asarray(rng.integers(-3, 5, size=per_batch))
    if rng.random() < 0.4:
        drawn["window"] = [(3, 1), (0, None), (None, 2), (0, 0)][rng.integers(4)]
    if rng.random() < 0.4:
        drawn["key_lengths"] = np.asarray(rng.integers(0, n_k + 1, size=per_batch))
    if rng.random() < 0.3:
        drawn["softcap"] = float(rng.choice([0.7, 2.0, 30.0]))
    return drawn


@pytest.mark.parametrize("seed", range(60))
def test_drawn_heads_under_drawn_rules_are_the_reference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch = [(), (2,), (3, 2)][rng.integers(3)]
    n, n_context = int(rng.choice([1, 7, 11])), int(rng.choice([3, 13]))
    own = seed % 3 == 0
    n_k = n if own else n_context
    n_kv, shared = int(rng.choice([1, 2])), int(rng.choice([1, 3]))
    n_heads = n_kv * shared
    W = {
        "W_Q": rng.standard_normal((n_heads, D_MODEL, D_K)),
        "W_K": rng.standard_normal((n_kv, D_MODEL, D_K)),
        "W_V": rng.standard_normal((n_kv, D_MODEL, D_V)),
        "W_O": rng.standard_normal((n_heads, D_V, D_OUT)),
        "b_Q": rng.standard_normal((n_heads, D_K)),
        "b_K": rng.standard_normal((n_kv, D_K)),
        "b_V": rng.standard_normal((n_kv, D_V)),
    }
    one = n_heads == 1
    scale = [None, 0.6, 0.0, -1.3][rng.integers(4)]
    x = rng.standard_normal((*batch, n, D_MODEL))
    context = None if own else rng.standard_normal((*batch, n_k, D_MODEL))
    positions = rng.standard_normal((17, D_MODEL)) if rng.random() < 0.5 else None
    rules = rules_of(rng, batch, n_k)
    axes = (*batch, n, n_k) if one else (*batch, n_heads, n, n_k)
    mask = rng.random(axes) < 0.7
    if rng.random() < 0.4:
        mask = np.where(mask, rng.standard_normal(axes), -np.inf)

    made = {name: matrix[0] for name, matrix in W.items()} if one else W
    heads = regard.Head(**made, scale=scale) if one else regard.MultiHead(**made, scale=scale)
    given = {"positions": positions, "mask": mask, **rules}
    output, weights = heads(x, context, **given), heads.weights(x, context, **given)

    queries, keys = x, x if context is None else context
    if positions is not None:
        queries, keys = x + positions[:n], keys + positions[:n_k]
    table = mask[..., None, :, :] if one else mask
    expected, looks = np.zeros((*batch, n, D_OUT)), np.zeros((*batch, n_heads, n, n_k))
    for at in np.ndindex(batch):
        here = {name: _of_batch(rule, at) for name, rule in rules.items()}
        for h in range(n_heads):
            g = h // shared
            found = reference.attention(
                queries[at] @ W["W_Q"][h] + W["b_Q"][h],
                keys[at] @ W["W_K"][g] + W["b_K"][g],
                keys[at] @ W["W_V"][g] + W["b_V"][g],
                table[(*at, h)],
                scale=scale,
                **here,
            )
            looks[(*at, h)] = found.weights
            expected[at] += found.output @ W["W_O"][h]
    np.testing.assert_allclose(output, expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(weights, looks[..., 0, :, :] if one else looks, rtol=0, atol=1e-12)


def _of_batch(rule: Any, at: tuple[int, ...]) -> Any:
    """A rule for one of the batch, where there is one for each."""
    return int(rule[at] if rule.ndim else rule) if isinstance(rule, np.ndarray) else rule
