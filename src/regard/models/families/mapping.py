"""A person's own file that says which tensor plays which part.

heads = 8
causal = true
[tensors]
query = "blocks.{layer}.q.weight"
...
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regard.errors import InvalidModel
from regard.models.architecture import LAYER_PARTS, MODEL_PARTS, Architecture
from regard.models.families.given import count_layers, head_width, matrix_shape
from regard.models.families.rotary_frequencies import rotary_of
from regard.models.tensors import Tensors

__all__ = ["read_mapping"]


class Mapped(BaseModel):
    """The file; every key has the meaning of the field of `Architecture` that it is like."""

    model_config = ConfigDict(extra="forbid")

    heads: int = Field(ge=1, le=4096)
    kv_heads: int | None = Field(default=None, ge=1)
    name: str = "own mapping"
    causal: bool = False
    scale: float | None = Field(default=None, gt=0)
    norm: Literal["layer", "rms", "none"] = "layer"
    norm_eps: float = Field(default=1e-5, gt=0)
    norm_first: bool = True
    activation: str = "gelu"
    positions: Literal["learned", "sinusoidal", "rotary", "relative", "none"] = "learned"
    first_position: int = Field(default=0, ge=0)
    rotary_base: float = Field(default=10000.0, gt=0)
    rotary_layout: Literal["interleaved", "halves"] = "halves"
    rotary_scaling: dict[str, Any] | None = None
    transposed: bool = False
    layers: int | None = Field(default=None, ge=1, le=4096)
    tensors: dict[str, str]


def read_mapping(path: Path, tensors: Tensors) -> Architecture:
    """Return the architecture that a mapping file describes, checked against the tensors.

    Raises:
        InvalidModel: the file cannot be read, or names what the model does not have.
    """
    said = _read(path)
    known = (*MODEL_PARTS, *LAYER_PARTS)
    for part, name in said.tensors.items():
        if part not in known:
            raise InvalidModel(f"{path}: {part!r} is no part. There are: {', '.join(known)}.")
        if part in LAYER_PARTS and "{layer}" not in name and said.layers is None:
            raise InvalidModel(
                f"{path}: {part} must have {{layer}} in its name, or say how many layers share it: "
                f"layers = …"
            )
        if name.replace("{layer}", "0") not in tensors:
            raise InvalidModel(
                f"{path}: {part} names {name.replace('{layer}', '0')!r}, which "
                f"{tensors.source} does not have."
            )
    first = "query" if "query" in said.tensors else "qkv"
    missing = [part for part in (first, "output") if part not in said.tensors]
    if first == "query":
        missing += [part for part in ("key", "value") if part not in said.tensors]
    if missing:
        raise InvalidModel(f"{path}: tensors must name {', '.join(missing)}.")
    return _architecture(said, first, tensors)


def _architecture(said: Mapped, first: str, tensors: Tensors) -> Architecture:
    template = said.tensors[first]
    counted = count_layers(tensors, template) if "{layer}" in template else 1
    n_layers = said.layers or counted
    shape = matrix_shape(tensors, template.replace("{layer}", "0"))
    d_model, width = shape if said.transposed else shape[::-1]
    kv_heads = said.kv_heads or said.heads
    columns = said.heads if first == "query" else said.heads + 2 * kv_heads
    d_head = head_width(tensors, width, columns, first)
    if said.heads % kv_heads:
        raise InvalidModel(f"kv_heads must divide heads = {said.heads}. Got {kv_heads}.")
    rotary = None
    if said.positions == "rotary":
        rotary = rotary_of(
            tensors.source, said.rotary_base, d_head, said.rotary_layout, said.rotary_scaling, 2048
        )
    return Architecture(
        family=said.name,
        n_heads=said.heads,
        n_kv_heads=kv_heads,
        d_model=d_model,
        d_head=d_head,
        tensors=said.tensors,
        stored=tuple(i if counted > 1 else 0 for i in range(n_layers)),
        transposed=said.transposed,
        is_causal=said.causal,
        scale=said.scale,
        norm=said.norm,
        norm_eps=said.norm_eps,
        norm_first=said.norm_first,
        activation=said.activation,
        positions=said.positions,
        first_position=said.first_position,
        rotary=rotary,
        weights_only="" if "mlp_up" in said.tensors else "the mapping names no MLP (mlp_up)",
    )


def _read(path: Path) -> Mapped:
    try:
        text = path.read_text("utf-8")
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        if not isinstance(data, Mapping):
            raise ValueError("it must be a table")
        return Mapped.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidModel(f"{path}: {place}: {first['msg']}.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidModel(f"{path}: cannot be read as a mapping: {error}.") from None
