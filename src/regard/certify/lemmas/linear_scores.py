"""Scores that are linear in what is sought: of a query, or of the matrix A of a head.

    query   score of key j               scale · k_j · q
    head    score of token j in row i    scale · x_j · A x_i

A query is the one row x = (1). What no query can do, no A can do for the same reason: the score
of pair (i, j) is scale · ⟨B, y_j x_iᵀ⟩ with one B for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.certify.balls import Arithmetic
from regard.certify.certificate import Certificate, Float64, Unusable, given, index, listed, number

Entries = dict[tuple[int, int], Any]  # numbers by row and key


@dataclass(frozen=True)
class LinearScores:
    """The keys (n, r), the vector x of each row, by row, and the scale."""

    keys: Float64
    rows: Mapping[int, Float64]
    scale: int | float

    @property
    def width(self) -> int:
        """The number of entries of B."""
        return self.keys.shape[1] * len(next(iter(self.rows.values())))

    def moment(self, coefficients: Entries, numbers: Arithmetic) -> list[Any]:
        """Return the entries of Σ_ij c_ij y_j x_iᵀ."""
        rows = sorted({i for i, _ in coefficients})
        columns = sorted({j for _, j in coefficients})
        flat = [coefficients.get((i, j), 0) for i in rows for j in columns]
        mixed = numbers.matrix(len(rows), len(columns), flat) * numbers.read(self.keys[columns])
        vectors = np.array([self.rows[i] for i in rows])
        return list((mixed.transpose() * numbers.read(vectors)).entries())


def of_query(certificate: Certificate) -> LinearScores:
    """Return the scores of all queries over the keys of a certificate."""
    scale = number(certificate.scale, "scale")
    return LinearScores(given(certificate, "keys"), {0: np.ones(1)}, scale)


def of_head(certificate: Certificate, rows: list[int]) -> LinearScores:
    """Return the scores of all heads over the tokens of a certificate, in some rows."""
    tokens = given(certificate, "tokens")
    scale = number(certificate.scale, "scale")
    return LinearScores(tokens, {i: tokens[i] for i in rows}, scale)


def entries(value: Any, name: str, scores: LinearScores, read: Any) -> Entries:
    """Return [row, key, weight] with weights ≥ 0, each pair once, those above 0 by pair."""
    found: Entries = {}
    for entry in listed(value, name):
        i, j, weight = listed(entry, f"an entry of {name}", 3)
        row = index(i, f"a row of {name}", max(scores.rows) + 1)
        pair = row, index(j, f"a key of {name}", len(scores.keys))
        found_weight = read(weight, name)
        # A pair given twice would count as two.
        if pair[0] not in scores.rows or pair in found or found_weight < 0:
            raise Unusable(f"{name} must be of listed rows, each pair once, and ≥ 0.")
        found[pair] = found_weight
    if not any(weight > 0 for weight in found.values()):
        raise Unusable(f"{name} is 0 everywhere.")
    return {pair: weight for pair, weight in found.items() if weight != 0}
