"""The steps of attention in exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

from regard.analysis.exact_trace.input import Matrix
from regard.analysis.exact_trace.numbers import Exact, Exponentials, Surd, fraction, quotient, share

__all__ = ["ExactArray", "compute", "exact_array"]

ExactArray = NDArray[np.object_]


def compute(
    x: Matrix,
    W_Q: Matrix,
    W_K: Matrix,
    W_V: Matrix,
    W_O: Matrix | None,
    scale: Fraction | Surd,
    visible: Sequence[Sequence[int]],
) -> dict[str, Any]:
    """Return queries, keys, values, scores, weights, averages and outputs, by name.

    `visible` has for each query its keys, from 0. A query that sees none gets 0.
    """
    rows = _flint(x)
    queries, keys, values = (rows * _flint(matrix) for matrix in (W_Q, W_K, W_V))
    rational, root = (scale, 1) if isinstance(scale, Fraction) else (scale.numerator, scale.root)
    products = _fractions(queries * keys.transpose() * fmpq(*rational.as_integer_ratio()))
    scores = [[Surd(z, root) if root > 1 and z else z for z in row] for row in products]
    mixed = _fractions(values)
    mapped = mixed if W_O is None else _fractions(values * _flint(W_O))
    weights, averages, outputs = [], [], []
    for row, seen in zip(products, visible, strict=True):
        terms = Exponentials(tuple(row[j] for j in seen), root)
        shares = {j: share(place, terms) for place, j in enumerate(seen)}
        weights.append([shares.get(j, Fraction(0)) for j in range(len(row))])
        averages.append(_averaged(mixed, seen, terms))
        outputs.append(averages[-1] if mapped is mixed else _averaged(mapped, seen, terms))
    return {
        "queries": exact_array(_fractions(queries)),
        "keys": exact_array(_fractions(keys)),
        "values": exact_array(mixed),
        "scores": exact_array(scores),
        "weights": exact_array(weights),
        "averages": exact_array(averages),
        "outputs": exact_array(outputs),
    }


def exact_array(rows: Sequence[Sequence[Exact]]) -> ExactArray:
    """Return a matrix as an array of objects that cannot be written to."""
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    array[:] = rows
    array.flags.writeable = False
    return array


def _averaged(
    rows: Sequence[Sequence[Fraction]], seen: Sequence[int], terms: Exponentials
) -> list[Exact]:
    if not seen:
        return [Fraction(0)] * len(rows[0])
    return [quotient(column, terms) for column in zip(*(rows[j] for j in seen), strict=True)]


def _flint(matrix: Sequence[Sequence[Fraction]]) -> fmpq_mat:
    entries = [fmpq(*entry.as_integer_ratio()) for row in matrix for entry in row]
    return fmpq_mat(len(matrix), len(matrix[0]), entries)


def _fractions(matrix: fmpq_mat) -> list[list[Fraction]]:
    return [[fraction(entry) for entry in row] for row in matrix.tolist()]
