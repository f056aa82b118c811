"""`regard.models.load`: a file, a folder or an archive in, a model out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard.errors import InvalidModel, ParameterError
from regard.models.families import recognise
from regard.models.families.mapping import read_mapping
from regard.models.formats import open_tensors
from regard.models.model import Model
from regard.models.tensors import SeveralModels

__all__ = ["load"]

MOST_TRIED = 8


def load(
    path: Any,
    *,
    mapping: Any = None,
    config: Mapping[str, Any] | None = None,
    member: str | None = None,
) -> Model:
    """Open a model; its tensors are read when they are looked at.

    Args:
        path: a .safetensors, .gguf, .onnx, .bin or .pt file, a folder with one (and a config.json),
            or a wheel or zip with one.
        mapping: a file (TOML or JSON) that says which tensor plays which part, for models that are
            not recognised; docs/models.md describes it.
        config: what a config.json would say, such as {"num_attention_heads": 12}; goes before it.
        member: which file of an archive or folder with several models; without it, the only one
            whose heads are known here.

    Raises:
        InvalidModel: it cannot be read, is damaged, or is no model that is known here. No code in a
            file is ever run.
    """
    if not isinstance(path, str | Path):
        raise ParameterError(f"load: path must be a path. Got {type(path).__name__}.")
    if config is not None and not isinstance(config, Mapping):
        raise ParameterError(f"load: config must be a dict. Got {type(config).__name__}.")
    try:
        tensors = open_tensors(Path(path), member)
    except SeveralModels as several:
        if mapping is not None or len(several.members) > MOST_TRIED:
            raise
        only = _only_known(path, config, several.members)
        if only is None:
            raise
        return only
    if config:
        tensors = dataclasses.replace(tensors, config={**tensors.config, **config})
    found = recognise(tensors) if mapping is None else read_mapping(Path(mapping), tensors)
    return Model(tensors, found)


def _only_known(path: Any, config: Mapping[str, Any] | None, members: list[str]) -> Model | None:
    """Return the one model among several that has heads that are known here, or None."""
    found = []
    for member in members:
        try:
            found.append(load(path, config=config, member=member))
        except InvalidModel:
            continue
    return found[0] if len(found) == 1 else None
