"""What is claimed of a query with a formula: how close it comes, and that no less would do."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.certify import Claim
from regard.certify.claims.conditions import condition_claim
from regard.kinds.query.solve.formula import spelled
from regard.solving.key_tables import softmax

if TYPE_CHECKING:
    from regard.kinds.query.solve.exact import Exact

ROUNDING = 1e-9  # by which a measured error is rounded up
STEP = 1e-6  # how far from the smallest factor the two sides are tried
MOST_TRIED = 64  # keys for which both sides are tried


def close_claims(found: Exact) -> list[Claim]:
    """The weights and the output of the query are as near as the goal says."""
    mix, instance, query = found.mix, found.instance, found.query
    target = {"indices": list(mix.rows), "weights": list(mix.weights)}
    missed = softmax(mix.scale * (instance.keys @ query)) - mix.wanted()
    measured = (float(np.max(np.abs(missed))), float(np.linalg.norm(missed @ instance.values)))
    bounds = [m * (1 + ROUNDING) + 1e-14 * max(1.0, found.distance) for m in measured]
    bounds[found.on_output] = found.tolerance
    kinds = ("weights_close", "output_close")
    claims = [
        Claim(kind, {"target": target, "bound": bound}, {"query": query})
        for kind, bound in zip(kinds, bounds, strict=True)
    ]
    return claims[::-1] if found.on_output else claims


def smallest_claim(found: Exact) -> list[Claim]:
    """A factor is large enough if and only if it is the smallest one or above: on both sides."""
    mix, instance = found.mix, found.instance
    if not math.isfinite(found.least) or mix.n > MOST_TRIED or not spelled(mix):
        return []
    c, scale = mix.factor, "" if mix.scale == 1 else f"{mix.scale!r} "
    per_leak = "norm(rest - wanted)" if found.on_output else repr(mix.worst)
    under = f"({mix.m} epsilon)" if mix.even else "epsilon"
    log = f"log((n - {mix.m}) ({per_leak} - epsilon)/{under})"
    condition = f"{c} >= {log}" + (f"/{mix.scale!r}" if mix.even and mix.scale != 1 else "")
    matrix = "M" if mix.prefix == "mu" else "K"
    shared: dict[str, Any] = {"n": mix.n, "epsilon": found.tolerance}
    if mix.structure == "independent":  # then the scores are what the pseudo-inverse was given
        weights = f"softmax({scale if mix.even else ''}{mix.scores_text()})"
    else:
        weights = f"softmax({scale}{matrix} ({mix.text()}))"
        shared[matrix] = _rows(instance.keys)
        for name, row in zip(mix.names, mix.rows, strict=True):
            shared[f"{mix.prefix}_{name}"] = _entries(instance.keys[row])
    if found.on_output:
        others = [i for i in range(mix.n) if i not in mix.rows]
        effect = f"norm(V' {weights} - wanted) <= epsilon"
        # With a column of 0 also where values are numbers: V' a is a vector then.
        padded = np.pad(instance.values, ((0, 0), (0, instance.values.shape[1] == 1)))
        exact = [[Fraction(x) for x in row] for row in padded.tolist()]
        width = range(len(exact[0]))
        shared["V"] = _rows(padded)
        shared["rest"] = [sum(exact[i][j] for i in others) / len(others) for j in width]
        shared["wanted"] = [
            sum(Fraction(w) * exact[row][j] for row, w in mix.target.items()) for j in width
        ]
    else:
        effect = f"max(abs({weights} - p)) <= epsilon"
        shared["p"] = _entries(mix.wanted())
    step = STEP * max(1.0, abs(found.least))
    instances = [{**shared, c: found.least + way * step} for way in (-1, 1)]
    return [condition_claim("equivalent", condition, effect, instances)]


def _entries(x: Any) -> list[float]:
    return [float(entry) for entry in x]


def _rows(x: Any) -> list[list[float]]:
    return [_entries(row) for row in x]
