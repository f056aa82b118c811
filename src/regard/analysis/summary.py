"""Put results that may be batched into words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regard.report import Facts, number

__all__ = ["facts_of", "scalar", "span"]

Pair = tuple[str, str]


def span(x: ArrayLike, digits: int = 6) -> str:
    """Write one number, or from where to where the numbers of an array range.

    >>> span(0.5), span([1.0, 4.0, 2.0]), span([3.0, 3.0])
    ('0.5', '1 to 4', '3')
    """
    array = np.asarray(x)
    low, high = number(np.min(array), digits), number(np.max(array), digits)
    return low if low == high else f"{low} to {high}"


def facts_of(like: ArrayLike, *pairs: Pair) -> Facts:
    """Return facts, and the batch axes of the numbers they are about, where there are some."""
    batch = [("batch", str(np.shape(like)))] if np.ndim(like) else []
    return Facts((*pairs, *batch))


def scalar(x: Any) -> Any:
    """Return an array without axes as the number in it, any other as it is."""
    return x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x
