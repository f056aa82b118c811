"""What the doctor says of packages that regard works with and does not need."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from regard.cli.doctor import _table
from regard.cli.optional_parts import broken, extras_sentence, version


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package ml_dtypes that is installed and cannot be loaded."""
    (tmp_path / "ml_dtypes.py").write_text("raise OSError('[lib] is not here')")
    about = tmp_path / "ml_dtypes-9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ml_dtypes\nVersion: 9.9\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    for name in [one for one in sys.modules if one.split(".")[0] == "ml_dtypes"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.usefixtures("damaged")
def test_a_package_that_cannot_be_loaded_is_no_longer_called_fine() -> None:
    assert version("ml_dtypes") == "9.9"
    assert version("torch") is None  # not on this path
    assert broken() == {"ml_dtypes": "OSError: [lib] is not here"}


def test_the_table_says_what_is_broken_and_what_is_not_installed() -> None:
    found = {
        **{"regard": "1", "python": "3", "numpy": "2", "blas": [], "kernel": "numpy"},
        **{"instruction_set": None, "threads": 1, "correct": True, "largest_error": 0.0},
        "box": {"stopped": {}, "layers": {}, "sentence": "", "unusable": ""},
        "optional": {"torch": None, "jax": "1.0", "ml_dtypes": "9.9"},
        "broken": {"ml_dtypes": "OSError: [lib] is not here"},
        "extras": {"lab": {"fastapi": None}},
    }
    columns = [list(column.cells) for column in _table(found).columns]
    said = dict(zip(*columns, strict=True))
    assert said["torch"] == "not installed (with it, tensors come in and go out as tensors)"
    assert said["jax"] == "1.0: arrays come in and go out as arrays"
    broken_one = "9.9 is installed and cannot be loaded: OSError: \\[lib] is not here"
    assert said["ml_dtypes"] == broken_one  # what would be markup is text


def test_extras_that_are_not_whole_are_told_with_the_command_that_installs_them() -> None:
    found = {"lab": {"fastapi": "1", "uvicorn": None, "websockets": None}, "mcp": {"mcp": "2"}}
    assert extras_sentence(found) == (
        "installed: mcp\nlab: not installed (uvicorn, websockets): pip install 'regard[lab]'"
    )
