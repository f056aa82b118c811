"""Packages that regard is compared with and never needs."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def peer(name: str) -> ModuleType:
    """Import a package, or skip the test module that asks for it at its top.

    Where REGARD_REQUIRE_PEERS is set the comparisons have to happen, and a missing
    package is a failure. One that is there and cannot be imported always is.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
    sentence = f"compares with {name}, which is not installed: `make peers` installs it"
    if os.environ.get("REGARD_REQUIRE_PEERS"):
        pytest.fail(f"{sentence}, and REGARD_REQUIRE_PEERS is set", pytrace=False)
    pytest.skip(sentence, allow_module_level=True)
