"""Which tests need programs from outside, and one folder that all processes of a run share."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.util import find_spec

import pytest

# Modules that import torch, which only comparisons need; the tests that use them are skipped too.
collect_ignore_glob = [] if find_spec("torch") else ["answers/code/*_torch.py", "models/torch_*.py"]

BROWSERS = {"browser", "chromium"}  # fixtures that start one


def pytest_configure(config: pytest.Config) -> None:
    """Give the processes of one run a folder in common, for what takes long and is made once."""
    if not hasattr(config, "workerinput"):  # the first process; the others inherit the variable
        os.environ["REGARD_TESTS_SHARED"] = tempfile.mkdtemp(prefix="regard-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove that folder."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["REGARD_TESTS_SHARED"], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens a browser as `tools`; tests that start other programs say so themselves."""
    for item in items:
        if BROWSERS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.tools)
