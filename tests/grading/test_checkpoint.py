"""The checkpoint: what is whole is kept, what is torn is cut off."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from regard.errors import ParameterError
from regard.grading.checkpoint import NAME, Checkpoint


def filled(folder: Path, count: int) -> bytes:
    with Checkpoint(folder) as known:
        for i in range(count):
            known.add(f"key{i}", json.dumps({"number": i}).encode())
    return (folder / NAME).read_bytes()


def test_records_are_there_when_it_is_opened_again(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    with Checkpoint(tmp_path) as known:
        assert known.get("key2") == {"number": 2}
        assert "key3" not in known
        assert known.get("key3") is None


def test_wherever_it_is_cut_the_whole_lines_are_kept(tmp_path: Path) -> None:
    data = filled(tmp_path, 3)
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    for cut in range(len(data)):
        (tmp_path / NAME).write_bytes(data[:cut])
        with Checkpoint(tmp_path) as known:
            whole = sum(end <= cut for end in ends)
            assert [f"key{i}" in known for i in range(3)] == [i < whole for i in range(3)]
            known.add("new", b'{"number":9}')
        with Checkpoint(tmp_path) as known:
            assert known.get("new") == {"number": 9}


def test_a_damaged_line_ends_what_is_believed(tmp_path: Path) -> None:
    data = filled(tmp_path, 3)
    (tmp_path / NAME).write_bytes(data.replace(b'"number": 1', b'"number": 7'))
    with Checkpoint(tmp_path) as known:
        assert "key0" in known
        assert "key1" not in known
        assert "key2" not in known


def test_two_runs_cannot_use_one_folder(tmp_path: Path) -> None:
    with Checkpoint(tmp_path), pytest.raises(ParameterError, match="in use by another run"):
        Checkpoint(tmp_path)


@pytest.mark.parametrize("room", [100, 1000, 3000])
def test_a_full_disk_is_an_error_that_leaves_whole_lines(tmp_path: Path, room: int) -> None:
    # A limit on the size of files fails as a full disk does: a part is written, then an error.
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from regard.errors import ParameterError\n"
        "from regard.grading.checkpoint import Checkpoint\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
        "try:\n"
        f"    with Checkpoint(Path({str(tmp_path)!r})) as known:\n"
        "        for i in range(100): known.add(f'key{i}', b'1' * 90)\n"
        "except ParameterError as error: print(error)\n"
    )
    assert resource.RLIMIT_FSIZE is not None
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == f"grade: {tmp_path / NAME}: cannot be written: file too large.\n"
    data = (tmp_path / NAME).read_bytes()
    assert len(data) <= room
    assert data == b"" or data.endswith(b"\n")
