"""Public names of a package that are found when first used.

`from regard.design.positions.offset import offset` runs `regard/design/__init__.py` first. If that
imported every design, each of them would wait for all.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, places: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are in modules below it.

    Args:
        package: its name.
        places: for each module below it the names that it holds, with blanks between them.
    """
    homes = {name: module for module, names in places.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)  # so that it is looked for once
        return found

    return find, lambda: sorted({*vars(sys.modules[package]), *homes})
