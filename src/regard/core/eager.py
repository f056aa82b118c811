"""Functions of arrays inside `torch.compile`: run as they are, not traced.

The tracer would take the arrays of NumPy in here for tensors of its own, while the kernel writes to
their memory: what comes out would be the numbers of an earlier call. torch is never imported here.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def eager(function: Callable[P, R]) -> Callable[P, R]:
    """Let the tracer of torch go around a function, as `torch.compiler.disable` does."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if "torch._dynamo" not in sys.modules:  # nothing is ever compiled without it
            return function(*args, **kwargs)
        return _around(function)(*args, **kwargs)

    return run


@functools.cache
def _around(function: Callable[P, R]) -> Callable[P, R]:
    return sys.modules["torch"].compiler.disable(function)
