"""Witnesses that a goal is out of reach within its tolerance, for queries and heads alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.certify import Certificate, Claim, verify
from regard.design.heads.output_targets import distance
from regard.design.linear_scores.branch_and_bound import shared
from regard.design.linear_scores.dual_multipliers import Allowed, find_multipliers
from regard.design.linear_scores.equal_averages import balanced
from regard.design.linear_scores.family import Array, Family
from regard.design.linear_scores.output_bounds import output_bounds

__all__ = ["excluded_outputs", "excluded_weights", "verified"]

Witness = tuple[dict[str, Any], bool]  # and whether it is exact: about parameters of any length


def verified(claims: list[Claim], certificate: Certificate) -> list[Claim]:
    """The claims about the arrays of a certificate that hold."""
    return [
        claim
        for claim in claims
        if verify(Certificate(certificate.arrays, (claim,), certificate.scale)).holds
    ]


def excluded_weights(
    family: Family, rows: list[int], table: Array, tolerance: float, near: Array
) -> Witness | None:
    """Multipliers that no weights within the tolerance of `table` (m, n) pass; None: none found.

    Args:
        family: the scores.
        rows: what the rows are called in the certificate.
        table: the wanted weights.
        tolerance: how far each weight may be from them.
        near: (m, n), the weights that are closest in divergence.
    """
    low, high = np.maximum(table - tolerance, 0), np.minimum(table + tolerance, 1)
    return _excluded(family, rows, table, low, high, tolerance, near)


def excluded_outputs(
    family: Family,
    rows: list[int],
    table: Array,
    values: Array,
    wanted: Array,
    tolerance: float,
    near: Array | None,
) -> Witness | None:
    """The same for weights whose outputs are within the tolerance of `wanted` (m, d_v).

    `table` has these outputs, or nearly.
    """
    values = shared(family.keys, values)
    for place, row in enumerate(rows):
        nearest = distance(values, wanted[place])
        if nearest.lower > tolerance:  # no average of the values will do
            return {"separated": [row, -nearest.point]}, True
    low, high = np.zeros(table.shape), np.ones(table.shape)
    directions: list[list[object]] = []
    for place, row in enumerate(rows):
        bounds = output_bounds(values, wanted[place], tolerance, table[place], row)
        if bounds is not None:
            low[place], high[place] = bounds.low, bounds.high
            directions += bounds.listed
    if not directions:
        return None
    found = _excluded(family, rows, table, low, high, tolerance, near)
    return None if found is None else ({**found[0], "directions": directions}, found[1])


def _excluded(
    family: Family,
    rows: list[int],
    table: Array,
    low: Array,
    high: Array,
    tolerance: float,
    near: Array | None,
) -> Witness | None:
    inward = 1e-3 * min(tolerance, 1)
    middle = (1 - inward) * table + inward / table.shape[1]
    m = len(rows)
    start = None if near is None else (table / m, near / m)
    found = find_multipliers(family.shifted(), Allowed(low, high, middle), start)
    if found is None:
        return None
    lower, upper, exact = balanced(family, rows, found)
    used = np.sum(found.lower, axis=1) > 0
    return {"lower": lower, "upper": upper, "levels": found.levels[used]}, exact
