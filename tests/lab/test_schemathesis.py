"""The description of the questions against what the server does, by somebody else's program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab.browsing import Lab, needs, required

needs("httpx", "fastapi")

import httpx  # noqa: E402

EXAMPLES = os.environ.get("REGARD_FUZZ_EXAMPLES", "200")  # of each question


@pytest.mark.slow
def test_schemathesis_finds_no_answer_that_the_description_does_not_have(
    lab: Lab, tmp_path: Path
) -> None:
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    tool = shutil.which("schemathesis", path=places)
    if tool is None:
        required("needs schemathesis: pip install 'regard[fuzz]'")
    schema = tmp_path / "openapi.json"
    schema.write_bytes(httpx.get(f"{lab.base}/openapi.json", headers=lab.cookie).content)
    run = subprocess.run(
        [str(tool), "run", str(schema), "--url", lab.base, "-H", f"Cookie: {lab.cookie['Cookie']}",
         "--max-examples", EXAMPLES, "--phases", "examples,coverage,fuzzing", "--seed", "1",
         "--request-timeout", "60", "--no-color"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    assert lab.process.poll() is None
