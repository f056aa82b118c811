"""Memory is that of the layer in work: more layers, or more tokens, do not add to it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from models import small_models


def _peak(model: Any, tokens: Any) -> int:
    tracemalloc.start()
    regard.models.inspect(model, tokens, n=16)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def _gpt2(folder: Path, layers: int, longest: int = 40, d: int = 150) -> Any:
    arrays = small_models.gpt2(layers=layers, d=d, longest=longest)
    return regard.models.load(small_models.write(folder, arrays, small_models.GPT2_CONFIG))


@pytest.mark.parametrize("tokens", [None, "repeated"])
def test_seven_layers_take_the_memory_of_two(tokens: str | None, tmp_path: Path) -> None:
    few, many = _gpt2(tmp_path / "few", 2), _gpt2(tmp_path / "many", 7)
    regard.models.inspect(few, tokens, n=16)  # what is loaded once
    layer = 4 * 4 * 150 * 150  # bytes of one layer's heads
    assert _peak(many, tokens) < _peak(few, tokens) + layer


def test_four_times_the_tokens_take_about_four_times_the_memory_and_not_sixteen(
    tmp_path: Path,
) -> None:
    model = _gpt2(tmp_path, 2, longest=2048, d=30)
    ids = np.random.default_rng(0).integers(0, 23, 2048)
    regard.models.inspect(model, ids[:64], n=16)
    short, long = _peak(model, ids[:512]), _peak(model, ids)
    assert long < 6 * short
    assert long < 2048 * 2048 * 4  # the weights of one of its six heads
