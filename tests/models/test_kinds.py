"""Models that have the names of a family: those that compute as it are read, others are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from models import small_models

WRITTEN: dict[str, tuple[small_models.Arrays, dict[str, Any]]] = {
    "bert": (small_models.bert(), small_models.BERT_CONFIG),
    "gpt2": (small_models.gpt2(), small_models.GPT2_CONFIG),
    "llama": (small_models.llama(), small_models.LLAMA_CONFIG),
    "t5": (small_models.t5(), small_models.T5_CONFIG),
}


def _load(folder: Path, name: str, **more: Any) -> regard.models.Model:
    arrays, config = WRITTEN[name]
    return regard.models.load(small_models.write(folder, arrays, {**config, **more}))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("bert", "nezha"), ("gpt2", "imagegpt"), ("llama", "gemma2"), ("llama", "granite"),
     ("llama", "mixtral"), ("t5", "umt5")],
)  # fmt: skip
def test_a_kind_with_the_same_names_that_computes_otherwise_is_refused(
    name: str, kind: str, tmp_path: Path
) -> None:
    with pytest.raises(regard.InvalidModel, match=f"its config calls it '{kind}', which may"):
        _load(tmp_path, name, model_type=kind)


@pytest.mark.parametrize("name", list(WRITTEN))
def test_without_a_kind_the_names_and_shapes_decide(name: str, tmp_path: Path) -> None:
    assert _load(tmp_path, name, model_type=None).architecture.family == name


def test_scores_of_gpt2_are_as_its_config_scales_them(tmp_path: Path) -> None:
    assert _load(tmp_path, "gpt2", scale_attn_weights=False).architecture.scale == 1.0
    with pytest.raises(regard.InvalidModel, match="divided by the number of the layer"):
        _load(tmp_path, "gpt2", scale_attn_by_inverse_layer_idx=True)


@pytest.mark.parametrize(
    ("more", "longest"),
    [
        ({"model_type": "mistral", "sliding_window": 8}, 8),
        ({"model_type": "mistral", "sliding_window": None}, None),
        ({"model_type": "qwen2", "sliding_window": 8}, None),
        ({"model_type": "qwen2", "sliding_window": 8, "use_sliding_window": True}, 8),
    ],
)
def test_no_more_positions_are_read_than_a_sliding_window_has(
    more: dict[str, Any], longest: int | None, tmp_path: Path
) -> None:
    model = _load(tmp_path, "llama", **more)
    assert model.longest == longest
    assert regard.models.inspect(model, "repeated").tokens == (longest or 96)
    if longest is not None:
        assert regard.models.inspect(model).n == longest
        with pytest.raises(regard.ParameterError, match="2 to 8 whole numbers"):
            regard.models.inspect(model, list(range(9)))


def test_roberta_is_told_by_one_type_and_two_rows_before_its_positions(tmp_path: Path) -> None:
    arrays = small_models.bert(longest=34)
    name = "bert.embeddings.token_type_embeddings.weight"
    arrays[name] = arrays[name][:1]
    config = {"num_attention_heads": 3}
    model = regard.models.load(small_models.write(tmp_path, arrays, config))
    assert model.architecture.family == "roberta"
    assert model.longest == 32


def test_an_encoder_of_text_is_not_taken_for_whispers(tmp_path: Path) -> None:
    names = {"encoder.embed_positions.weight", "shared.weight"}
    arrays = {name: np.ones((4, 4), np.float32) for name in names}
    arrays["encoder.layers.0.self_attn.q_proj.weight"] = np.ones((4, 4), np.float32)
    with pytest.raises(regard.InvalidModel, match="an encoder of text with Whisper's names"):
        regard.models.load(small_models.write(tmp_path, arrays, {"num_attention_heads": 2}))
