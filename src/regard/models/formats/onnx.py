"""ONNX files: weights are constants of a graph, often without a name, sometimes quantised.

`onnx_graph` finds the matrices and the names that they had; this file reads numbers. Nothing of the
graph is ever run.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import InvalidModel
from regard.models.formats.onnx_graph import Weight, find_weights
from regard.models.tensors import Entry, Tensors

MOST_BYTES = 2**31  # a message of protobuf cannot be larger


def read_onnx(path: Path) -> Tensors:
    """Open an ONNX file. Its graph is read at once; arrays are made when asked for."""
    try:
        import onnx
        from onnx import numpy_helper
    except ModuleNotFoundError:
        raise InvalidModel(f"{path}: ONNX needs a package: pip install 'regard[models]'.") from None

    try:
        if path.stat().st_size > MOST_BYTES:
            raise InvalidModel(f"{path}: is larger than an ONNX file can be.")
        graph = onnx.load(str(path), load_external_data=False).graph
    except InvalidModel:
        raise
    except Exception as error:  # protobuf's own errors differ between its versions
        raise InvalidModel(f"{path}: is a damaged ONNX file: {str(error)[:200]}.") from None
    constants = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            constants[node.output[0]] = node.attribute[0].t

    def array(name: str) -> NDArray[Any]:
        tensor = constants[name]
        _check_place(path, tensor)
        try:
            return np.asarray(numpy_helper.to_array(tensor, base_dir=str(path.parent)))
        except Exception as error:
            raise InvalidModel(f"{path}: {name} cannot be read: {str(error)[:200]}.") from None

    shapes = {name: tuple(tensor.dims) for name, tensor in constants.items()}
    weights = find_weights(graph, shapes)

    def load(name: str) -> NDArray[Any]:
        return _numbers(path, weights[name], array)

    return Tensors(
        str(path),
        "onnx",
        {name: Entry(weight.shape, "F32") for name, weight in weights.items()},
        load,
        config={"onnx": True},
    )


def _numbers(path: Path, weight: Weight, array: Any) -> NDArray[Any]:
    """Return a weight as floats in the shape and order that its name promises."""
    found = array(weight.constant)
    if weight.scale is not None:
        scale = np.asarray(array(weight.scale), dtype=np.float32)
        zero = 0 if weight.zero is None else array(weight.zero).astype(np.float32)
        if scale.ndim == 1 and scale.size > 1:  # one for each row or column
            along = [1] * found.ndim
            along[weight.axis] = scale.size
            scale = scale.reshape(along)
            zero = zero if np.ndim(zero) == 0 else np.reshape(zero, along)
        found = (found.astype(np.float32) - zero) * scale
    elif found.dtype.kind not in "fV":
        raise InvalidModel(f"{path}: {weight.constant} has no scale, and holds {found.dtype}.")
    if weight.flipped:
        return found.reshape(weight.shape[::-1]).T
    return found.reshape(weight.shape)


def _check_place(path: Path, tensor: Any) -> None:
    """Refuse a tensor whose bytes are not there, or are in a file outside of the model's folder."""
    if tensor.data_location != 1:
        return
    said = {entry.key: entry.value for entry in tensor.external_data}
    place = (path.parent / said.get("location", "")).resolve()
    if path.parent.resolve() not in place.parents or not place.is_file():
        raise InvalidModel(
            f"{path}: {tensor.name} is in {said.get('location', '')[:80]!r}, which is not a file "
            f"beside it."
        )
    try:
        start, length = (int(said.get(key, "0") or 0) for key in ("offset", "length"))
    except ValueError:
        raise InvalidModel(f"{path}: {tensor.name} does not say where it is in a file.") from None
    if min(start, length) < 0 or start + length > place.stat().st_size:
        raise InvalidModel(f"{path}: {tensor.name} would end after {place.name} does.")
    if length and length > 8 * math.prod(tensor.dims):
        raise InvalidModel(f"{path}: {tensor.name} has {length} bytes for {list(tensor.dims)}.")
