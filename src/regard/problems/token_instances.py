"""Arrays for tokens that are combinations of basis vectors: one setting for solvers and judges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.language import parse, parse_limit
from regard.problems.instances import Float64, frame
from regard.problems.tokens import Tokens, token_label

__all__ = ["TokenTable", "nearer", "token_instance", "token_table"]


@dataclass(frozen=True, eq=False)
class TokenTable:
    """The tokens of one instance, and what formulas about them may name.

    Attributes:
        tokens: (n, d).
        basis: (b, d), at right angles, each of the length `norm`.
        norm: that length.
        symbols: basis vectors and parameters by name.
    """

    tokens: Float64
    basis: Float64
    norm: float
    symbols: dict[str, Float64 | float]

    def vector(self, text: str) -> Float64:
        """Return what a formula in the symbols comes to."""
        return np.asarray(parse(text).evaluate(self.symbols), float)

    @property
    def names(self) -> dict[str, Float64 | float]:
        """What an answer may name: the symbols, the tokens x_1, x_2, … and their length d."""
        found: dict[str, Float64 | float] = {"d": float(self.tokens.shape[1])}
        found |= {token_label(i): token for i, token in enumerate(self.tokens)}
        return found | self.symbols


def token_table(
    given: Tokens,
    parameters: dict[str, float] | None = None,
    *,
    rng: np.random.Generator | None = None,
    d: int | None = None,
) -> TokenTable:
    """Return the arrays of the tokens.

    Args:
        given: what a problem says about its tokens.
        parameters: numbers that replace those of the problem, such as beta = 3.
        rng: draws the frame; without it the basis vectors point along the axes.
        d: the length of a token, where it is not that of the problem.
    """
    numbers: dict[str, float] = {**given.parameters, **(parameters or {})}
    norm = given.basis.norm
    size = numbers[norm] if isinstance(norm, str) else norm
    count = len(given.basis.names)
    d = d or given.d or count
    basis = size * (np.eye(count, d) if rng is None else frame(count, d, rng))
    symbols: dict[str, Float64 | float] = {
        **numbers,
        **dict(zip(given.basis.names, basis, strict=True)),
    }
    tokens = np.array([np.asarray(parse(t).evaluate(symbols), float) for t in given.tokens])
    return TokenTable(tokens, basis, float(size), symbols)


def token_instance(
    given: Tokens,
    rng: np.random.Generator | None = None,
    *,
    parameters: dict[str, float] | None = None,
) -> tuple[Float64, dict[str, Float64 | float]]:
    """Return the tokens (n, d) and the symbols of their formulas; see `token_table`."""
    table = token_table(given, parameters, rng=rng)
    return table.tokens, table.symbols


def nearer(given: Tokens, times: float) -> dict[str, float]:
    """Return the parameters, those that have limits so many times nearer to them."""
    numbers: dict[str, float] = dict(given.parameters)
    for limit in map(parse_limit, given.limits):
        now = numbers[limit.name]
        infinite = np.isinf(limit.target)
        numbers[limit.name] = (
            times * now if infinite else limit.target + (now - limit.target) / times
        )
    return numbers
