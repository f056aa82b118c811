"""One browser and one server for all tests of the lab; each test has a page of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lab.browsing import Lab, running_browser, running_lab


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    with running_lab() as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        yield found
