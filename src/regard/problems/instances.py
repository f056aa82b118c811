"""Arrays for a problem's laws: one plain instance to read, or others drawn at random.

Names in formulas become arrays here: k_a and v_a for the key and value named a, mu_a for the
mean of a random key; K for all keys, one per row, and M for all means.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regard.language import parse
from regard.problems.keys import Keys
from regard.problems.laws import Fixed, Gaussian, Orthogonal, Orthonormal, Plain

Float64 = NDArray[np.float64]

MOST_LOOKED_AT = 64  # rows whose rank is worked out


@dataclass(frozen=True, eq=False)
class KeyInstance:
    """Keys (for random ones: their means and covariances) and values of one instance.

    Attributes:
        keys: (n, d); the means where keys are random.
        values: (n, d_v).
        covariances: (n, d, d), or None where keys are not random.
        symbols: arrays and numbers by the name that formulas use.
    """

    keys: Float64
    values: Float64
    covariances: Float64 | None
    symbols: dict[str, Float64 | float] = field(repr=False)


def key_instance(
    given: Keys,
    rng: np.random.Generator | None = None,
    *,
    parameters: dict[str, float] | None = None,
) -> KeyInstance:
    """Return keys and values of the laws given.

    Args:
        given: what a problem says about keys and values.
        rng: without it, the plainest choice: unit vectors along the axes and small whole
            numbers, the same every time.
        parameters: numbers that replace those of the problem, such as alpha = 0.
    """
    numbers = {**given.parameters, **(parameters or {})}
    law = given.key_law
    keys = _rows(law, given.n, given.d or given.n, rng, seed=1)
    values = _rows(given.values, given.n, None, rng, seed=2)
    prefix, whole = ("mu", "M") if isinstance(given.keys, Gaussian) else ("k", "K")
    symbols: dict[str, Float64 | float] = {"n": float(given.n), whole: keys, **numbers}
    for name, row in given.names.items():
        symbols[f"{prefix}_{name}"] = keys[row]
        symbols[f"v_{name}"] = values[row]
    covariances = _covariances(given, keys, symbols) if isinstance(given.keys, Gaussian) else None
    return KeyInstance(keys, values, covariances, symbols)


def _covariances(given: Keys, means: Float64, symbols: dict[str, Float64 | float]) -> Float64:
    d, formulas = means.shape[1], given.covariance_formulas
    result = np.empty((given.n, d, d))
    result[:] = _square(formulas["others"], symbols, d)
    for name, text in formulas.items():
        if name != "others":
            result[given.names[name]] = _square(text, symbols, d)
    return result


def _square(text: str, symbols: dict[str, Float64 | float], d: int) -> Float64:
    # Adding 0 I says how large an I in the formula is.
    found = parse(f"({text}) + 0 I({d})").evaluate(symbols)
    return np.asarray(found, float)


def _rows(law: Plain, n: int, d: int | None, rng: np.random.Generator | None, seed: int) -> Float64:
    if isinstance(law, Fixed):
        return np.array(law.rows, float)
    width = n if d is None else d
    if isinstance(law, Orthonormal | Orthogonal):
        units = np.eye(n, width) if rng is None else frame(n, width, rng)
        if isinstance(law, Orthonormal):
            return units
        norms = law.norms
        if norms is None:
            norms = list(1.0 + np.arange(n) % 3) if rng is None else list(rng.uniform(0.5, 2, n))
        return np.array(norms)[:, None] * units
    if rng is None:
        return _integer_rows(n, min(n, 3) if d is None else d, seed)
    return rng.standard_normal((n, width))


def _integer_rows(n: int, width: int, seed: int) -> Float64:
    """Small whole numbers, as independent as rows of this width can be."""
    generator = np.random.default_rng(seed)
    while True:
        drawn = generator.integers(-4, 5, (n, width)).astype(float)
        if n > MOST_LOOKED_AT or np.linalg.matrix_rank(drawn) == min(n, width):
            return drawn


def frame(n: int, d: int, rng: np.random.Generator) -> Float64:
    """Return n unit vectors at right angles, drawn evenly."""
    q, r = np.linalg.qr(rng.standard_normal((d, n)))
    return (q * np.sign(np.diag(r))).T


__all__ = [
    "KeyInstance",
    "frame",
    "key_instance",
]
