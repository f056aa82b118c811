"""Files that are damaged or mean harm: a message, exit code 2, and no code of theirs is run."""

from __future__ import annotations

import json
import os
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from cli.running import run
from models import small_models
from peers.required import peer
from regard.models.formats import open_tensors


def _refused(path: Path, *more: str) -> str:
    """Run the command on a file; return its message."""
    done = run("inspect", str(path), "--heads", "3", *more)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def _header(path: Path, header: Any, data: bytes = b"", length: int | None = None) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
    return path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    small_models.write(tmp_path, small_models.bert(), small_models.BERT_CONFIG)
    return tmp_path / "model.safetensors"


def test_the_undamaged_file_is_read(good: Path) -> None:
    assert run("inspect", str(good)).returncode == 0


def test_a_missing_file_and_an_empty_folder_are_said(tmp_path: Path) -> None:
    assert "No such file" in _refused(tmp_path / "none.safetensors")
    assert "has no file of tensors" in _refused(tmp_path)


def test_a_pipe_is_no_file_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.safetensors")
    assert "is no file" in _refused(tmp_path / "model.safetensors")


@pytest.mark.parametrize("kept", [0, 5, 100, 0.5, 0.999])
def test_a_truncated_file_is_said(kept: float, good: Path) -> None:
    data = good.read_bytes()
    good.write_bytes(data[: int(kept * len(data)) if kept < 1 else int(kept)])
    message = _refused(good)
    assert "is no safetensors file" in message or "It may be cut off" in message


def test_a_header_of_a_terabyte_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = _header(tmp_path / "a.safetensors", {}, length=2**40)
    assert "its header would have 1099511627776 bytes" in _refused(path)


