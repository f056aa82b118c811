"""Attention once more without the infinities and NaN that may be why it came out as NaN.

Padding is often full of NaN, and in a product 0 · NaN is NaN. The fast way is therefore tried
again on copies that have 0 there. What the few rows of keys and values with infinity or NaN
then bring in, for the queries that do attend to them, is known from their scores alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.core.kernels import careful, non_finite, threads
from regard.core.kernels.problem import Index, Problem

Array = NDArray[Any]
Attend = Callable[[Problem, Array, Array, Array | None], list[Index]]

MOST = 1 / 8  # of the keys; where more are not finite, the careful way does not cost much more


def attend(
    fast: Attend,
    problem: Problem,
    output: Array,
    lse: Array | None,
    weights: Array | None,
    tasks: list[Index],
) -> None:
    """Do rows again that came out as infinity or NaN, by the fast way where that serves.

    Args:
        fast: fills output, lse and weights of a problem, and returns what is not reliable.
        problem: the whole problem, with its outer axes.
        output: (*outer, n_q, d_v); rows of it are filled.
        lse: (*outer, n_q), or None.
        weights: (*outer, n_q, n_k), or None.
        tasks: which rows: an index into the outer axes, and then a slice of queries.
    """
    left = []
    for where in _joined(tasks):
        part = problem.part(where[:-1], where[-1])
        logs = np.empty(output[where].shape[:-1], output.dtype) if lse is None else lse[where]
        into = None if weights is None else weights[where]
        with np.errstate(all="ignore"), threads.one_blas_thread():
            if not _done(fast, part, output[where], logs, into):
                left += [task for task in tasks if _within(task, where)]
    if left:
        careful.attend(problem, output, lse, weights, left)


def _done(fast: Attend, part: Problem, output: Array, lse: Array, weights: Array | None) -> bool:
    """Try some rows of one problem; return whether the result can be relied on."""
    bad_key = np.asarray(~np.isfinite(part.key).all(axis=-1))
    bad = np.flatnonzero(bad_key | ~np.isfinite(part.value).all(axis=-1))
    if bad.size == 0 or bad.size > MOST * part.n_k or not np.isfinite(part.query).all():
        return False
    scores = _scores_of(part, bad)
    attended = ~np.isneginf(scores)
    if attended[:, bad_key[bad]].any():
        return False  # its score decides over all weights of the row
    key, value = (non_finite.cleaned(rows) for rows in (part.key, part.value))
    if fast(replace(part, key=key, value=value), output, lse, weights):
        return False
    shares = np.where(attended, np.exp(scores - lse[:, None]), 0)
    non_finite.restore(output, attended, shares, part.value[bad])
    return True


def _scores_of(part: Problem, keys: Array) -> Array:
    """Return the scores of some keys, (n_q, number of them), in float64."""
    allowed = part.key_range
    if allowed is None:
        barred = np.zeros((part.n_q, keys.size), dtype=bool)
    else:
        barred = (keys < allowed.first[:, None]) | (keys >= allowed.end[:, None])
    mask = None if part.mask is None else part.mask[:, keys]
    some = replace(part, key=part.key[keys], value=part.value[keys], mask=mask, key_range=None)
    return np.where(barred, -np.inf, careful.scores(some, 0, keys.size))


def _joined(tasks: list[Index]) -> list[Index]:
    """Join slices of the same problem that follow each other: fewer calls for more rows."""
    joined: list[Index] = []
    for where in tasks:
        last = joined[-1] if joined else None
        if last and last[:-1] == where[:-1] and last[-1].stop == where[-1].start:
            joined[-1] = (*where[:-1], slice(last[-1].start, where[-1].stop))
        else:
            joined.append(where)
    return joined


def _within(task: Index, where: Index) -> bool:
    rows, all_rows = task[-1], where[-1]
    return bool(
        task[:-1] == where[:-1] and all_rows.start <= rows.start and rows.stop <= all_rows.stop
    )
