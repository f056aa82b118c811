"""`regard.models.export`: designed heads for other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from regard.errors import ParameterError
from regard.models.exporting.heads import as_multihead
from regard.models.exporting.state_dict import state_dict
from regard.shapes import choice

__all__ = ["export"]

ENDINGS = {".safetensors": "safetensors", ".onnx": "onnx", ".npz": "numpy", ".pt": "torch"}


def export(heads: Any, to: Any, *, dtype: str = "float64") -> Any:
    """Give heads to another library: as a file, or as what that library takes.

    Args:
        heads: a HeadDesign, a PositionalDesign, a Head, a MultiHead, or a list of heads of one
            shape.
        to: a path that ends in .safetensors, .onnx, .npz or .pt; or "torch", "onnx" or "numpy" for
            the thing itself.
        dtype: "float64" or "float32". Scores of designs are often large: in float32 a weight may be
            off by 1e-7 times the largest score.

    Returns:
        The path that was written, or
        "torch": the state dict of `nn.MultiheadAttention(d_model, n_heads, batch_first=True)`, and
        .safetensors and .pt hold the same;
        "onnx": an `onnx.ModelProto` with the operator Attention of opset 23, x (batch, n, d_model)
        to y (batch, n, d_out);
        "numpy": a dict of W_Q, W_K (n_heads, d_model, d_k), W_V, W_O and biases, and the scale.

    The output is that of the heads as they are called: positions are part of x.

    Example:
        >>> import numpy as np, regard
        >>> head = regard.Head(np.eye(2), np.eye(2), np.eye(2), scale=1)
        >>> sorted(regard.models.export(head, "numpy"))
        ['W_K', 'W_Q', 'W_V', 'scale']
    """
    choice("export", "dtype", dtype, ("float32", "float64"))
    many = as_multihead("export", heads)
    if isinstance(to, str) and to in ("torch", "onnx", "numpy"):
        return _thing(many, to, dtype)
    if not isinstance(to, str | Path) or Path(to).suffix not in ENDINGS:
        raise ParameterError(
            f"export: to must be 'torch', 'onnx', 'numpy' or a path that ends in "
            f"{', '.join(ENDINGS)}. Got {to!r}."
        )
    path = Path(to)
    kind = ENDINGS[path.suffix]
    if kind == "numpy":
        np.savez(path, **_thing(many, kind, dtype))
    elif kind == "onnx":
        path.write_bytes(_thing(many, kind, dtype).SerializeToString())
    elif kind == "torch":
        import torch

        torch.save(_thing(many, kind, dtype), path)
    else:
        from regard.models.formats.safetensors import write_safetensors

        arrays = {name: x.astype(dtype) for name, x in state_dict(many).items()}
        said = {"format": "pt", "regard.heads": str(len(many.W_Q))}
        names = {"float32": "F32", "float64": "F64"}
        write_safetensors(
            path,
            {name: (names[dtype], x.shape, x.tobytes) for name, x in arrays.items()},
            said,
        )
    return path


def _thing(heads: Any, kind: str, dtype: str) -> Any:
    if kind == "numpy":
        names = ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")
        found = {name: getattr(heads, name) for name in names}
        arrays = {name: x.astype(dtype) for name, x in found.items() if x is not None}
        return {**arrays, "scale": np.array(heads.scale)}
    if kind == "onnx":
        from regard.models.exporting.onnx_model import onnx_model

        return onnx_model(heads, dtype)
    try:
        import torch
    except ModuleNotFoundError:
        raise ParameterError(
            "export: 'torch' needs torch: pip install 'regard[peers]'. "
            "A path that ends in .safetensors does not."
        ) from None
    return {name: torch.from_numpy(x.astype(dtype)) for name, x in state_dict(heads).items()}
