"""From a goal to matrices: which token each row attends to, then V, then Q, with K = I.

All in coordinates: tokens, values and queries are combinations of the basis vectors u_p, which
are at right angles and of length ν. A matrix Σ M_pq u_p u_q' / ν² acts on coordinates as M does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from regard.kinds.self_attention.solve.sparse import Array, direction, matrix, sparse

MOST_CHOICES = 4000

Pattern = dict[int, dict[int, float]]  # row ↦ weights by token
Aims = dict[tuple[int, ...], tuple[Array, float] | None]  # tokens ↦ what `direction` found


@dataclass(frozen=True, eq=False)
class Plan:
    """The head in coordinates.

    Attributes:
        pattern: which tokens each row attends to, and with what weights.
        V: (b, b).
        Q: (b, b): Q + mixed / (scale ν²) over ν² is the matrix of the queries, times C.
        mixed: (b, b): what makes weights unequal; 0 if none are.
        margins: by row, how far the chosen tokens are above the others, in units of scale ν².
    """

    pattern: Pattern
    V: Array
    Q: Array
    mixed: Array
    margins: dict[int, float]


def plan(tokens: Array, outputs: dict[int, Array], attend: Pattern) -> Plan | None:
    """Return the plan with the fewest terms, or None if none of this form was found.

    Args:
        tokens: (n, b), coordinates of the tokens.
        outputs: by row, coordinates of the output that is wanted.
        attend: by row, the weights that are wanted.
    """
    free = [row for row in outputs if row not in attend]
    n = len(tokens)
    if n ** len(free) > MOST_CHOICES:
        return None
    best: tuple[tuple[float, ...], Plan] | None = None
    aims: Aims = {}
    for choice in product(range(n), repeat=len(free)):
        pattern = {**attend, **{row: {j: 1.0} for row, j in zip(free, choice, strict=True)}}
        most = math.inf if best is None else best[0][0]
        one = _for_pattern(tokens, outputs, dict(sorted(pattern.items())), aims, most)
        if one is not None and (best is None or _cost(one) < best[0]):
            best = (_cost(one), one)
    return None if best is None else best[1]


def _cost(one: Plan) -> tuple[float, ...]:
    terms = np.count_nonzero(one.V) + np.count_nonzero(one.Q) + np.count_nonzero(one.mixed)
    off = np.count_nonzero(one.V - np.diag(np.diag(one.V)))
    sizes = float(np.sum(np.abs(one.V)) + np.sum(np.abs(one.Q)))
    return float(terms), float(off), round(sizes, 9), -min(one.margins.values(), default=0.0)


def _for_pattern(
    tokens: Array, outputs: dict[int, Array], pattern: Pattern, known: Aims, most: float
) -> Plan | None:
    """Return the plan for a pattern; None if there is none, or if it has more than `most` terms."""
    width = tokens.shape[1]
    V = np.eye(width)
    if outputs:
        averaged = np.array([_average(tokens, pattern[row]) for row in outputs])
        used = {j for row in outputs for j in pattern[row]}
        rest = np.delete(tokens, sorted(used), axis=0)
        found = matrix(averaged, np.array(list(outputs.values())), rest, at_home=True)
        if found is None:
            return None
        V = found
        if np.count_nonzero(V) > most:
            return None
    aims, mixes, margins = [], [], {}
    for row, weights in pattern.items():
        chosen = tuple(weights)
        if chosen not in known:
            known[chosen] = direction(tokens, chosen)
        aim = known[chosen]
        mix = _mix(tokens, weights)
        if aim is None or mix is None:
            return None
        aims.append(aim[0])
        mixes.append(mix)
        margins[row] = aim[1]
    rows = tokens[list(pattern)]
    rest = np.delete(tokens, list(pattern), axis=0)
    Q = matrix(rows, np.array(aims), rest, at_home=False)
    mixed = matrix(rows, np.array(mixes), rest, at_home=False)
    if Q is None or mixed is None:
        return None
    return Plan(pattern, V, Q, mixed, margins)


def _average(tokens: Array, weights: dict[int, float]) -> Array:
    return np.asarray(sum(weight * tokens[j] for j, weight in weights.items()))


def _mix(tokens: Array, weights: dict[int, float]) -> Array | None:
    """Return a vector whose scores differ as the logarithms of the weights do."""
    first, *others = weights
    if all(weights[j] == weights[first] for j in others):
        return np.zeros(tokens.shape[1])
    rows = tokens[others] - tokens[first]
    logs = np.array([math.log(weights[j] / weights[first]) for j in others])
    rest = np.delete(tokens, list(weights), axis=0)
    return sparse(rows, logs, rest)
