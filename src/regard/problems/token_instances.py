"""Arrays for tokens that are combinations of basis vectors."""

from __future__ import annotations

import numpy as np

from regard.language import parse
from regard.problems.instances import Float64, frame
from regard.problems.tokens import Tokens

__all__ = ["token_instance"]


def token_instance(
    given: Tokens,
    rng: np.random.Generator | None = None,
    *,
    parameters: dict[str, float] | None = None,
) -> tuple[Float64, dict[str, Float64 | float]]:
    """Return the tokens (n, d) and the symbols of their formulas.

    Args:
        given: what a problem says about its tokens.
        rng: without it the basis vectors point along the axes.
        parameters: numbers that replace those of the problem, such as beta = 3.
    """
    numbers: dict[str, float] = {**given.parameters, **(parameters or {})}
    norm = given.basis.norm
    size = numbers[norm] if isinstance(norm, str) else norm
    count = len(given.basis.names)
    d = count if given.d is None else given.d
    units = np.eye(count, d) if rng is None else frame(count, d, rng)
    symbols: dict[str, Float64 | float] = dict(numbers)
    for name, row in zip(given.basis.names, units, strict=True):
        symbols[name] = size * row
    tokens = [np.asarray(parse(text).evaluate(symbols), float) for text in given.tokens]
    return np.array(tokens), symbols
