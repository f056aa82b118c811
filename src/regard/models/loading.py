"""`regard.models.load`: a file, a folder or an archive in, a model out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard.errors import ParameterError
from regard.models.families import recognise
from regard.models.families.mapping import read_mapping
from regard.models.formats import open_tensors
from regard.models.model import Model

__all__ = ["load"]


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
        member: which file of an archive or folder with several models.

    Raises:
        InvalidModel: it cannot be read, is damaged, or is no model that is known here. No code in a
            file is ever run.
    """
    if not isinstance(path, str | Path):
        raise ParameterError(f"load: path must be a path. Got {type(path).__name__}.")
    if config is not None and not isinstance(config, Mapping):
        raise ParameterError(f"load: config must be a dict. Got {type(config).__name__}.")
    tensors = open_tensors(Path(path), member)
    if config:
        tensors = dataclasses.replace(tensors, config={**tensors.config, **config})
    found = recognise(tensors) if mapping is None else read_mapping(Path(mapping), tensors)
    return Model(tensors, found)
