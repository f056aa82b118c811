"""Public names of a package that are found when first used.

`from regard.design.positions.offset import offset` runs `regard/design/__init__.py` first. If that
imported every design, each of them would wait for all. The names stand once, in the stub
`__init__.pyi` beside it: `from regard.design.positions.offset import offset as offset`. Checkers of
types and editors read it there, and so does `lazy_names`.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from typing import Any, cast


def lazy_names(
    package: str,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package with a stub.

    Args:
        package: its name; its `__init__.py` is running.
    """
    homes = _homes(package)

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # so that it is looked for once
        return found

    return find, lambda: sorted({*vars(sys.modules[package]), *homes}), sorted(homes)


def _homes(package: str) -> dict[str, str]:
    """Return the module of each name in the stub, which may also be in a zip file."""
    module = sys.modules[package]
    stub = f"{module.__path__[0]}/__init__.pyi"
    text = cast(SourceFileLoader, module.__loader__).get_data(stub)
    return {
        alias.name: str(node.module)
        for node in ast.parse(text, stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
