"""What is built from the sources has all it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("src", "pyproject.toml", "setup.py", "README.md", "LICENSE")


def built(folder: Path, what: str, **environment: str) -> Path:
    """Build a wheel or an sdist from a copy of the sources, without fetching anything."""
    source, out = folder / "source", folder / "out"
    source.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FILES],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, listed)):
        place = source / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((ROOT / name).read_bytes())
    program = (
        "import sys; from setuptools import build_meta; "
        f"print(build_meta.build_{what}(sys.argv[1]))"
    )
    out.mkdir()
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(out)],
        cwd=source,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    (made,) = out.iterdir()
    return made


def test_every_file_of_the_kernel_in_c_is_part_of_the_sdist(tmp_path: Path) -> None:
    there = {path.name for path in ROOT.glob("src/regard/**/csrc/*.[ch]")}
    with tarfile.open(built(tmp_path, "sdist")) as archive:
        packed = {Path(name).name for name in archive.getnames() if "/csrc/" in name}
    assert there
    assert {name for name in packed if name.endswith((".c", ".h"))} == there


def test_a_wheel_for_everyone_has_no_compiled_part_and_computes(tmp_path: Path) -> None:
    wheel = built(tmp_path, "wheel", REGARD_PURE="1")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert not [name for name in names if name.endswith((".so", ".c", ".h"))]
        data = {name for name in names if not name.endswith(".py") and "dist-info" not in name}
        archive.extractall(tmp_path / "installed")
    read = {
        str(path.relative_to(ROOT / "src"))
        for ending in (
            "toml",
            "json",
            "css",
            "js",
            "woff2",
            "txt",
            "typed",
            "svg",
            "html",
            "pyi",
            "tex",
        )
        for path in (ROOT / "src/regard").rglob(f"*.{ending}")
    }
    assert data == read
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import regard; "
        "from regard.core import kernels; "
        "print(kernels.chosen(), regard.attention([[0.0]], [[1.0], [2.0]], [[3.0], [5.0]])[0, 0])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "installed")],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "REGARD_KERNEL"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "numpy 4.0\n"
