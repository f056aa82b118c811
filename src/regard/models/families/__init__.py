"""Architectures, one file each: names and shapes in, `Architecture` out."""

from __future__ import annotations

from importlib import import_module

from regard.errors import InvalidModel
from regard.models.architecture import Architecture
from regard.models.tensors import Tensors

FAMILIES = ("albert", "bert", "gpt2", "t5", "whisper", "llama", "llama_gguf", "keras_encoder",
            "multihead_attention")  # fmt: skip


def recognise(tensors: Tensors) -> Architecture:
    """Return the architecture that the names and shapes of a file show.

    Raises:
        InvalidModel: no family here has such names.
    """
    for name in FAMILIES:
        found: Architecture | None = import_module(f"{__name__}.{name}").recognise(tensors)
        if found is not None:
            return found
    some = ", ".join(sorted(tensors.entries)[:3]) or "none"
    raise InvalidModel(
        f"{tensors.source}: no known architecture has such tensors ({some} …). "
        f"A mapping file can say which is which: see docs/models.md."
    )
