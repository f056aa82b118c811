"""The same small models in every format: what comes out is what went in."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from models import small_models
from peers.required import peer
from regard.models.forward import passes

IDS = np.array([3, 17, 5, 11, 3, 17, 22, 0])


def _output(model: Any) -> np.ndarray:
    *_, last = passes(model, IDS)
    return np.asarray(last.output)


@pytest.fixture
def bert_folder(tmp_path: Path) -> Path:
    return small_models.write(tmp_path / "bert", small_models.bert(), small_models.BERT_CONFIG)


def test_a_file_finds_the_config_beside_it(bert_folder: Path) -> None:
    by_folder, by_file = (
        regard.models.load(bert_folder),
        regard.models.load(bert_folder / "model.safetensors"),
    )
    np.testing.assert_array_equal(_output(by_folder), _output(by_file))


def test_only_what_is_looked_at_is_read(bert_folder: Path) -> None:
    model = regard.models.load(bert_folder)
    read = []
    load = model.tensors.load
    object.__setattr__(model.tensors, "load", lambda name: (read.append(name), load(name))[1])
    model.head(1, 0).matrices()
    assert {name.split(".")[3] for name in read} == {"1"}
    assert len(read) == 8  # four matrices, four biases


def test_bfloat16_is_the_upper_half_of_float32(tmp_path: Path) -> None:
    torch, library = peer("torch"), peer("safetensors.torch")
    state = {name: torch.from_numpy(x).bfloat16() for name, x in small_models.bert().items()}
    library.save_file(state, tmp_path / "model.safetensors")
    model = regard.models.load(tmp_path, config=small_models.BERT_CONFIG)
    for name, x in state.items():
        np.testing.assert_array_equal(model.tensors.read(name), x.float().numpy())


def test_a_model_in_several_files_is_one(tmp_path: Path, bert_folder: Path) -> None:
    from safetensors.numpy import save_file

    arrays = small_models.bert()
    names = sorted(arrays)
    shards = {"a-1.safetensors": names[::2], "a-2.safetensors": names[1::2]}
    for file, part in shards.items():
        save_file({name: arrays[name] for name in part}, tmp_path / file)
    places = {name: file for file, part in shards.items() for name in part}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    (tmp_path / "config.json").write_text(json.dumps(small_models.BERT_CONFIG))
    model = regard.models.load(tmp_path)
    np.testing.assert_array_equal(_output(model), _output(regard.models.load(bert_folder)))
    head = regard.Head(*np.ones((2, 15, 5)), np.eye(15))
    done = regard.models.graft(model, 0, 0, head, tmp_path / "joined.safetensors")
    again = regard.models.load(done.path)
    name = "bert.encoder.layer.1.output.dense.weight"
    np.testing.assert_array_equal(again.tensors.read(name), arrays[name])


def _split(folder: Path) -> Path:
    """Write BERT as torch does in two files with an index; return the folder."""
    torch = peer("torch")
    arrays = small_models.bert()
    names = sorted(arrays)
    parts = {"pytorch_model-1.bin": names[::2], "pytorch_model-2.bin": names[1::2]}
    folder.mkdir(exist_ok=True)
    for file, part in parts.items():
        torch.save({name: torch.from_numpy(arrays[name]) for name in part}, folder / file)
    places = {name: file for file, part in parts.items() for name in part}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": places}))
    (folder / "config.json").write_text(json.dumps(small_models.BERT_CONFIG))
    return folder


def test_a_model_of_torch_in_several_files_is_one_also_in_an_archive(
    tmp_path: Path, bert_folder: Path
) -> None:
    folder = _split(tmp_path / "split")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"in/{path.name}")
    wanted = _output(regard.models.load(bert_folder))
    for place in (folder, folder / "pytorch_model.bin.index.json", tmp_path / "a.zip"):
        np.testing.assert_array_equal(_output(regard.models.load(place)), wanted)


def test_the_only_model_below_a_folder_is_found(tmp_path: Path) -> None:
    small_models.write(tmp_path / "package/data/model", small_models.bert(), {})
    inner = tmp_path / "package/data/model"
    (inner / "training_args.bin").write_bytes(b"no tensors")
    model = regard.models.load(tmp_path, config=small_models.BERT_CONFIG)
    assert model.architecture.family == "bert"
    small_models.write(tmp_path / "package/other", small_models.gpt2(), {})
    with pytest.raises(regard.InvalidModel, match="has several files of tensors: package/"):
        regard.models.load(tmp_path, config={"num_attention_heads": 3})


def test_of_several_models_the_only_one_with_known_heads_is_taken(
    tmp_path: Path, bert_folder: Path
) -> None:
    from safetensors.numpy import save_file

    save_file({"lstm": np.ones((2, 2))}, tmp_path / "lstm.safetensors")
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.write(tmp_path / "lstm.safetensors", "in/lstm/model.safetensors")
        archive.write(bert_folder / "model.safetensors", "in/bert/model.safetensors")
        archive.write(bert_folder / "config.json", "in/bert/config.json")
    found = regard.models.load(tmp_path / "a.whl")
    assert found.tensors.source.endswith("a.whl/in/bert/model.safetensors")


@pytest.mark.parametrize("old", [False, True])
def test_torch_files_of_either_kind_are_read(old: bool, tmp_path: Path, bert_folder: Path) -> None:
    torch = peer("torch")
    state = {name: torch.from_numpy(x) for name, x in small_models.bert().items()}
    torch.save({"state_dict": state}, tmp_path / "model.pt", _use_new_zipfile_serialization=not old)
    model = regard.models.load(tmp_path / "model.pt", config=small_models.BERT_CONFIG)
    np.testing.assert_array_equal(_output(model), _output(regard.models.load(bert_folder)))


def test_an_archive_is_read_where_it_lies(bert_folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("model.safetensors", "config.json"):
            archive.write(bert_folder / name, f"package/data/{name}")
        archive.writestr("package/other.bin.txt", "no model")
    model = regard.models.load(tmp_path / "a.whl")
    np.testing.assert_array_equal(_output(model), _output(regard.models.load(bert_folder)))
    assert model.tensors.source.endswith("a.whl/package/data/model.safetensors")
    unpacked = Path(model.tensors.keep.path)
    assert unpacked.exists()
    del model
    assert not unpacked.exists()


@pytest.mark.parametrize(("kind", "atol"), [("F32", 0), ("F16", 1e-3), ("Q8_0", 1e-2)])
def test_gguf_of_llama_is_the_same_model_with_its_rows_moved(
    kind: str, atol: float, tmp_path: Path
) -> None:
    gguf = peer("gguf")
    arrays = small_models.llama(d=32, d_head=32, kv_heads=2, bias=False, norms=False)
    arrays = {
        n: np.pad(x, ((0, 1), (0, 0)))
        if n.endswith(("gate_proj.weight", "up_proj.weight"))
        else np.pad(x, ((0, 0), (0, 1)))
        if n.endswith("down_proj.weight")
        else x
        for n, x in arrays.items()
    }
    wanted = _output(
        regard.models.load(small_models.write(tmp_path / "hf", arrays, small_models.LLAMA_CONFIG))
    )
    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "llama")
    writer.add_block_count(2)
    writer.add_head_count(6)
    writer.add_head_count_kv(2)
    writer.add_rope_freq_base(500.0)
    writer.add_layer_norm_rms_eps(1e-6)
    names = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
             "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
             "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}  # fmt: skip
    for name, x in arrays.items():
        parts = name.split(".")
        if name == "model.embed_tokens.weight":
            target = "token_embd.weight"
        elif name == "model.norm.weight":
            target = "output_norm.weight"
        else:
            target = f"blk.{parts[2]}.{names[parts[-2]]}.weight"
        if parts[-2] in ("q_proj", "k_proj"):  # as llama.cpp's converter moves them
            heads = len(x) // 32
            x = np.ascontiguousarray(
                x.reshape(heads, 2, 16, x.shape[1]).swapaxes(1, 2).reshape(x.shape)
            )
        quantised = gguf.GGMLQuantizationType[kind if x.ndim == 2 else "F32"]
        writer.add_tensor(target, gguf.quants.quantize(x, quantised), raw_dtype=quantised)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    model = regard.models.load(tmp_path / "model.gguf")
    assert model.architecture.n_kv_heads == 2
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(_output(model), wanted, atol=max(atol, 1e-5) * scale * 3)


def _onnx_bert(path: Path, arrays: small_models.Arrays) -> None:
    """Write the first products of BERT's layers as torch's exporter does: matrices without names."""
    from onnx import TensorProto, helper, numpy_helper, save

    nodes, constants = [], []

    def constant(name: str, x: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(x), name))
        return name

    table = constant(
        "bert.embeddings.word_embeddings.weight", arrays["bert.embeddings.word_embeddings.weight"]
    )
    nodes.append(helper.make_node("Gather", [table, "ids"], ["x0"]))
    count = 0
    x = "x0"
    outputs = []
    for i in range(2):
        for place in ("attention.self.query", "attention.self.key", "attention.self.value",
                      "attention.output.dense", "intermediate.dense", "output.dense"):  # fmt: skip
            name = f"bert.encoder.layer.{i}.{place}"
            count += 1
            source = "x0" if place != "output.dense" else f"y{count - 1}"
            matrix = constant(f"onnx::MatMul_{count}", arrays[f"{name}.weight"].T)
            bias = constant(f"{name}.bias", arrays[f"{name}.bias"])
            nodes.append(
                helper.make_node("MatMul", [source, matrix], [f"p{count}"], name=f"/{name}/MatMul")
            )
            nodes.append(helper.make_node("Add", [bias, f"p{count}"], [f"y{count}"]))
            outputs.append(f"y{count}")
    assert x == "x0"
    for name, x_ in arrays.items():
        if "LayerNorm" in name or "position" in name or "token_type" in name:
            constant(name, x_)
    graph = helper.make_graph(
        nodes, "bert", [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "n"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs], constants,
    )  # fmt: skip
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def test_onnx_matrices_get_the_names_of_their_biases(tmp_path: Path, bert_folder: Path) -> None:
    peer("onnx")
    _onnx_bert(tmp_path / "model.onnx", small_models.bert())
    model = regard.models.load(tmp_path / "model.onnx", config=small_models.BERT_CONFIG)
    np.testing.assert_allclose(_output(model), _output(regard.models.load(bert_folder)), atol=1e-6)


@pytest.mark.parametrize("per_channel", [False, True])
def test_dynamically_quantised_onnx_is_dequantised(per_channel: bool, tmp_path: Path) -> None:
    peer("onnxruntime")
    from onnxruntime.quantization import QuantType, quantize_dynamic

    arrays = small_models.bert()
    _onnx_bert(tmp_path / "float.onnx", arrays)
    quantize_dynamic(
        tmp_path / "float.onnx",
        tmp_path / "model.onnx",
        per_channel=per_channel,
        weight_type=QuantType.QInt8,
    )
    import onnx

    kinds = {node.op_type for node in onnx.load(tmp_path / "model.onnx").graph.node}
    assert "MatMulInteger" in kinds
    (tmp_path / "float.onnx").unlink()
    model = regard.models.load(tmp_path / "model.onnx", config=small_models.BERT_CONFIG)
    for part in ("query", "value"):
        name = f"bert.encoder.layer.1.attention.self.{part}.weight"
        step = np.abs(arrays[name]).max() / 127
        np.testing.assert_allclose(model.tensors.read(name), arrays[name], atol=step)
    name = "bert.embeddings.word_embeddings.weight"
    step = 2 * np.abs(arrays[name]).max() / 127
    np.testing.assert_allclose(model.tensors.read(name), arrays[name], atol=step)


@pytest.mark.parametrize("form", ["QDQ", "QOperator"])
def test_statically_quantised_onnx_is_dequantised(form: str, tmp_path: Path) -> None:
    onnx = peer("onnx")
    peer("onnxruntime")
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        left = 2

        def get_next(self) -> Any:
            self.left -= 1
            return {"ids": np.arange(20)[None]} if self.left >= 0 else None

    arrays = small_models.bert()
    _onnx_bert(tmp_path / "float.onnx", arrays)
    graph = onnx.load(tmp_path / "float.onnx")
    for i, node in enumerate(graph.graph.node):
        node.name = f"node {i}"  # so that names of biases are all there is to go by
    onnx.save(graph, tmp_path / "float.onnx")
    quantize_static(
        tmp_path / "float.onnx", tmp_path / "model.onnx", Reader(), quant_format=QuantFormat[form]
    )
    (tmp_path / "float.onnx").unlink()
    model = regard.models.load(tmp_path / "model.onnx", config=small_models.BERT_CONFIG)
    for place in ("attention.self.query", "attention.output.dense", "intermediate.dense"):
        for end in ("weight", "bias"):
            name = f"bert.encoder.layer.1.{place}.{end}"
            step = 2 * np.abs(arrays[name]).max() / 127
            np.testing.assert_allclose(model.tensors.read(name), arrays[name], atol=step)


def test_an_own_mapping_makes_any_names_a_model(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    arrays = small_models.gpt2()
    wanted = _output(
        regard.models.load(small_models.write(tmp_path / "g", arrays, small_models.GPT2_CONFIG))
    )
    save_file(
        {
            name.replace("transformer.h", "stack").replace("transformer.", "in "): x
            for name, x in arrays.items()
        },
        tmp_path / "own.safetensors",
    )
    parts = {"qkv": "attn.c_attn", "output": "attn.c_proj", "attention_norm": "ln_1", "mlp_norm": "ln_2",
             "mlp_up": "mlp.c_fc", "mlp_down": "mlp.c_proj"}  # fmt: skip
    tensors = {"token_embedding": "in wte.weight", "position_embedding": "in wpe.weight"}
    for part, place in parts.items():
        tensors |= {
            part: f"stack.{{layer}}.{place}.weight",
            f"{part}_bias": f"stack.{{layer}}.{place}.bias",
        }
    mapping = {
        "heads": 3,
        "causal": True,
        "transposed": True,
        "activation": "gelu_new",
        "tensors": tensors,
    }
    (tmp_path / "mapping.json").write_text(json.dumps(mapping))
    with pytest.raises(regard.InvalidModel, match="A mapping file can say which is which"):
        regard.models.load(tmp_path / "own.safetensors")
    model = regard.models.load(tmp_path / "own.safetensors", mapping=tmp_path / "mapping.json")
    np.testing.assert_array_equal(_output(model), wanted)
    tensors["query_"] = "x"
    (tmp_path / "mapping.json").write_text(json.dumps(mapping))
    with pytest.raises(
        regard.InvalidModel, match=r"'query_' is no part. There are: token_embedding, "
    ):
        regard.models.load(tmp_path / "own.safetensors", mapping=tmp_path / "mapping.json")


def test_albert_layers_share_their_tensors_and_whisper_reads_no_tokens(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    rng = np.random.default_rng(1)
    whisper = {
        "model.encoder.embed_positions.weight": (37, 8),
        "model.encoder.layers.0.self_attn.q_proj.bias": (8,),
    }
    for place in ("q_proj", "k_proj", "v_proj", "out_proj"):
        whisper[f"model.encoder.layers.0.self_attn.{place}.weight"] = (8, 8)
    for norm in ("weight", "bias"):
        whisper[f"model.encoder.layers.0.self_attn_layer_norm.{norm}"] = (8,)
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in whisper.items()}
    save_file(arrays, tmp_path / "w.safetensors")
    model = regard.models.load(tmp_path / "w.safetensors", config={"encoder_attention_heads": 2})
    assert model.architecture.family == "whisper"
    found = regard.models.inspect(model)
    assert (found.n, found.heads[0].content_share) == (37, None)
    with pytest.raises(regard.ParameterError, match="its encoder reads sound, not tokens"):
        regard.models.inspect(model, "repeated")
    # By hand: positions through the norm, the query's bias, no bias of the key.
    x = arrays["model.encoder.embed_positions.weight"].astype(float)
    x = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    p = "model.encoder.layers.0."
    x = x * arrays[f"{p}self_attn_layer_norm.weight"] + arrays[f"{p}self_attn_layer_norm.bias"]
    q = x @ arrays[f"{p}self_attn.q_proj.weight"].T + arrays[f"{p}self_attn.q_proj.bias"]
    k = x @ arrays[f"{p}self_attn.k_proj.weight"].T
    scores = q[:, 4:] @ k[:, 4:].T / 2
    wanted = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        found.heads[1].pattern, wanted / wanted.sum(axis=1, keepdims=True), atol=1e-5
    )
