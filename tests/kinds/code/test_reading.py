"""Files as students write them: other encodings, large notebooks, lines that only notebooks know."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from regard.errors import InvalidAnswer
from regard.kinds.code.reading import MOST_NOTEBOOK, accept
from regard.problems import load

PROBLEM = "rotary-as-a-program"
SOURCE = "def rotary(x, positions):\n    return x  # as is\n"


def read(path: Path) -> tuple[tuple[str, str], ...]:
    cells: tuple[tuple[str, str], ...] = accept(load(PROBLEM), path).fields["file"].cells  # type: ignore[arg-type]
    return cells


def written(path: Path, *cells: str, output: str = "") -> Path:
    data = [{"cell_type": "code", "source": cell, "outputs": [output]} for cell in cells]
    path.write_text(json.dumps({"nbformat": 4, "cells": data}))
    return path


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("latin-1", "latin-1"),
        ("iso-8859-15", "iso-8859-15"),
        ("cp1252", "cp1252"),
        ("utf-8", "utf-8"),
    ],
)
def test_a_file_may_say_its_encoding(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / "mine.py"
    text = f"# -*- coding: {name} -*-\n# façade\n{SOURCE}"
    path.write_bytes(text.encode(encoding))
    assert read(path) == (("mine.py", text),)


@pytest.mark.parametrize("name", ["rot13", "punycode", "utf-7", "unicode_escape", "nonsense"])
def test_strange_encodings_are_not_followed(tmp_path: Path, name: str) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(f"# coding: {name}\n# façade\n".encode("latin-1"))
    with pytest.raises(InvalidAnswer, match="is not text in UTF-8"):
        read(path)


def test_a_mark_and_line_ends_of_other_systems_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"\xef\xbb\xbf" + SOURCE.replace("\n", "\r\n").encode())
    ((_, text),) = read(path)
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(SOURCE))


@pytest.mark.parametrize(
    "magic",
    ["%%time", "%%capture out", "%matplotlib inline", "!pip install numpy", "files = !ls",
     "r = %timeit -o 1", "rotary?", "?rotary", "rotary??"],
)  # fmt: skip
def test_lines_for_notebooks_do_not_cost_the_cell(tmp_path: Path, magic: str) -> None:
    ((_, text),) = read(written(tmp_path / "mine.ipynb", f"{magic}\n{SOURCE}"))
    assert any(isinstance(node, ast.FunctionDef) for node in ast.parse(text).body)
    lines = text.splitlines()
    assert lines.index("def rotary(x, positions):") == 1  # errors tell the line of the cell


def test_cells_for_other_programs_are_left_out(tmp_path: Path) -> None:
    cells = ("%%bash\nls", "%%writefile a.py\nx = 1", SOURCE)
    assert read(written(tmp_path / "mine.ipynb", *cells)) == (("cell 3", SOURCE),)


def test_pictures_in_a_notebook_may_be_large(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.ipynb", SOURCE, output="x" * 3_000_000)
    assert read(path) == (("cell 1", SOURCE),)
    written(path, SOURCE, output="x" * MOST_NOTEBOOK)
    with pytest.raises(InvalidAnswer, match="is larger than 10000 kB"):
        read(path)
