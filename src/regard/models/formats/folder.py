"""A folder as Hugging Face lays it out: config.json beside tensors, in one file or several."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from regard.errors import InvalidModel
from regard.models.tensors import Tensors

__all__ = ["read_folder", "with_config"]

INDEX = "model.safetensors.index.json"
FIRST = ("model.safetensors", "pytorch_model.bin", "model.onnx")
ENDINGS = (".safetensors", ".gguf", ".onnx", ".bin", ".pt", ".pth")
MOST_JSON = 2**26


def read_folder(folder: Path, member: str | None = None) -> Tensors:
    """Open the model in a folder; `member` names its file where there are several."""
    if member is not None:
        from regard.models.formats import open_file

        chosen = (folder / member).resolve()
        if folder.resolve() not in chosen.parents or not chosen.is_file():
            raise InvalidModel(f"{folder}: has no file {member!r}.")
        return with_config(open_file(chosen), chosen.parent)
    if (folder / INDEX).is_file():
        return with_config(_shards(folder), folder)
    from regard.models.formats import open_file

    there = sorted(
        path.name for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file()
    )
    usual = [name for name in FIRST if name in there]
    if usual or len(there) == 1:
        return with_config(open_file(folder / (usual or there)[0]), folder)
    if not there:
        raise InvalidModel(f"{folder}: has no file of tensors ({', '.join(ENDINGS)}).")
    raise InvalidModel(
        f"{folder}: has several files of tensors: {', '.join(there[:6])}. Name one with member=…"
    )


def with_config(tensors: Tensors, folder: Path) -> Tensors:
    """Add what a config.json in the folder says; what the file itself says goes before it."""
    path = folder / "config.json"
    if not path.is_file():
        return tensors
    return dataclasses.replace(tensors, config={**read_json(path), **tensors.config})


def read_json(path: Path) -> dict[str, Any]:
    """Read an object of JSON, or say that it is none."""
    try:
        if path.stat().st_size > MOST_JSON:
            raise ValueError
        found = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError, OSError):
        found = None
    if not isinstance(found, dict):
        raise InvalidModel(f"{path}: is no JSON object.")
    return found


def _shards(folder: Path) -> Tensors:
    """Join the files that an index names."""
    from regard.models.formats.safetensors import read_safetensors

    places = read_json(folder / INDEX).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(x, str) for x in places.values()):
        raise InvalidModel(f"{folder / INDEX}: has no weight_map.")
    files = {}
    for name in sorted(set(places.values())):
        path = folder / name
        if Path(name).name != name or not path.is_file():
            raise InvalidModel(f"{folder / INDEX}: names {name[:80]!r}, which is not beside it.")
        files[name] = read_safetensors(path)
    for tensor, name in places.items():
        if tensor not in files[name]:
            raise InvalidModel(f"{folder / name}: has no tensor {tensor!r}, which the index names.")

    def raw(tensor: str) -> bytes:
        fetch = files[places[tensor]].raw
        assert fetch is not None
        return fetch(tensor)

    return Tensors(
        str(folder),
        "safetensors",
        {tensor: files[name].entries[tensor] for tensor, name in places.items()},
        lambda tensor: files[places[tensor]].load(tensor),
        raw=raw,
    )
