"""Take arrays of any library in, and give results back as what came.

NumPy, torch and JAX arrays on the CPU are read in place: what comes out of
:func:`take` is a view of the caller's memory. The one exception is bfloat16,
which NumPy does not know: its 16 bits are the upper half of a float32, so it is
read through a 16-bit view and widened. torch and JAX are never imported here;
an array can only be theirs if the caller has imported them already.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import ParameterError

Array = NDArray[Any]

# Looking a name up here takes a twentieth of the time that dtype.name takes.
_USUAL = {np.dtype(name): name for name in ("float16", "float32", "float64", "bool", "int64")}

NUMBERS = "float16, bfloat16, float32, float64 or integers"


@dataclass(frozen=True)
class Taken:
    """An array that came in.

    Attributes:
        array: its numbers; bfloat16 has been widened to float32.
        library: "numpy", "torch" or "jax".
        dtype: the name of the dtype it came with, such as "bfloat16".
    """

    array: Array
    library: str
    dtype: str


def take(function: str, name: str, x: object) -> Taken:
    """Read `x`, an array of any library or nested lists, without copying where possible."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _take_torch(function, name, x, torch)
    jax = sys.modules.get("jax")
    library = "jax" if jax is not None and isinstance(x, jax.Array) else "numpy"
    if library == "jax" and isinstance(x, jax.core.Tracer):  # type: ignore[union-attr]
        raise ParameterError(
            f"{function}: {name} is a traced JAX array, which has no numbers yet. "
            f"Call {function} outside jit, grad and vmap."
        )
    # Nobody has such an array without having loaded its module, which a thread may be about to do.
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is not None and isinstance(x, masked):
        fix = f"Pass {name}.filled(...)"
        fix += " and say what may be attended to with mask=." if name in "query key value" else "."
        raise ParameterError(
            f"{function}: {name} is a numpy.ma.MaskedArray, whose mask would be lost. {fix}"
        )
    try:
        array = np.asarray(x)
    except (TypeError, ValueError, RuntimeError, BufferError) as problem:
        raise ParameterError(f"{function}: {name} is not an array: {problem}") from None
    if array.dtype in _USUAL:
        return Taken(array, library, _USUAL[array.dtype])
    if array.dtype.name == "bfloat16":  # ml_dtypes, the dtype JAX uses in NumPy arrays
        return Taken(_widen(array.view(np.uint16)), library, "bfloat16")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return Taken(array, library, array.dtype.name)


def _take_torch(function: str, name: str, x: Any, torch: Any) -> Taken:
    if x.requires_grad:
        raise ParameterError(
            f"{function}: {name} requires grad, and regard computes no gradients. "
            f"Pass {name}.detach()."
        )
    if x.device.type != "cpu":
        meta = x.device.type == "meta"
        fix = " A tensor has no numbers there." if meta else f" Pass {name}.cpu()."
        raise ParameterError(
            f"{function}: {name} is on device {str(x.device)!r}, and regard computes on the CPU."
            f"{fix}"
        )
    try:
        if x.dtype == torch.bfloat16:
            return Taken(_widen(x.view(torch.uint16).numpy()), "torch", "bfloat16")
        array = x.resolve_neg().numpy()
    except (TypeError, ValueError, RuntimeError) as problem:
        raise ParameterError(
            f"{function}: {name} cannot be read as a dense array: {problem}"
        ) from None
    return Taken(array, "torch", array.dtype.name)


def numbers(function: str, name: str, x: object) -> Taken:
    """Read `x` and refuse what is not made of numbers that regard computes with."""
    if x is None:
        raise ParameterError(f"{function}: {name} is None. Need an array of {NUMBERS}.")
    taken = take(function, name, x)
    dtype = taken.array.dtype
    if dtype.kind in "iu" or dtype in (np.float16, np.float32, np.float64):
        return taken
    fix = ""
    if dtype.kind in "bf":  # booleans, and floats wider than regard computes with
        fix = f" Pass {name}.{cast(taken, 'float64')}."
    elif dtype.kind == "c":
        fix = f" Pass {name}.real, if the imaginary part is zero."
    elif dtype.kind == "O" and hasattr(x, "toarray"):  # SciPy's sparse arrays
        fix = f" Pass {name}.toarray()."
    raise ParameterError(f"{function}: {name} has dtype {dtype}. Need {NUMBERS}.{fix}")


def cast(taken: Taken, dtype: str) -> str:
    """Spell the method that makes an array of this library boolean or float64."""
    if taken.library == "torch":
        return "bool()" if dtype == "bool" else "double()"
    return f'astype("{dtype}")'


def common_dtype(*names: str) -> str:
    """Name the dtype of a result: that of the floats among `names`, the widest if they differ."""
    floats = {name for name in names if "float" in name}
    if len(floats) == 1:
        return floats.pop()
    return "float64" if not floats or "float64" in floats else "float32"


def computing(dtype: str) -> type[np.float32] | type[np.float64]:
    """Return the type that numbers of this dtype are computed in."""
    return np.float64 if dtype == "float64" else np.float32


def give(array: Array, library: str, dtype: str) -> Any:
    """Round `array` to `dtype` and hand it back as an array of `library`, without a copy."""
    if dtype == "bfloat16":
        return _give_bfloat16(array, library)
    if array.dtype != dtype:
        with np.errstate(all="ignore"):  # too large for float16 is infinity, as in every library
            array = array.astype(dtype)
    if library == "torch":
        return sys.modules["torch"].from_numpy(array)
    if library == "jax":
        return sys.modules["jax"].numpy.from_dlpack(array)
    return array


def _give_bfloat16(array: Array, library: str) -> Any:
    bits = _narrow(array)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.from_numpy(bits.view(np.int16)).view(torch.bfloat16)
    try:
        narrow = bits.view(np.dtype("bfloat16"))  # known to NumPy once ml_dtypes is loaded
    except TypeError:
        return array.astype(np.float32, copy=False)
    return sys.modules["jax"].numpy.asarray(narrow) if library == "jax" else narrow


def empty(shape: tuple[int, ...], dtype: type[np.generic]) -> Array:
    """Allocate an array at a multiple of 64 bytes, where JAX takes it over without copying."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(size + 64, dtype=np.uint8)
    start = -memory.__array_interface__["data"][0] % 64
    return memory[start : start + size].view(dtype).reshape(shape)


def _widen(bits: Array) -> NDArray[np.float32]:
    """Turn the bits of bfloat16 numbers into the float32 numbers they are."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _narrow(array: Array) -> NDArray[np.uint16]:
    """Round float32 numbers to the nearest bfloat16, ties to even, and return the bits."""
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    # Rounding could carry a NaN into infinity; keep its sign and set the quiet bit instead.
    quiet = ((bits >> 16) | 0x40).astype(np.uint16)
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, quiet, rounded)
