"""Designed heads in the place of a model's own, in files that the original libraries load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from models import small_models
from peers.required import peer
from regard.models.forward import passes

torch = peer("torch")
safetensors_torch = peer("safetensors.torch")
from models import torch_forwards  # noqa: E402

IDS = np.array([3, 17, 5, 11, 3, 17, 22, 0, 5])
RNG = np.random.default_rng(8)


def _head(d: int, d_k: int, **more: Any) -> regard.Head:
    return regard.Head(
        RNG.normal(size=(d, d_k)), RNG.normal(size=(d, d_k)), np.eye(d), scale=0.7, **more
    )


def _weights(state: Any, name: str, config: Any, layer: int, head: int) -> Any:
    return getattr(torch_forwards, name)(state, config, torch.from_numpy(IDS))[layer][0][
        head
    ].numpy()


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_the_grafted_head_attends_in_torch_as_the_design_does_and_nothing_else_changed(
    name: str, tmp_path: Path
) -> None:
    arrays, config = getattr(small_models, name)(), getattr(small_models, f"{name.upper()}_CONFIG")
    model = regard.models.load(small_models.write(tmp_path / "old", arrays, config))
    design = _head(15, 3)
    done = regard.models.graft(model, 1, 2, design, tmp_path / "new.safetensors")
    state = safetensors_torch.load_file(done.path)
    assert set(state) == set(arrays)
    for tensor, before in arrays.items():
        if tensor not in done.tensors:
            assert state[tensor].numpy().tobytes() == before.tobytes()
    inputs = list(passes(model, IDS))[1].inputs.astype(float)
    causal = name == "gpt2"
    scores = 0.7 * inputs @ design.W_Q @ (inputs @ design.W_K).T
    scores = np.where(np.tri(len(IDS)), scores, -np.inf) if causal else scores
    wanted = np.exp(scores - scores.max(axis=1, keepdims=True))
    wanted /= wanted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(_weights(state, name, config, 1, 2), wanted, atol=2e-5)
    before = {tensor: torch.from_numpy(x) for tensor, x in arrays.items()}
    for head in (0, 1):  # its neighbours in the same tensors
        np.testing.assert_array_equal(
            _weights(state, name, config, 1, head), _weights(before, name, config, 1, head)
        )
    assert done.heads == ((1, 2),)


def test_values_are_put_in_where_that_is_asked_for(tmp_path: Path) -> None:
    arrays = small_models.bert()
    model = regard.models.load(small_models.write(tmp_path, arrays, small_models.BERT_CONFIG))
    design = regard.Head(
        *(RNG.normal(size=(15, 4)) for _ in range(3)), RNG.normal(size=(4, 15)), b_V=np.arange(4.0)
    )
    done = regard.models.graft(model, 0, 1, design, tmp_path / "new.safetensors", values=True)
    again = regard.models.load(done.path, config=small_models.BERT_CONFIG).head(0, 1).matrices()
    np.testing.assert_allclose(again.OV, design.W_V @ design.W_O, atol=1e-5)
    np.testing.assert_allclose(again.b_V, [0, 1, 2, 3, 0], atol=1e-6)
    np.testing.assert_allclose(again.A / 5**0.5, design.A / 4**0.5, atol=1e-5)
    with pytest.raises(regard.ParameterError, match="values=True needs a design with W_O"):
        regard.models.graft(model, 0, 1, _head(15, 4), tmp_path / "new.safetensors", values=True)


def test_heads_that_share_a_key_head_change_together_or_not_at_all(tmp_path: Path) -> None:
    arrays = small_models.llama(bias=False, norms=False)
    model = regard.models.load(small_models.write(tmp_path, arrays, small_models.LLAMA_CONFIG))
    design = _head(14, 6)
    with pytest.raises(
        regard.ParameterError, match=r"heads 3, 4, 5 of layer 0 share one key head. Say group=True"
    ):
        regard.models.graft(model, 0, 4, design, tmp_path / "new.safetensors")
    done = regard.models.graft(model, 0, 4, design, tmp_path / "new.safetensors", group=True)
    assert done.heads == ((0, 3), (0, 4), (0, 5))
    state = safetensors_torch.load_file(done.path)
    keys = state["model.layers.0.self_attn.k_proj.weight"].numpy()
    np.testing.assert_allclose(keys[10:16].T, design.W_K, atol=1e-6)
    np.testing.assert_array_equal(keys[16:], 0)
    np.testing.assert_array_equal(keys[:10], arrays["model.layers.0.self_attn.k_proj.weight"][:10])
    queries = state["model.layers.0.self_attn.q_proj.weight"].numpy()
    for h in (3, 4, 5):
        np.testing.assert_allclose(
            queries[10 * h : 10 * h + 6].T, design.W_Q * 0.7 * 10**0.5, atol=1e-5
        )
    np.testing.assert_array_equal(
        queries[:30], arrays["model.layers.0.self_attn.q_proj.weight"][:30]
    )


def test_a_positional_design_is_refused_where_positions_are_turned(tmp_path: Path) -> None:
    model = regard.models.load(
        small_models.write(tmp_path, small_models.llama(), small_models.LLAMA_CONFIG)
    )
    with pytest.raises(regard.ParameterError, match="this model has rotary ones"):
        regard.models.graft(
            model, 0, 0, regard.design.offset(1, 14, n=9), tmp_path / "x.safetensors", group=True
        )


def test_a_design_of_another_width_is_refused(tmp_path: Path) -> None:
    model = regard.models.load(
        small_models.write(tmp_path, small_models.bert(), small_models.BERT_CONFIG)
    )
    with pytest.raises(
        regard.ShapeError, match=r"d_model 15 and d_k 5; a design must have .* Got W_Q \(15, 6\)"
    ):
        regard.models.graft(model, 0, 0, _head(15, 6), tmp_path / "x.safetensors")


def test_the_file_that_is_read_is_not_written_over(tmp_path: Path) -> None:
    folder = small_models.write(tmp_path, small_models.bert(), small_models.BERT_CONFIG)
    model = regard.models.load(folder / "model.safetensors")
    with pytest.raises(regard.ParameterError, match="is what is read; it is not written over"):
        regard.models.graft(model, 0, 0, _head(15, 5), folder / "model.safetensors")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_numbers_of_16_bits_stay_so_and_the_rest_keeps_its_bits(dtype: str, tmp_path: Path) -> None:
    kind = getattr(torch, dtype)
    state = {name: torch.from_numpy(x).to(kind) for name, x in small_models.bert().items()}
    safetensors_torch.save_file(state, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(small_models.BERT_CONFIG))
    model = regard.models.load(tmp_path)
    design = _head(15, 5)
    done = regard.models.graft(model, 0, 0, design, tmp_path / "new.safetensors")
    again = safetensors_torch.load_file(done.path)
    assert all(x.dtype == kind for x in again.values())
    for name, x in state.items():
        if name not in done.tensors:
            assert torch.equal(again[name], x)
    name = "bert.encoder.layer.0.attention.self.key.weight"
    assert torch.equal(again[name][5:], state[name][5:])
    wanted = torch.from_numpy(design.W_K.T).to(torch.float32).to(kind)
    assert torch.equal(again[name][:5], wanted)  # rounded as torch rounds


def test_a_model_of_torch_becomes_a_safetensors_file(tmp_path: Path) -> None:
    arrays = small_models.gpt2()
    torch.save(
        {name: torch.from_numpy(x) for name, x in arrays.items()}, tmp_path / "pytorch_model.bin"
    )
    (tmp_path / "config.json").write_text(json.dumps(small_models.GPT2_CONFIG))
    done = regard.models.graft(
        regard.models.load(tmp_path), 0, 0, _head(15, 5), tmp_path / "new.safetensors"
    )
    state = safetensors_torch.load_file(done.path)
    for name, x in arrays.items():
        if name not in done.tensors:
            np.testing.assert_array_equal(state[name].numpy(), x)
    assert done.tensors == (
        "transformer.h.0.attn.c_attn.bias",
        "transformer.h.0.attn.c_attn.weight",
    )
