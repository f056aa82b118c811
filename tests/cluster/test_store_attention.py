from __future__ import annotations

import itertools
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from cluster.processes import run
from regard.cluster import attention
from regard.cluster.key_stores import plan as planning
from regard.cluster.key_stores.partial_attention import Asked, Pass, attend, join
from regard.core import reference
from regard.errors import ParameterError, ShapeError

RULES: list[dict[str, Any]] = [
    {},
    {"is_causal": True, "causal_offset": 51},
    {"window": (17, 5), "causal_offset": 40},
    {"key_lengths": np.array([101, 29])},
    {"softcap": 2.0, "scale": 0.7},
    {"is_causal": True, "causal_offset": np.array([3, -2]), "key_lengths": np.array([7, 0])},
]


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, Any, str, str]:
    """Queries, keys and values in memory, and the last two as files; blocks of a few rows each."""
    monkeypatch.setattr(planning, "LARGEST", 4000)
    rng = np.random.default_rng(3)
    query, key, value = (
        rng.standard_normal(shape) for shape in ((2, 6, 5, 7), (2, 3, 101, 7), (2, 3, 101, 11))
    )
    np.save(tmp_path / "key.npy", key)
    np.save(tmp_path / "value.npy", value)
    return query, key, value, str(tmp_path / "key.npy"), str(tmp_path / "value.npy")


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_output_lse_and_statistics_are_those_of_the_reference(
    stores: Any, rules: dict[str, Any]
) -> None:
    query, key, value, key_file, value_file = stores
    found = attention(
        query, key_file, value_file, top=3, offsets=(1, 0, -4), columns=(100, 0, 57), **rules
    )
    assert found.rows < 20  # several blocks
    expected = reference.attention(query, key, value, None, **rules)
    weights = expected.weights
    np.testing.assert_allclose(found.output, expected.output, rtol=1e-12, atol=1e-13)
    # Statistics out of the matrix of weights, by their definitions.
    seen = found.statistics
    with np.errstate(all="ignore"):
        entropy = -np.sum(np.where(weights > 0, weights * np.log(weights), 0), axis=-1)
    np.testing.assert_allclose(seen.entropy, entropy, rtol=1e-11, atol=1e-12)
    order = np.argsort(-weights, axis=-1, kind="stable")[..., :3]
    top = np.take_along_axis(weights, order, axis=-1)
    np.testing.assert_allclose(seen.top_weights, top, rtol=1e-11)
    np.testing.assert_array_equal(seen.top_keys, np.where(top > 0, order, -1))
    np.testing.assert_allclose(seen.peak, weights.max(axis=-1), rtol=1e-11)
    np.testing.assert_array_equal(seen.argmax, seen.top_keys[..., 0])
    np.testing.assert_allclose(seen.column_mass, weights[..., [100, 0, 57]], rtol=1e-11)
    offset = np.broadcast_to(np.asarray(rules.get("causal_offset", 0)), 2)
    for b, i, t in np.ndindex(2, 5, 3):
        j = i + offset[b] - (1, 0, -4)[t]
        wanted = weights[b, :, i, j] if 0 <= j < 101 else np.zeros(6)
        np.testing.assert_allclose(seen.offset_mass[b, :, i, t], wanted, rtol=1e-11)


def test_keys_that_no_query_may_attend_to_are_not_read(stores: Any) -> None:
    query, _, _, key_file, value_file = stores
    found = attention(query, key_file, value_file, window=(17, 5), causal_offset=40)
    assert found.keys_read == 17 + 5 + 5  # five queries, each with its window
    nothing = attention(query, key_file, value_file, key_lengths=np.array([0, 0]), top=2)
    assert nothing.keys_read == 0
    assert not nothing.output.any()
    assert np.isneginf(nothing.lse).all()
    assert (nothing.statistics.top_keys == -1).all()


def test_parts_joined_in_any_order_are_the_same_to_rounding(stores: Any) -> None:
    query, key, value, *_ = stores
    asked = Asked(3, (1,), (57,))
    cuts = [0, 13, 14, 60, 101]
    parts = [
        attend(query, key[..., a:b, :], value[..., a:b, :], a, Pass(b - a, {}, asked))
        for a, b in itertools.pairwise(cuts)
    ]
    forward = join(join(join(parts[0], parts[1]), parts[2]), parts[3])
    tree = join(join(parts[3], parts[1]), join(parts[2], parts[0]))
    np.testing.assert_array_max_ulp(forward.state.output, tree.state.output, maxulp=4)
    np.testing.assert_array_equal(forward.described.top_keys, tree.described.top_keys)
    np.testing.assert_allclose(forward.described.entropy, tree.described.entropy, rtol=1e-14)


