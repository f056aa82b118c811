"""What goes through the pipes: JSON behind its length, with arrays as dtype, shape and base64.

Nothing that comes out of the box is ever unpickled or evaluated; lengths, types and shapes are
checked before anything is made of them.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from typing import Any

MOST_BYTES = 32_000_000  # of one frame
MOST_ITEMS = 16  # of a tuple or list that is no array
MOST_TEXT = 200  # characters of a text that is returned
LARGEST = 2**53  # a whole number from here on is no number of float64
DTYPES = {"bool": 1, "int32": 4, "int64": 8, "float16": 2, "float32": 4, "float64": 8}


def frame(data: Any) -> bytes:
    """Return data as JSON, with its length in front."""
    text = json.dumps(data).encode()
    return struct.pack(">I", len(text)) + text


def length(head: bytes) -> int:
    """Return the length that four bytes say; ValueError where it is too large."""
    (size,) = struct.unpack(">I", head)
    if size > MOST_BYTES:
        raise ValueError(f"a message of {size} bytes")
    return int(size)


def encode(value: Any) -> Any:
    """Return arrays, numbers, truth values, texts, None and tuples of them as plain data."""
    if value is None or isinstance(value, bool | str):
        return {"plain": value if not isinstance(value, str) else value[:MOST_TEXT]}
    if isinstance(value, int) and abs(value) < LARGEST:
        return {"plain": value}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, tuple) or (isinstance(value, list) and not _numbers(value)):
        return {"tuple": [encode(item) for item in value[:MOST_ITEMS]]}
    return _array(value)


def _numbers(value: list[Any]) -> bool:
    import numpy as np

    try:
        return np.asarray(value).dtype.name in DTYPES
    except (ValueError, TypeError, RuntimeError):
        return False


def _array(value: Any) -> Any:
    import numpy as np

    if type(value).__module__.split(".")[0] == "torch":
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = value.numpy()
    array = np.asarray(value)
    if array.dtype.name not in DTYPES:
        return {"other": f"{type(value).__name__} of {array.dtype}"[:80]}
    if array.nbytes > MOST_BYTES // 2:
        return {"other": f"an array of shape {array.shape}"[:80]}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"array": array.dtype.name, "shape": list(array.shape), "data": data}


def decode(data: Any, depth: int = 0) -> Any:
    """Return the value that plain data stands for; ValueError where it stands for none."""
    if not isinstance(data, dict) or depth > 3:
        raise ValueError("no value")
    if "plain" in data:
        value = data["plain"]
        if isinstance(value, str):
            return value[:MOST_TEXT]
        if isinstance(value, int) and abs(value) >= LARGEST:
            raise ValueError("too large a number")
        if value is not None and not isinstance(value, bool | int):
            raise ValueError("no plain value")
        return value
    if "float" in data:
        return _decoded_float(data["float"])
    if "other" in data:
        return Other(str(data["other"])[:80])
    if "tuple" in data:
        items = data["tuple"]
        if not isinstance(items, list) or len(items) > MOST_ITEMS:
            raise ValueError("no tuple")
        return tuple(decode(item, depth + 1) for item in items)
    return _decoded_array(data)


def _decoded_float(text: Any) -> float:
    try:
        return float.fromhex(text) if isinstance(text, str) else math.nan
    except OverflowError:
        raise ValueError("too large a number") from None


def _decoded_array(data: dict[str, Any]) -> Any:
    import numpy as np

    name, shape, text = data.get("array"), data.get("shape"), data.get("data")
    if name not in DTYPES or not isinstance(shape, list) or not isinstance(text, str):
        raise ValueError("no array")
    if len(shape) > 8 or not all(type(n) is int and 0 <= n <= MOST_BYTES for n in shape):
        raise ValueError("no shape")
    raw = base64.b64decode(text, validate=True)
    if math.prod(shape) * DTYPES[name] != len(raw):
        raise ValueError("a shape that does not fit")
    return np.frombuffer(raw, name).reshape(shape).copy()


class Other:
    """Something that a function returned and that is no array."""

    def __init__(self, what: str) -> None:
        self.what = what
