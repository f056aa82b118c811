"""Activations from loaded weights against models written out in torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from models import small_models
from peers.required import peer
from regard.models.forward import passes

torch = peer("torch")
from models import torch_forwards  # noqa: E402

IDS = np.array([3, 17, 5, 11, 3, 17, 22, 0, 5, 11, 8])

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}


def _tensors(arrays: small_models.Arrays) -> Any:
    return {name: torch.from_numpy(x) for name, x in arrays.items()}


def _compare(model: Any, wanted: Any) -> None:
    done = list(passes(model, IDS))
    assert len(done) == len(wanted) == 2
    a = model.architecture
    for layer, (weights, output) in zip(done, wanted, strict=True):
        np.testing.assert_allclose(layer.output, output.numpy(), atol=1e-5)
        _, found = regard.attention_with_weights(
            layer.query, layer.key, layer.key, layer.bias, scale=layer.scale, is_causal=a.is_causal
        )
        np.testing.assert_allclose(found, weights.numpy(), atol=1e-5)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5"])
def test_layers_and_weights_are_those_of_torch(name: str, tmp_path: Path) -> None:
    arrays = getattr(small_models, name)()
    config = getattr(small_models, f"{name.upper()}_CONFIG")
    model = regard.models.load(small_models.write(tmp_path, arrays, config))
    _compare(model, getattr(torch_forwards, name)(_tensors(arrays), config, torch.from_numpy(IDS)))


def test_llama3_scaling_keeps_short_waves_and_stretches_long_ones(tmp_path: Path) -> None:
    arrays = small_models.llama(bias=False, norms=False)
    config = small_models.LLAMA_CONFIG | {"rope_scaling": LLAMA3}
    model = regard.models.load(small_models.write(tmp_path, arrays, config))
    # By hand, for the pairs of a head of 10 with base 500: wave lengths 2π · 500^(c/5).
    waves = 2 * np.pi * 500.0 ** (np.arange(5) / 5)
    share = (32 / waves - 1) / 3
    wanted = (
        2
        * np.pi
        / waves
        * np.where(waves < 8, 1, np.where(waves > 32, 1 / 8, share + (1 - share) / 8))
    )
    np.testing.assert_allclose(model.architecture.rotary.frequencies, wanted, rtol=1e-12)
    frequencies = torch.from_numpy(wanted)
    _compare(
        model, torch_forwards.llama(_tensors(arrays), config, torch.from_numpy(IDS), frequencies)
    )


def test_linear_scaling_divides_every_frequency(tmp_path: Path) -> None:
    config = small_models.LLAMA_CONFIG | {"rope_scaling": {"type": "linear", "factor": 4.0}}
    model = regard.models.load(small_models.write(tmp_path, small_models.llama(), config))
    wanted = 500.0 ** (-np.arange(5) / 5) / 4
    np.testing.assert_allclose(model.architecture.rotary.frequencies, wanted, rtol=1e-12)


def test_yarn_keeps_the_first_pairs_divides_the_last_and_enlarges(tmp_path: Path) -> None:
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
    config = small_models.LLAMA_CONFIG | {"rope_scaling": scaling, "rope_theta": 10000.0}
    model = regard.models.load(small_models.write(tmp_path, small_models.llama(), config))
    # Pairs that turn 32 times and once in 4096 positions: 5 ln(4096/(64π))/ln 10⁴ = 1.64 and
    # 5 ln(4096/(2π))/ln 10⁴ = 3.52, so a line from pair 1 to pair 4.
    kept = np.array([1, 1, 2 / 3, 1 / 3, 0])
    wanted = 10000.0 ** (-np.arange(5) / 5) * (kept + (1 - kept) / 4)
    np.testing.assert_allclose(model.architecture.rotary.frequencies, wanted, rtol=1e-12)
    assert model.architecture.rotary.factor == pytest.approx(0.1 * np.log(4) + 1)


def test_rotary_positions_of_a_kind_that_is_not_known_are_refused(tmp_path: Path) -> None:
    config = small_models.LLAMA_CONFIG | {"rope_scaling": {"rope_type": "longrope"}}
    folder = small_models.write(tmp_path, small_models.llama(), config)
    with pytest.raises(regard.InvalidModel, match="of the kind 'longrope' are not read"):
        regard.models.load(folder)


def test_query_heads_read_the_key_head_of_their_block(tmp_path: Path) -> None:
    arrays = small_models.llama(bias=False, norms=False)
    model = regard.models.load(small_models.write(tmp_path, arrays, small_models.LLAMA_CONFIG))
    assert [model.architecture.kv_head(h) for h in range(6)] == [0, 0, 0, 1, 1, 1]
    keys = arrays["model.layers.1.self_attn.k_proj.weight"]
    for h, g in ((2, 0), (3, 1)):
        head = model.head(1, h).matrices()
        np.testing.assert_array_equal(head.W_K, keys[10 * g : 10 * g + 10].T)
        queries = arrays["model.layers.1.self_attn.q_proj.weight"][10 * h : 10 * h + 10]
        np.testing.assert_array_equal(head.W_Q, queries.T)


def test_bert_as_a_decoder_looks_back_only(tmp_path: Path) -> None:
    config = small_models.BERT_CONFIG | {"is_decoder": True}
    model = regard.models.load(small_models.write(tmp_path, small_models.bert(), config))
    first = next(passes(model, IDS))
    again = next(passes(model, IDS[:4]))
    np.testing.assert_allclose(first.output[:4], again.output, atol=1e-5)
