"""The walks of DESIGN.md: a run enters the files in the order in which they are listed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import regard
from regard.checking import check
from regard.problems import load, to_toml
from regard.solving import solve

SOURCE = Path(regard.__file__).parent
DESIGN = (Path(__file__).parents[1] / "DESIGN.md").read_text("utf-8")
WALKS = re.findall(r"^\*\*(One [a-z ]+)\*\*.*?:\n\n((?:\d+\. .*\n(?:   .*\n)*)+)", DESIGN, re.M)
FUNCTION = 1  # the flag of code that is a function, and not the body of a class or a module


def attended(file: Path) -> None:
    regard.attention(np.ones((3, 2)), np.ones((5, 2)), np.ones((5, 7)))


def solved(file: Path) -> None:
    str(solve(file))


def checked(file: Path) -> None:
    str(check(file, {"block": "[[1, 0], [0, 1]]", "off_block": "[[0, 0], [0, 0]]"}))


def written(folder: Path) -> Path:
    """A file, since bundled problems are read once only."""
    place = folder / "look-back.toml"
    place.write_text(to_toml(load("look-back-exactly")), "utf-8")
    return place


RUNS = {
    "One call of attention": attended,
    "One problem solved": solved,
    "One answer checked": checked,
}


def entered(run: Callable[[], None]) -> list[str]:
    """The files whose functions are called, in the order of their first call."""
    found: dict[str, None] = {}

    def look(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        inside = code.co_flags & FUNCTION and not code.co_name.startswith("<")
        if event == "call" and inside and code.co_filename.startswith(str(SOURCE)):
            found.setdefault(str(Path(code.co_filename).relative_to(SOURCE)))

    sys.setprofile(look)
    run()
    sys.setprofile(None)
    return list(found)


def test_there_are_three_walks() -> None:
    assert [name for name, _ in WALKS] == list(RUNS)


@pytest.mark.parametrize(("name", "listed"), WALKS, ids=[name for name, _ in WALKS])
def test_a_run_enters_the_files_of_a_walk_in_order(name: str, listed: str, tmp_path: Path) -> None:
    files = re.findall(r"^\d+\. `([^`]+)`", listed, re.M)
    assert 5 <= len(files) <= 10
    for file in files:
        assert (SOURCE / file).is_file(), file
    # In a process of its own, in which nothing is remembered, and where everybody can read.
    done = subprocess.run(
        [sys.executable, __file__, name, str(tmp_path)],
        env=os.environ | {"REGARD_KERNEL": "numpy"},
        capture_output=True,
        text=True,
        check=True,
    )
    seen = done.stdout.splitlines()
    assert [file for file in seen if file in files] == files


if __name__ == "__main__":
    place = written(Path(sys.argv[2]))
    print("\n".join(entered(lambda: RUNS[sys.argv[1]](place))))