def test_a_tensor_of_ten_gigabytes_that_are_not_there_is_refused(tmp_path: Path) -> None:
    entry = {"dtype": "F32", "shape": [50000, 50000], "data_offsets": [0, 10**10]}
    assert "would end at byte 100000000" in _refused(
        _header(tmp_path / "a.safetensors", {"x": entry})
    )


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}, "and 8 bytes"),
        ({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}, "cannot be read"),
        ({"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]}, "cannot be read"),
        ({"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 8]}, "and 8 bytes"),
        ({"dtype": "F9", "shape": [2], "data_offsets": [0, 8]}, "numbers of type 'F9'"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}, "bytes"),
        ({"dtype": "F32", "data_offsets": [0, 8]}, "cannot be read"),
        ([], "cannot be read"),
    ],
)
def test_a_wrong_entry_of_a_header_is_said(entry: Any, said: str, tmp_path: Path) -> None:
    assert said in _refused(_header(tmp_path / "a.safetensors", {"x": entry}, bytes(16)))


def test_tensors_that_overlap_are_refused(tmp_path: Path) -> None:
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    other = {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}
    assert "x and y share bytes" in _refused(
        _header(tmp_path / "a.safetensors", {"x": entry, "y": other}, bytes(12))
    )


@pytest.mark.parametrize("header", [b"[" * 100_000, b"{not json", b"\xff\xfe" * 9, b"[]"])
def test_a_header_that_is_no_json_object_is_said(header: bytes, tmp_path: Path) -> None:
    assert "its header is not JSON" in _refused(_header(tmp_path / "a.safetensors", header))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_named(value: float, tmp_path: Path) -> None:
    arrays = small_models.bert()
    name = "bert.encoder.layer.1.attention.self.key.weight"
    arrays[name][2, 3] = value
    folder = small_models.write(tmp_path, arrays, small_models.BERT_CONFIG)
    assert f"{name} holds NaN or infinity" in _refused(folder)


@pytest.mark.parametrize(
    ("name", "shape", "said"),
    [
        ("bert.encoder.layer.1.attention.self.key.weight", (15, 14), "must be (15, 15)"),
        ("bert.encoder.layer.0.attention.self.query.weight", (15,), "must be a matrix"),
        (
            "bert.encoder.layer.0.attention.self.query.weight",
            (16, 15),
            "which 3 heads do not divide",
        ),
        ("bert.encoder.layer.0.attention.self.query.bias", (14,), "must be (15,)"),
        ("bert.embeddings.LayerNorm.weight", (14,), "must be (15,)"),
        ("bert.embeddings.position_embeddings.weight", (29, 13), ""),
    ],
)
def test_wrong_shapes_are_said(
    name: str, shape: tuple[int, ...], said: str, tmp_path: Path
) -> None:
    arrays = small_models.bert()
    arrays[name] = np.zeros(shape, dtype=np.float32)
    assert said in _refused(small_models.write(tmp_path, arrays, small_models.BERT_CONFIG))


def test_a_layer_that_is_missing_is_named(tmp_path: Path) -> None:
    arrays = small_models.bert(layers=3)
    del arrays["bert.encoder.layer.1.attention.self.query.weight"]
    assert "layer.1.attention.self.query.weight is missing" in _refused(
        small_models.write(tmp_path, arrays, small_models.BERT_CONFIG)
    )


@pytest.mark.parametrize(
    "config", ['{"num_attention_heads": "many"}', '{"num_attention_heads": -3}', "[1]", "{"]
)
def test_a_wrong_config_is_said(config: str, good: Path) -> None:
    (good.parent / "config.json").write_text(config)
    done = run("inspect", str(good))
    assert done.returncode == 2
    assert "config" in done.stderr


class _Harm:
    """Pickles as a call that writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return open, (str(self.path), "w")


def test_a_pickle_with_code_is_refused_and_its_code_not_run(tmp_path: Path) -> None:
    torch = peer("torch")
    harm = tmp_path / "harm"
    torch.save({"x": _Harm(harm)}, tmp_path / "zip.bin")
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(_Harm(harm)))
    for name in ("zip.bin", "plain.pt"):
        message = _refused(tmp_path / name)
        assert "nothing else is unpickled" in message
        assert "`weights_only` set to `False`" not in message  # torch's advice would run the code
    assert not harm.exists()


def test_a_damaged_torch_file_is_said(tmp_path: Path) -> None:
    torch = peer("torch")
    torch.save({"x": torch.zeros(1000)}, tmp_path / "a.pt")
    data = (tmp_path / "a.pt").read_bytes()
    (tmp_path / "a.pt").write_bytes(data[: len(data) // 2])
    assert "is a damaged archive" in _refused(tmp_path / "a.pt")


@pytest.mark.parametrize("name", ["../../outside/x.txt", "/outside/x", "a\\..\\..\\x", "C:/x"])
def test_an_archive_that_points_outside_is_refused(name: str, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "slip.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(good, "model.safetensors")
        archive.writestr(name, "anything")
    assert "points outside of the archive" in _refused(path)
    assert not (tmp_path.parent / "outside").exists()


def test_an_entry_that_unpacks_to_far_more_than_it_has_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.safetensors", bytes(2**25))
    assert "which is refused" in _refused(tmp_path / "bomb.zip")


def test_an_archive_with_damaged_bytes_is_said(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(good, "model.safetensors")
    data = bytearray(path.read_bytes())
    data[200:260] = bytes(60)
    path.write_bytes(data)
    assert "is a damaged archive" in _refused(path)


def test_an_archive_with_several_models_asks_which(good: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.write(good, "a/x.safetensors")
        archive.write(good, "b/y.safetensors")
    assert "has several models: a/x.safetensors, b/y.safetensors" in _refused(tmp_path / "two.zip")
    assert (
        run(
            "inspect", str(tmp_path / "two.zip"), "--member", "b/y.safetensors", "--heads", "3"
        ).returncode
        == 0
    )


@pytest.mark.parametrize(
    "damage",
    ["short", "counts", "version", "string", "numbers", "texts", "nested", "offset", "kind"],
)
def test_a_damaged_gguf_file_is_said(damage: str, tmp_path: Path) -> None:
    peer("gguf")
    start = {
        "short": b"GGUF\x03\x00",
        "counts": b"GGUF" + struct.pack("<IQQ", 3, 2**50, 2**50),
        "version": b"GGUF" + struct.pack("<IQQ", 9, 1, 1),
        "string": b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**60) + bytes(64),
        # arrays of 2^40 numbers and texts, and arrays in arrays without an end
        "numbers": b"GGUF" + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"a", 9, 0, 2**40) + bytes(64),
        "texts": b"GGUF" + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"a", 9, 8, 2**40) + bytes(64),
        "nested": b"GGUF"
        + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"a", 9)
        + struct.pack("<IQ", 9, 1) * 5000,
        "offset": b"GGUF" + struct.pack("<IQQQ1sIQIQ", 3, 1, 0, 1, b"a", 1, 4, 0, 2**63),
        "kind": b"GGUF" + struct.pack("<IQQQ1sIQIQ", 3, 1, 0, 1, b"a", 1, 4, 99, 0) + bytes(64),
    }
    path = tmp_path / "a.gguf"
    path.write_bytes(start[damage])
    assert "GGUF" in _refused(path)


def test_a_gguf_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    gguf = peer("gguf")
    path, whole = tmp_path / "a.gguf", tmp_path / "whole.gguf"
    writer = gguf.GGUFWriter(whole, "llama")
    writer.add_token_list([f"token {i}" for i in range(100)])  # is stepped over
    writer.add_array("some", list(range(100)))
    writer.add_head_count(2)
    for name in ("attn_q", "attn_k"):
        writer.add_tensor(f"blk.0.{name}.weight", np.ones((8, 8), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    data = whole.read_bytes()
    tensors = open_tensors(whole)
    assert tensors.config["llama.attention.head_count"] == 2
    np.testing.assert_array_equal(tensors.read("blk.0.attn_k.weight"), np.ones((8, 8)))
    for kept in range(4, len(data) - 32, 16):  # the last bytes may be filling
        path.write_bytes(data[:kept])
        with pytest.raises(regard.InvalidModel, match="is a damaged GGUF file"):
            open_tensors(path)


def test_a_damaged_onnx_file_is_said(tmp_path: Path) -> None:
    peer("onnx")
    path = tmp_path / "a.onnx"
    path.write_bytes(b"\x08\x09" + b"\xff" * 100)
    assert "damaged ONNX" in _refused(path)


def test_an_onnx_file_that_reads_files_elsewhere_is_refused(tmp_path: Path) -> None:
    peer("onnx")
    from onnx import TensorProto, helper, save

    (tmp_path / "secret").write_bytes(bytes(900))
    folder = tmp_path / "model"
    folder.mkdir()
    tensor = TensorProto(
        name="bert.encoder.layer.0.attention.self.query.weight", dims=[15, 15], data_type=1
    )
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "../secret"), ("length", "900")):
        tensor.external_data.add(key=key, value=value)
    graph = helper.make_graph([], "g", [], [], [tensor])
    save(helper.make_model(graph), folder / "model.onnx")
    model = regard.models.formats.open_tensors(folder / "model.onnx")
    with pytest.raises(regard.InvalidModel, match="which is not a file beside it"):
        model.read(tensor.name)


def test_a_file_of_something_else_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello, this is no model at all")
    assert "is neither safetensors, GGUF, ONNX" in _refused(tmp_path / "notes.txt")
