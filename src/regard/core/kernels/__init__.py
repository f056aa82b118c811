"""How attention is computed fast: by the kernel in C where it is there, by NumPy elsewhere."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray

from regard.core.kernels import careful, careful_statistics, native, numpy_statistics, numpy_tiles
from regard.core.kernels.problem import Problem
from regard.core.kernels.statistics import Asked, Found
from regard.errors import ParameterError

Array = NDArray[Any]


def chosen() -> str:
    """Return which kernel is used, "native" or "numpy": REGARD_KERNEL, or the best there is."""
    wanted = os.environ.get("REGARD_KERNEL", "").strip()
    if wanted not in ("", "native", "numpy"):
        raise ParameterError(
            f"regard: the environment variable REGARD_KERNEL must be 'native' or 'numpy'. "
            f"Got {wanted!r}."
        )
    if wanted == "native" and not native.instruction_sets():
        raise ParameterError(
            "regard: REGARD_KERNEL is 'native', but the kernel in C is not installed. "
            "Install a C compiler and then regard again, or unset REGARD_KERNEL."
        )
    return wanted or ("native" if native.instruction_sets() else "numpy")


def attend(problem: Problem, output: Array, lse: Array | None, weights: Array | None) -> None:
    """Fill `output` (*outer, n_q, d_v) and, if given, `lse` (*outer, n_q) and `weights`."""
    kernel = native if chosen() == "native" else numpy_tiles
    if careful.needed(problem):
        careful.attend(problem, output, lse, weights)
    else:
        kernel.attend(problem, output, lse, weights)


def statistics(problem: Problem, asked: Asked, found: Found) -> None:
    """Fill `found` with what is asked for about the weights of each query."""
    by_native = chosen() == "native"
    if careful.needed(problem):
        careful_statistics.redo(problem, asked, found, everything=True)
        return
    if by_native:
        native.statistics(problem, asked, found)
    else:
        numpy_statistics.fill(problem, asked, found)
    careful_statistics.redo(problem, asked, found)
