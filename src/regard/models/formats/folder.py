"""A folder as Hugging Face lays it out: config.json beside tensors, in one file or several."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regard.errors import InvalidModel
from regard.models.tensors import SeveralModels, Tensors

__all__ = ["read_folder", "read_shards", "with_config"]

INDICES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
FIRST = ("model.safetensors", "pytorch_model.bin", "model.onnx")
BESIDE = ("training_args.bin", "optimizer.bin", "optimizer.pt", "scheduler.pt", "scheduler.bin",
          "rng_state.pth", "scaler.pt")  # fmt: skip
ENDINGS = (".safetensors", ".gguf", ".onnx", ".bin", ".pt", ".pth")
MOST_JSON = 2**26
DEEPEST, MOST_FOLDERS = 5, 1000  # looked through for a model, below a folder that has none


def read_folder(folder: Path, member: str | None = None) -> Tensors:
    """Open the model in a folder, or the only one below it, as in an installed package.

    `member` names its file where there are several.
    """
    from regard.models.formats import open_file

    if member is not None:
        chosen = (folder / member).resolve()
        if folder.resolve() not in chosen.parents or not chosen.is_file():
            raise InvalidModel(f"{folder}: has no file {member!r}.")
        return with_config(open_file(chosen), chosen.parent)
    for name in INDICES:
        if (folder / name).is_file():
            return with_config(read_shards(folder / name), folder)
    there = _files(folder)
    usual = [name for name in FIRST if name in there]
    if usual or len(there) == 1:
        return with_config(open_file(folder / (usual or there)[0]), folder)
    if there:
        raise _several(folder, there)
    below = list(_below(folder))
    if len(below) == 1:
        return read_folder(below[0])
    if not below:
        raise InvalidModel(f"{folder}: has no file of tensors ({', '.join(ENDINGS)}).")
    raise _several(
        folder, [str((at / name).relative_to(folder)) for at in below for name in _files(at)]
    )


def _files(folder: Path) -> list[str]:
    """Return the names of files of tensors; what a training run says of itself is none."""
    try:
        return sorted(
            path.name
            for path in folder.iterdir()
            if path.suffix in ENDINGS and path.name not in BESIDE and path.is_file()
        )
    except OSError:
        return []


def _below(folder: Path) -> Iterator[Path]:
    """Give the folders below that have a model; links are not followed."""
    level, seen = [folder], 0
    for _ in range(DEEPEST):
        try:
            level = [
                inner
                for outer in level
                for inner in sorted(outer.iterdir())
                if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith(".")
            ]
        except OSError:
            return
        seen += len(level)
        if seen > MOST_FOLDERS:
            return
        yield from (inner for inner in level if _files(inner))


def _several(folder: Path, names: list[str]) -> SeveralModels:
    return SeveralModels(
        f"{folder}: has several files of tensors: {', '.join(names[:6])}. "
        f"Name one with member=… (--member).",
        names,
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


def read_shards(index: Path) -> Tensors:
    """Join the files that an index names, all beside it."""
    from regard.models.formats import open_file

    folder = index.parent
    places = read_json(index).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(x, str) for x in places.values()):
        raise InvalidModel(f"{index}: has no weight_map.")
    files: dict[str, Tensors] = {}
    for name in sorted(set(places.values())):
        path = folder / name
        if Path(name).name != name or not path.is_file():
            raise InvalidModel(f"{index}: names {name[:80]!r}, which is not beside it.")
        if path.suffix not in ENDINGS:
            raise InvalidModel(f"{index}: names {name[:80]!r}, which is no file of tensors.")
        files[name] = open_file(path)
    for tensor, name in places.items():
        if tensor not in files[name]:
            raise InvalidModel(f"{folder / name}: has no tensor {tensor!r}, which the index names.")
    if not files:
        raise InvalidModel(f"{index}: has no weight_map.")

    def raw(tensor: str) -> bytes:
        fetch = files[places[tensor]].raw
        assert fetch is not None
        return fetch(tensor)

    return Tensors(
        str(folder),
        next(iter(files.values())).format,
        {tensor: files[name].entries[tensor] for tensor, name in places.items()},
        lambda tensor: files[places[tensor]].load(tensor),
        raw=raw if all(one.raw is not None for one in files.values()) else None,
    )
