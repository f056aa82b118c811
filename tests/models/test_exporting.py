"""Designed heads in other libraries, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from peers.required import peer

torch = peer("torch")
onnxruntime = peer("onnxruntime")
safetensors_torch = peer("safetensors.torch")

OFFSET = regard.design.offset(3, 26, n=41)
TOKENS = np.random.default_rng(2).normal(size=(5, 7))
ATTENDING = regard.design.self_attention(TOKENS, attend={0: 3, 1: {2: 0.5, 4: 0.5}, 4: 0})
BAND = regard.design.band(2, 4, 24, n=31)


def _many(
    n_heads: int, groups: int, combine: str = "concat", written: bool = True
) -> regard.MultiHead:
    rng = np.random.default_rng(4)
    d, d_k, d_v = 30, 4, 5
    return regard.MultiHead(
        rng.normal(size=(n_heads, d, d_k)),
        rng.normal(size=(groups, d, d_k)),
        rng.normal(size=(groups, d, d_v)),
        rng.normal(size=(n_heads, d_v, 11)) if written else None,
        combine=combine,
        b_Q=rng.normal(size=(n_heads, d_k)),
        b_K=rng.normal(size=(groups, d_k)),
        b_V=rng.normal(size=(groups, d_v)),
        b_O=rng.normal(size=11) if written else None,
    )


def _cases() -> list[Any]:
    positions = regard.sinusoidal(41, 26)
    few = np.random.default_rng(3).normal(size=(8, 30))
    return [
        pytest.param(OFFSET, 1, positions, OFFSET.head()(positions), id="offset"),
        pytest.param(BAND, 1, (x := regard.sinusoidal(31, 24)), BAND.head()(x), id="band"),
        pytest.param(ATTENDING, 1, TOKENS, ATTENDING.head()(TOKENS), id="self-attention"),
        *(
            pytest.param(many, 6, few, many(few), id=name)
            for name, many in {
                "six heads": _many(6, 6),
                "grouped": _many(6, 2),
                "mean": _many(6, 3, "mean"),
                "nothing written": _many(6, 6, written=False),
            }.items()
        ),
    ]


@pytest.mark.parametrize(("heads", "count", "x", "wanted"), _cases())
def test_torchs_own_module_gives_the_same_output(
    heads: Any, count: int, x: Any, wanted: Any, tmp_path: Path
) -> None:
    width = wanted.shape[-1]
    path = regard.models.export(heads, tmp_path / "heads.safetensors")
    for state in (regard.models.export(heads, "torch"), safetensors_torch.load_file(path)):
        module = torch.nn.MultiheadAttention(
            x.shape[1], count, batch_first=True, dtype=torch.float64
        )
        module.load_state_dict(state)
        given = torch.from_numpy(x)[None]
        output = module(given, given, given)[0][0].detach().numpy()
        np.testing.assert_allclose(output[:, :width], wanted, atol=1e-6)
        np.testing.assert_array_equal(output[:, width:], 0)


@pytest.mark.parametrize(("heads", "count", "x", "wanted"), _cases())
def test_onnxruntime_gives_the_same_output(
    heads: Any, count: int, x: Any, wanted: Any, tmp_path: Path
) -> None:
    import onnx

    path = regard.models.export(heads, tmp_path / "heads.onnx")
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (output,) = session.run(None, {"x": x[None]})
    np.testing.assert_allclose(output[0], wanted, atol=1e-6)


def test_numpy_gets_the_matrices_as_they_are(tmp_path: Path) -> None:
    path = regard.models.export(ATTENDING, tmp_path / "head.npz")
    with np.load(path) as found:
        np.testing.assert_array_equal(found["W_K"][0], ATTENDING.W_K)
        assert found["scale"] == ATTENDING.scale


@pytest.mark.parametrize("T", [-4, 1, 6])
def test_an_offset_head_reads_back_as_its_offset(T: int, tmp_path: Path) -> None:
    design = regard.design.offset(T, 64, n=97)
    path = regard.models.export(design, tmp_path / "head.safetensors")
    (found,) = regard.models.inspect(regard.models.load(path)).heads
    assert (found.T, found.B) == (T, 0)
    assert found.label == {1: "previous"}.get(T, f"offset {T}")
    assert found.mass > 0.98  # the design leaks 0.01 at most


def test_heads_of_designs_stand_side_by_side_in_one_module(tmp_path: Path) -> None:
    designs = [regard.design.offset(T, 64, n=97, d_k=None) for T in (1, -2)]
    heads = [
        regard.Head(d.W_Q[:, :32], d.W_K[:, :32], np.eye(64)[:, :32], scale=d.scale)
        for d in designs
    ]
    path = regard.models.export(heads, tmp_path / "two.safetensors")
    found = regard.models.inspect(regard.models.load(path)).heads
    assert [(one.head, one.T) for one in found] == [(0, 1), (1, -2)]


def test_heads_too_wide_for_torch_are_refused_with_the_limit() -> None:
    wide = regard.MultiHead(*np.ones((3, 2, 4, 3)))
    with pytest.raises(
        regard.ShapeError, match=r"so d_k and d_v must be at most 2 and d_out at most 4. Got d_k 3"
    ):
        regard.models.export(wide, "torch")


def test_a_thing_without_matrices_is_refused() -> None:
    with pytest.raises(regard.ParameterError, match=r"heads must be a design with .head"):
        regard.models.export("offset", "numpy")
    with pytest.raises(
        regard.ParameterError, match=r"a path that ends in .safetensors, .onnx, .npz, .pt"
    ):
        regard.models.export(OFFSET, "head.txt")
