"""What regard works with and does not need: what of it is installed, and what of it loads."""

from __future__ import annotations

import importlib
from importlib import metadata  # slow to load

# What arrays may come from, and what for.
LIBRARIES = {
    "torch": "tensors come in and go out as tensors",
    "jax": "arrays come in and go out as arrays",
    "ml_dtypes": "bfloat16 in NumPy arrays",
}
# The extras that a part of regard needs, with their packages.
EXTRAS = {
    "lab": ("fastapi", "uvicorn", "websockets"),
    "notebook": ("anywidget",),
    "mcp": ("mcp",),
    "models": ("gguf", "onnx", "safetensors"),
    "cluster": ("dask", "distributed"),
}


def version(package: str) -> str | None:
    """Return the version of a package, None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def broken() -> dict[str, str]:
    """Return the libraries that are installed and cannot be loaded, each with the reason."""
    found = {}
    for name in LIBRARIES:
        if version(name) is not None:
            try:
                importlib.import_module(name)
            except Exception as error:  # whatever a package that is damaged raises
                found[name] = f"{type(error).__name__}: {error}"
    return found


def extras() -> dict[str, dict[str, str | None]]:
    """Return for each extra its packages with their versions."""
    return {extra: {one: version(one) for one in packages} for extra, packages in EXTRAS.items()}


def extras_sentence(found: dict[str, dict[str, str | None]]) -> str:
    """Say which extras are whole, and how to get the others."""
    missing = {
        extra: [one for one, seen in packages.items() if seen is None]
        for extra, packages in found.items()
    }
    whole = [extra for extra, lacks in missing.items() if not lacks]
    lines = [f"installed: {', '.join(whole)}"] if whole else []
    lines += [
        f"{extra}: not installed ({', '.join(lacks)}): pip install 'regard[{extra}]'"
        for extra, lacks in missing.items()
        if lacks
    ]
    return "\n".join(lines)
