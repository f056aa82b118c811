"""What is built from the sources has all it needs."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_file_of_the_kernel_in_c_is_part_of_the_sdist() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        (extension,) = tomllib.load(file)["tool"]["setuptools"]["ext-modules"]
    there = {str(path.relative_to(ROOT)) for path in ROOT.glob("src/regard/**/csrc/*.[ch]")}
    assert there == {*extension["sources"], *extension["depends"]}
