"""Vectors that meet a goal, by convex programs: for copies exactly, else from tangents.

Every goal here is a list of conditions Σ_i c_i exp(s_i) ≤ 0 on scores that are linear in a vector:
a weight is at least l where l Σ_j exp(s_j) − exp(s_i) ≤ 0. With the positive c on the left and the
others on the right that is lse(s + ln c) ≤ lse(s + ln |c|). The left side is convex. The right side
is linear where there is one key, as for lower bounds on weights, which are all that a copy needs;
else a tangent, which lies below it, stands for it, and the program is solved again from what is
found.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import cvxpy
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Condition = tuple[int, Array]  # of which row, and c by key

_LARGEST = 2000.0  # scores


def conditions(tables: Array, values: Array | None, tolerance: float) -> list[Condition]:
    """Return what makes an error at most the tolerance; for values of two and more columns, less.

    Args:
        tables: (rows, n) weights that are wanted.
        values: (n, columns) where the error is that of the outputs, else None.
        tolerance: of each weight, or of the length of the output's error.
    """
    found: list[Condition] = []
    for row, table in enumerate(tables):
        if values is not None:
            away = values - table @ values
            width = tolerance / np.sqrt(values.shape[1])  # a box inside of the ball
            for column in away.T:
                found += [(row, column - width), (row, -column - width)]
            continue
        for i, wanted in enumerate(table):
            one = np.eye(len(table))[i]
            if wanted > tolerance:
                found.append((row, wanted - tolerance - one))
            if wanted + tolerance < 1 and np.max(table) < 1:  # a copy needs no more than the above
                found.append((row, one - wanted - tolerance))
    return [(row, c) for row, c in found if np.any(c > 0)]


def is_convex(wanted: list[Condition]) -> bool:
    """Whether no tangent is needed, so that one program decides."""
    return all(np.sum(c < 0) == 1 for _, c in wanted)


def vectors(features: Array, wanted: list[Condition], start: Array, rounds: int) -> Iterator[Array]:
    """Yield vectors that come nearer and nearer to meeting all conditions.

    Args:
        features: (rows, n, p): times the vector, the scores.
        wanted: the conditions.
        start: (p,) where the first tangents are taken.
        rounds: how often they are taken anew.
    """
    if any(not np.any(c < 0) for _, c in wanted):
        return  # no scores do
    if not wanted:
        yield start  # all scores do
        return
    size = float(np.max(np.abs(features))) or 1.0
    features, vector = features / size, start * size
    count = features.shape[2]
    unknown = cvxpy.Variable(count + 1)  # the vector, and by how much the worst condition is missed
    far = cvxpy.abs(features.reshape(-1, count) @ unknown[:count]) <= _LARGEST
    for _ in range(1 if is_convex(wanted) else rounds):
        terms, levels, which = [], [], []
        for place, (row, c) in enumerate(wanted):
            up, low = c > 0, c < 0
            now = features[row][low] @ vector + np.log(-c[low])
            shares = np.exp(now - np.max(now))
            shares /= np.sum(shares)
            # shares · (s + ln |c|) + H(shares): it touches the right side at `vector`.
            tangent = shares @ features[row][low]
            height = float(np.max(now) + np.log(np.sum(np.exp(now - np.max(now)))))
            terms.append(features[row][up] - tangent)
            levels.append(np.log(c[up]) - (height - tangent @ vector))
            which += [place] * int(np.sum(up))
        table = np.hstack([np.vstack(terms), -np.ones((len(which), 1))])
        sums = np.equal.outer(np.arange(len(wanted)), which).astype(float)
        met = sums @ cvxpy.exp(table @ unknown + np.concatenate(levels)) <= 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is found is measured, however exact it is
            try:
                cvxpy.Problem(cvxpy.Minimize(unknown[count]), [met, far]).solve(cvxpy.CLARABEL)
            except cvxpy.SolverError:
                return
        if unknown.value is None:
            return
        vector = unknown.value[:count]
        yield vector / size
