"""Arrays that a cell builds by a law, out of its sizes and its random numbers.

A law is a table such as {law = "gaussian", shape = ["n", "d"], std = "noise"}: words in it are
names of settings or of arrays that were built before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import ParameterError
from regard.shapes import integer, real

__all__ = ["LAWS", "PLANE", "build", "parameters"]

Array = NDArray[np.float64]
Shape = list[int]


def gaussian(rng: np.random.Generator, shape: Shape, std: float = 1.0, mean: float = 0.0) -> Array:
    """Independent normal entries."""
    return mean + std * rng.standard_normal(shape)


def uniform(rng: np.random.Generator, shape: Shape, low: float = 0.0, high: float = 1.0) -> Array:
    """Independent entries, each number between low and high as likely."""
    return rng.uniform(low, high, shape)


def sphere(rng: np.random.Generator, shape: Shape, length: float = 1.0) -> Array:
    """Rows of one length, every direction as likely."""
    rows = rng.standard_normal(shape)
    return length * rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def orthonormal(rng: np.random.Generator, shape: Shape) -> Array:
    """Rows of length 1 at right angles, turned at random; no more of them than columns."""
    n, d = shape
    if n > d:
        raise ParameterError(f"orthonormal: {n} rows at right angles do not fit {d} columns.")
    q, r = np.linalg.qr(rng.standard_normal((d, n)))
    return (q * np.sign(np.diag(r))).T


def identity(rng: np.random.Generator, shape: Shape) -> Array:
    """Rows of the unit matrix: 1 at the place of the row, 0 elsewhere."""
    n, d = shape
    return np.eye(n, d)


def constant(rng: np.random.Generator, shape: Shape, value: float = 0.0) -> Array:
    """The same number everywhere."""
    return np.full(shape, value)


def isotropic(rng: np.random.Generator, shape: Shape, variance: float = 1.0) -> Array:
    """Covariances variance · I, of shape (n, d, d) for the shape [n, d], or (d, d) for [d]."""
    *n, d = shape
    return np.broadcast_to(variance * np.eye(d), (*n, d, d)).copy()


def along_means(
    rng: np.random.Generator, means: Array, variance: float = 1.0, rows: list[int] | None = None
) -> Array:
    """Covariances variance · μ μ' of keys that vary along their own means, of some rows or all."""
    noise = variance * means[:, :, None] * means[:, None, :]
    if rows is not None:
        noise[np.setdiff1d(np.arange(len(means)), rows)] = 0
    return noise


def toward(rng: np.random.Generator, keys: Array, rows: list[int], heads: int = 1) -> Array:
    """Queries (heads, d): the wanted rows of keys dealt out to the heads, each head their sum."""
    if heads > len(rows) or heads < 1:
        raise ParameterError(
            f"toward: {len(rows)} rows are for 1 to {len(rows)} heads, not {heads}."
        )
    return np.array([keys[list(rows)[h::heads]].sum(axis=0) for h in range(heads)])


def one_or_each(
    rng: np.random.Generator, keys: Array, rows: list[int], length: float = 1.0
) -> dict[str, Array]:
    """Two designs: one head with the sum of the wanted rows of keys, and a head for each."""
    return {
        "one head": length * toward(rng, keys, rows, 1),
        "a head each": length * toward(rng, keys, rows, len(rows)),
    }


def previous(rng: np.random.Generator, n: int) -> dict[int, int]:
    """Every row attends to the one before it; the first to itself."""
    return {i: max(i - 1, 0) for i in range(n)}


def permutation(rng: np.random.Generator, n: int) -> dict[int, int]:
    """Every row attends to one that no other attends to, drawn at random."""
    return {i: int(j) for i, j in enumerate(rng.permutation(n))}


LAWS: dict[str, Callable[..., Any]] = {
    law.__name__: law
    for law in (gaussian, uniform, sphere, orthonormal, identity, constant, isotropic, along_means,
                toward, one_or_each, previous, permutation)
}  # fmt: skip
PLANE = ("orthonormal", "identity")  # laws of rows and columns, and no further axes


def build(
    name: str, law: Mapping[str, Any], known: Mapping[str, Any], rng: np.random.Generator
) -> Any:
    """Build the array `name` by a law; `known` are the settings and the arrays so far."""
    function = LAWS[law["law"]]
    given = {key: _looked_up(value, known) for key, value in law.items() if key != "law"}
    for key, value in given.items():
        if key == "shape":
            given[key] = [_size(f"draw.{name}", one, known) for one in law[key]]
        elif isinstance(value, str):
            raise ParameterError(f"draw.{name}: {_no_setting(key, law[key], value)}")
        elif key in ("std", "mean", "low", "high", "length", "value", "variance"):
            given[key] = real(law["law"], key, value)
        elif key in ("n", "heads"):
            given[key] = integer(law["law"], key, value, minimum=1)
    return function(rng, **given)


def parameters(law: str) -> dict[str, bool]:
    """Return the parameters of a law, and whether each is needed."""
    found = list(inspect.signature(LAWS[law]).parameters.values())[1:]
    return {one.name: one.default is one.empty for one in found}


def _looked_up(value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return known.get(value, value)
    return [_looked_up(x, known) for x in value] if isinstance(value, list) else value


def _size(where: str, word: Any, known: Mapping[str, Any]) -> int:
    """Return a number of rows or columns: a number, or a setting that is one."""
    if isinstance(word, str) and word not in known:
        raise ParameterError(f"{where}: {_no_setting('shape', word, word)}")
    name = word if isinstance(word, str) else "each of shape"
    return integer(where, name, _looked_up(word, known), minimum=1)


def _no_setting(key: str, word: Any, value: str) -> str:
    if word == value:
        return f"{key} = {word!r} is no setting. Give it in the sweep: {word} = …"
    return f"{word} must be a number. Got {value!r}."
