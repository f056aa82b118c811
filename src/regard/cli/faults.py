"""What the command says where code fails that should not: for whoever can mend it."""

from __future__ import annotations

import traceback


def told(fault: Exception) -> str:
    """Return one line: it is regard's own fault, or in which line of a package's kind it is."""
    from regard.problems.registry import packages

    brought = {package: kind for kind, package in packages().items() if package[:7] != "regard."}
    for frame, line in reversed(list(traceback.walk_tb(fault.__traceback__))):
        module = str(frame.f_globals.get("__name__"))
        for package, kind in brought.items():
            if f"{module}.".startswith(f"{package}."):
                return f"kind {kind}: {module} failed in line {line}: {fault!r}"
    return f"regard failed, and that is a fault of its own: {fault!r}"
