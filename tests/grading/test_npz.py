"""Archives of arrays: those of NumPy are read as NumPy reads them, others are refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.classroom import archive, header, npy, saved
from regard.errors import InvalidAnswer
from regard.grading.npz import read_npy, read_npz


@pytest.mark.parametrize("dtype", ["<f4", "<f8", "<i4", "<i8", "|b1"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (2, 0, 7), (2, 3, 5)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_read_as_numpy_reads_them(
    dtype: str, shape: tuple[int, ...], order: Any
) -> None:
    rng = np.random.default_rng(3)
    array = np.array(rng.integers(-9, 9, shape), dtype=dtype, order=order)
    found = read_npz(saved(q=array, C=np.float64(2.5)))
    np.testing.assert_array_equal(found["q"], array, strict=True)
    assert found["C"] == 2.5


def test_compressed_archives_are_read_too() -> None:
    out = io.BytesIO()
    np.savez_compressed(out, q=np.zeros((40, 50)))
    assert read_npz(out.getvalue())["q"].shape == (40, 50)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is no array of NumPy."),
        (npy(header("(3,)", "|O"), bytes(24)), "holds '|O'"),
        (npy(header("(3,)", ">f8"), bytes(24)), "holds '>f8'"),
        (npy(header("(3,)", "|V0")), "holds '|V0'"),
        (npy(header("(1000000000,)"), bytes(8)), "that does not fit its bytes"),
        (npy(header("(3, 3)"), bytes(24)), "that does not fit its bytes"),
        (npy(header("(True, 3)"), bytes(24)), "its header cannot be read."),
        (npy(header("(-1,)"), bytes(24)), "its header cannot be read."),
        (npy("-" * 9000), "its header cannot be read."),
        (npy(header("(99999999999999999999,)")), "its header cannot be read."),
        (npy(header("(" + "1, " * 30 + ")"), bytes(8)), "that does not fit its bytes"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "its header claims 4294967295 bytes."),
        (b"\x93NUMPY\x09\x00\x00\x00", "is no array of NumPy."),
    ],
)
def test_arrays_that_claim_too_much_are_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(InvalidAnswer) as refused:
        read_npy(data)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("members", "method", "sentence"),
    [
        ({f"a{i}.npy": b"" for i in range(33)}, zipfile.ZIP_STORED, "has 33 arrays"),
        ({"a/b.npy": b""}, zipfile.ZIP_STORED, "is no name of an array"),
        ({"q.npy": bytes(9_000_000)}, zipfile.ZIP_STORED, "unpacks to more than 8 MB"),
        ({"q.npy": bytes(2_000_000)}, zipfile.ZIP_DEFLATED, "unpacks to 2000000 bytes: too many"),
        ({"q.npy": bytes(10)}, zipfile.ZIP_BZIP2, "is packed in a way that is not read"),
        ({"q.npy": bytes(10)}, zipfile.ZIP_LZMA, "is packed in a way that is not read"),
    ],
)
def test_archives_are_refused_by_what_they_say_of_themselves(
    tmp_path: Path, members: dict[str, bytes], method: int, sentence: str
) -> None:
    path = tmp_path / "a.npz"
    archive(path, members, method)
    with pytest.raises(InvalidAnswer) as refused:
        read_npz(path.read_bytes())
    assert sentence in str(refused.value)


def test_a_member_that_is_longer_than_it_says_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    archive(path, {"q.npy": npy(header("(10,)"), bytes(80))}, zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    size = (len(npy(header("(10,)"), bytes(80)))).to_bytes(4, "little")
    for _ in range(2):  # in the member's own head and in the directory
        at = data.index(size)
        data[at : at + 4] = (20).to_bytes(4, "little")
    with pytest.raises(InvalidAnswer):
        read_npz(bytes(data))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_archives_are_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(saved(q=np.arange(6.0).reshape(2, 3)))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = read_npz(bytes(whole))
    except InvalidAnswer:
        return
    assert all(array.nbytes < 1000 for array in found.values())
