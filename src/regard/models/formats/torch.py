"""What torch wrote: a zip with a pickle in it. Only tensors are unpickled, never code."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import InvalidModel
from regard.models.tensors import Entry, Tensors

NESTED = ("state_dict", "model_state_dict", "model", "module")
_DTYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16",
           "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8",
           "bool": "BOOL"}  # fmt: skip


def _reason(error: Exception) -> str:
    """Return what torch says in a line, without its advice to unpickle everything."""
    text = str(error)
    if found := re.search(r"GLOBAL ([\w.]+)", text):
        return f"it would call {found[1]}"
    if "Weights only load failed" in text:
        return "its pickle is damaged or holds other things"
    return text.splitlines()[0][:200].rstrip(".") if text else type(error).__name__


def read_torch(path: Path) -> Tensors:
    """Open a .bin or .pt file through `torch.load(weights_only=True)`, mapped where it can be."""
    try:
        import torch
    except ModuleNotFoundError:
        raise InvalidModel(
            f"{path}: is a file of torch, which is not installed: pip install 'regard[peers]'. "
            f"A safetensors file of the same model needs no torch."
        ) from None

    found: Any = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            try:
                found = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
            except RuntimeError:  # the old format cannot be mapped
                found = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # torch has no error of its own for a damaged file
            raise InvalidModel(
                f"{path}: torch reads no tensors from it, and nothing else is unpickled: "
                f"{_reason(error)}."
            ) from None
    for name in NESTED:
        if isinstance(found, Mapping) and isinstance(found.get(name), Mapping):
            found = found[name]
    if not isinstance(found, Mapping):
        raise InvalidModel(f"{path}: holds a {type(found).__name__}, and not tensors by name.")
    tensors = {
        str(name): tensor
        for name, tensor in found.items()
        if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided
    }

    def load(name: str) -> NDArray[Any]:
        tensor = tensors[name].detach()
        if tensor.dtype == torch.bfloat16:
            tensor = tensor.float()
        return np.asarray(tensor.contiguous().numpy())

    return Tensors(
        str(path),
        "torch",
        {
            name: Entry(tuple(tensor.shape), _DTYPES.get(str(tensor.dtype)[6:], str(tensor.dtype)))
            for name, tensor in tensors.items()
        },
        load,
        raw=lambda name: (
            tensors[name].detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes()
        ),
    )