def test_equal_keys_in_different_blocks_come_in_the_order_of_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(planning, "LARGEST", 300)
    rng = np.random.default_rng(5)
    key = np.repeat(rng.standard_normal((1, 13)), 97, axis=0).astype(np.float32)
    key[[20, 71, 5]] = rng.standard_normal(13).astype(np.float32)
    query = key[[20]] * 3
    value = np.ones((97, 2), np.float32)
    for _ in range(2):
        found = attention(query, key.astype(np.float64), value, top=5).statistics
        assert found.top_keys.tolist() == [[5, 20, 71, 0, 1]]
    whole = attention(query, key, value, top=5)
    np.testing.assert_array_equal(whole.statistics.top_keys, [[5, 20, 71, 0, 1]])


def test_the_entropy_keeps_its_digits_where_one_key_has_nearly_all_the_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(planning, "LARGEST", 24)
    scores = np.array([[0.0], [60.0], [1.0], [0.0], [0.0]])
    with np.errstate(all="raise"):
        found = attention(
            [[1.0]],
            scores.astype(np.float32),
            np.ones((5, 1), np.float32),
            scale=1,
            statistics=True,
        )
    from mpmath import mp

    with mp.workdps(50):
        terms = [mp.exp(x) for x in (0, 60, 1, 0, 0)]
        shares = [t / mp.fsum(terms) for t in terms]
        entropy = -mp.fsum(p * mp.log(p) for p in shares)
    np.testing.assert_allclose(found.statistics.entropy, [float(entropy)], rtol=1e-6)
    assert float(entropy) < 1e-23


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", ">f4"])
def test_other_dtypes_are_computed_as_attention_computes_them(
    tmp_path: Path, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LARGEST", 3000)
    rng = np.random.default_rng(9)
    query, key, value = (
        (4 * rng.standard_normal(s)).astype(dtype) for s in ((3, 5), (211, 5), (211, 7))
    )
    np.save(tmp_path / "key.npy", key)
    found = attention(query, tmp_path / "key.npy", value)
    expected = regard.attention(query, key, value)
    assert found.output.dtype == expected.dtype
    tolerance = {"float16": 1e-3, "int32": 1e-13}.get(dtype, 2e-6)
    np.testing.assert_allclose(found.output, expected, rtol=tolerance, atol=tolerance)


def test_memory_mapped_arrays_are_read_from_their_files(stores: Any) -> None:
    query, key, value, key_file, value_file = stores
    mapped = [np.load(file, mmap_mode="r") for file in (key_file, value_file)]
    found = attention(query, *mapped)
    np.testing.assert_allclose(found.output, regard.attention(query, key, value), rtol=1e-12)
    part = attention(
        query, mapped[0][..., 50:, :], mapped[1][..., 50:, :]
    )  # not where the file begins
    np.testing.assert_allclose(
        part.output, regard.attention(query, key[..., 50:, :], value[..., 50:, :]), rtol=1e-12
    )


def test_arrays_of_zarr_are_read_chunk_by_chunk(tmp_path: Path) -> None:
    program = """
import sys
import numpy as np, regard, regard.cluster, zarr
rng = np.random.default_rng(2)
query, key, value = (rng.standard_normal(s) for s in ((3, 5), (1009, 5), (1009, 7)))
for name, array in (("key", key), ("value", value)):
    made = zarr.create_array(f"{sys.argv[1]}/{name}.zarr", shape=array.shape, chunks=(53, array.shape[1]), dtype=array.dtype)
    made[:] = array
for given in ([f"{sys.argv[1]}/{name}.zarr" for name in ("key", "value")], [zarr.open_array(f"{sys.argv[1]}/{name}.zarr") for name in ("key", "value")]):
    found = regard.cluster.attention(query, *given, memory="12.2MiB")
    np.testing.assert_allclose(found.output, regard.attention(query, key, value), rtol=1e-12)
    print(found.rows % 53, found.rows < 1009)
try:
    regard.cluster.attention(query, *given, memory="12.02MiB")
except regard.ParameterError as error:
    print(error)
try:
    regard.cluster.attention(query, zarr.open_group(f"{sys.argv[1]}/group.zarr", mode="w"), value)
except regard.ParameterError as error:
    print(error)
"""
    done = run(program, tmp_path)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["0 True"] * 2, done.stderr
    assert "(a chunk of the store has 53 rows)" in lines[2]
    assert lines[3] == "cluster.attention: key is a Group of Zarr. Need one of its arrays."


def test_progress_is_told_by_keys_and_ends_with_all_of_them(stores: Any) -> None:
    query, _, _, key_file, value_file = stores
    told: list[tuple[int, int]] = []
    attention(query, key_file, value_file, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (101, 101)
    assert len(told) > 5


def test_a_bar_is_drawn_where_it_is_asked_for(
    stores: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    query, _, _, key_file, value_file = stores
    attention(query, key_file, value_file, progress=True)
    assert "attention over 101 keys" in capsys.readouterr().err
    attention(query, key_file, value_file)  # no terminal, no bar
    assert capsys.readouterr().err == ""


def _wrong(tmp_path: Path) -> list[tuple[dict[str, Any], type[Exception], str]]:
    ones = np.ones((6, 4))
    np.save(tmp_path / "columns.npy", np.asfortranarray(np.ones((6, 4))))
    np.save(tmp_path / "words.npy", np.array([["a"] * 4] * 6))
    np.save(tmp_path / "good.npy", ones)
    (tmp_path / "text.npy").write_text("keys")
    data = (tmp_path / "good.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(data[:-8])
    return [
        ({"key": tmp_path / "nowhere.npy"}, ParameterError, "nowhere.npy: no such file or directory."),
        ({"key": tmp_path / "columns.npy"}, ParameterError, "is stored column by column"),
        ({"key": tmp_path / "words.npy"}, ParameterError, "key has dtype <U1. Need float16"),
        ({"key": tmp_path / "text.npy"}, ParameterError, "text.npy: is no .npy file."),
        ({"key": tmp_path / "cut.npy"}, ParameterError, "cut.npy: is shorter than its header says."),
        ({"key": None}, ParameterError, "cluster.attention: key is None. Need a .npy file"),
        ({"key": np.ones(4)}, ParameterError, "key needs at least 2 axes (..., n_k, width). Got (4,)."),
        ({"key": np.ones((6, 3))}, ShapeError, "cluster.attention: key does not match query in d_k (3 vs 4)."),
        ({"value": np.ones((5, 4))}, ShapeError, "value does not match key in n_k (5 vs 6)."),
        ({"memory": "512 parrots"}, ParameterError, "memory must be a number of bytes, or words such as '512MiB'"),
        ({"memory": "1kB"}, ParameterError, "is not enough: 6 queries need"),
        ({"columns": 3}, ParameterError, "columns must be a list of whole numbers. Got 3."),
        ({"offsets": "12"}, ParameterError, "offsets must be a list of whole numbers. Got '12'."),
        ({"statistics": "no"}, ParameterError, "statistics must be True or False. Got 'no'."),
        ({"columns": [6]}, ParameterError, "columns must lie between 0 and n_k - 1 = 5. Got 6."),
        ({"key_lengths": 7}, ParameterError, "key_lengths must lie between 0 and n_k = 6. Got 7."),
    ]  # fmt: skip


@pytest.mark.parametrize("case", range(16))
def test_what_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path, case: int) -> None:
    given, error, sentence = _wrong(tmp_path)[case]
    arguments = {"query": np.ones((6, 4)), "key": np.ones((6, 4)), "value": np.ones((6, 4))} | given
    with pytest.raises(error) as refused:
        attention(**arguments)
    assert sentence in str(refused.value)


def test_the_memory_that_is_said_to_be_enough_is(tmp_path: Path) -> None:
    ones = np.ones((6, 4))
    np.save(tmp_path / "ones.npy", ones)
    with pytest.raises(ParameterError) as refused:
        attention(ones, tmp_path / "ones.npy", tmp_path / "ones.npy", memory="1MiB")
    enough = str(refused.value).split("Allow ")[1].split(",")[0]
    found = attention(ones, tmp_path / "ones.npy", tmp_path / "ones.npy", memory=enough)
    np.testing.assert_allclose(found.output, ones)


MEMORY = """
import re, sys
import numpy as np, regard.cluster
def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)", open("/proc/self/status").read())[1])
folder, memory, n_q, top = sys.argv[1:]
width = np.load(folder + "/key.npy", mmap_mode="r").shape[1]
rng = np.random.default_rng(0)
query = rng.standard_normal((int(n_q), width)).astype(np.float32)
regard.cluster.attention(query[:2, :1], query[:, :1], query[:, :1], top=int(top))  # loads what it needs
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
found = regard.cluster.attention(query, folder + "/key.npy", folder + "/value.npy", memory=memory, top=int(top))
print((kilobytes("VmHWM") - before) / 1024, found.rows)
np.save(folder + "/output.npy", found.output)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux tells it")
@pytest.mark.parametrize(
    ("memory", "n_q", "top"),
    [
        (24, 3, 0),
        pytest.param(60, 701, 0, marks=pytest.mark.slow),
        pytest.param(60, 301, 5, marks=pytest.mark.slow),
    ],
)
def test_the_process_stays_within_the_memory_allowed(
    tmp_path: Path, memory: int, n_q: int, top: int
) -> None:
    n = 200_003  # with 64 wide keys and values, 102 MB
    rng = np.random.default_rng(4)
    key, value = (rng.standard_normal((n, 64)).astype(np.float32) for _ in range(2))
    np.save(tmp_path / "key.npy", key)
    np.save(tmp_path / "value.npy", value)
    done = run(MEMORY, tmp_path, f"{memory}MiB", n_q, top)
    assert done.returncode == 0, done.stderr
    used, rows = done.stdout.split()
    assert float(used) <= memory
    assert int(rows) < n / 4
    query = np.random.default_rng(0).standard_normal((n_q, 64)).astype(np.float32)
    expected = regard.attention(query, key, value)
    np.testing.assert_allclose(np.load(tmp_path / "output.npy"), expected, atol=1e-6)


@pytest.mark.slow
def test_ten_million_keys_of_width_64_take_512_mebibytes_and_are_attended_to_exactly(
    tmp_path: Path,
) -> None:
    import shutil

    n, part = 10**7, 10**6
    if shutil.disk_usage(tmp_path).free < 8e9:
        pytest.skip("needs 8 GB of free disk for a store of 5 GB")
    try:
        for name in ("key", "value"):
            file = np.lib.format.open_memmap(tmp_path / f"{name}.npy", "w+", np.float32, (n, 64))
            rng = np.random.default_rng(sum(name.encode()))
            for start in range(0, n, part):
                file[start : start + part] = rng.standard_normal((part, 64), dtype=np.float32)
            del file
        done = run(MEMORY, tmp_path, "512MiB", 8, 0)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout.split()[0]) <= 512
        query = np.random.default_rng(0).standard_normal((8, 64)).astype(np.float32)
        key, value = (np.load(tmp_path / f"{x}.npy", mmap_mode="r") for x in ("key", "value"))
        # A slice of what was asked, in memory and in float64: the first two queries and all keys.
        total, sums = np.zeros(2), np.zeros((2, 64))
        for start in range(0, n, part):
            scores = (
                query[:2].astype(np.float64) @ key[start : start + part].T.astype(np.float64) / 8
            )
            terms = np.exp(scores - 8)
            total, sums = total + terms.sum(axis=1), sums + terms @ value[start : start + part]
        found = np.load(tmp_path / "output.npy")
        np.testing.assert_allclose(found[:2], sums / total[:, None], atol=1e-6)
        few = attention(query, key[:part], value[:part], memory="512MiB")
        np.testing.assert_allclose(
            few.output, regard.attention(query, key[:part], value[:part]), atol=1e-6
        )
    finally:
        for name in ("key", "value"):
            (tmp_path / f"{name}.npy").unlink(missing_ok=True)


def test_arrays_are_read_while_another_thread_is_loading_masked_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "numpy.ma", types.ModuleType("numpy.ma"))
    np.testing.assert_array_equal(regard.arrays.take("f", "x", [[1.0, 2.0]]).array, [[1.0, 2.0]])
