"""What tells mistakes apart that are more than one step done differently."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.core import reference
from regard.kinds.code.instance.expected import expected
from regard.kinds.code.misconceptions.case import Run, Wrong, error, same
from regard.kinds.code.misconceptions.imitations import Change, attend

ROUNDED = 1e-5  # what is left of scores that had -1e9 added
ROWS = ("attention", "masked_attention", "causal_attention")


def not_written(wrong: Wrong) -> bool:
    """Whether every call raises NotImplementedError or returns nothing."""
    for run in wrong.runs:
        failure = run.outcome.failure
        if failure is None and run.outcome.value is not None:
            return False
        if failure is not None and failure.kind != "NotImplementedError":
            return False
    return True


def returns_tuple(wrong: Wrong) -> bool:
    """Whether it returns several things, and one of them is right."""
    plain = wrong.of("plain")
    if not plain or not all(isinstance(run.outcome.value, tuple) for run in plain):
        return False

    def right(run: Run, place: int) -> bool:
        items = run.outcome.value
        return len(items) > place and error(items[place], run.case.wanted) <= run.tolerance

    return any(all(right(run, place) for run in plain) for place in range(2))


def transposed(wrong: Wrong) -> bool:
    """Whether it returns the transpose."""

    def turned(run: Run) -> bool:
        value, wanted = run.outcome.value, run.case.wanted
        if not isinstance(value, np.ndarray) or wanted.ndim != 2:
            return False
        return error(value.swapaxes(-1, -2) if value.ndim > 1 else value, wanted) <= run.tolerance

    plain = wrong.of("plain")
    return any(not run.right for run in plain) and all(map(turned, plain))


def weights(wrong: Wrong) -> bool:
    """Whether it returns the weights in place of what they average."""

    def shows(run: Run) -> bool:
        arguments = run.case.arguments
        n = arguments[1].shape[-2]
        identity = np.broadcast_to(np.eye(n), (*arguments[1].shape[:-2], n, n))
        wanted = expected(wrong.behaviour, (*arguments[:2], identity, *arguments[3:]))
        return error(run.outcome.value, wanted) <= run.tolerance

    if wrong.behaviour not in ROWS:
        return False
    plain = wrong.of("plain")
    return any(not run.right for run in plain) and all(map(shows, plain))


def overflows(wrong: Wrong) -> bool:
    """Whether it is right but for large scores, where numbers that are none come out."""
    wrong_ones = [run for run in wrong.runs if not run.right]
    return wrong.right_on("plain") and all(
        run.case.sort in ("large", "hidden") and _not_finite(run) for run in wrong_ones
    )


def hidden_scores_count(wrong: Wrong) -> bool:
    """Whether it is right but where a hidden key has by far the largest score."""
    wrong_ones = [run for run in wrong.runs if not run.right]
    return wrong.right_on("plain") and all(run.case.sort == "hidden" for run in wrong_ones)


def _not_finite(run: Run) -> bool:
    value = run.outcome.value
    return (
        isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all()
    )


def _empty_rows(run: Run) -> Any:
    """Return which rows may attend to nothing: their wanted output is 0."""
    return (run.case.wanted == 0).all(axis=-1)


def nothing_gives_nan(wrong: Wrong) -> bool:
    """Whether a query that may attend to nothing becomes nan."""

    def shows(run: Run) -> bool:
        value = run.outcome.value
        if not isinstance(value, np.ndarray) or value.shape != run.case.wanted.shape:
            return False
        return bool(np.isnan(value[_empty_rows(run)]).all()) and _others_right(run)

    empty = wrong.of("empty")
    return wrong.right_on("plain") and bool(empty) and all(map(shows, empty))


def nothing_averages(wrong: Wrong) -> bool:
    """Whether such a query gets the mean, or what it would get if it might attend to all.

    The second is what -1e9 does that is added: it is in all scores, and cancels.
    """

    def shows(run: Run) -> bool:
        value, given = run.outcome.value, run.case.arguments[2]
        if not isinstance(value, np.ndarray) or value.shape != run.case.wanted.shape:
            return False
        mean = np.broadcast_to(given.mean(axis=-2, keepdims=True), value.shape)
        freely = attend(*run.case.arguments[:3], change=Change())
        rows, near = _empty_rows(run), ROUNDED * max(1.0, float(np.abs(given).max()))
        averages = [np.allclose(value[rows], one[rows], atol=near) for one in (mean, freely)]
        return any(averages) and _others_right(run)

    empty = wrong.of("empty")
    return wrong.right_on("plain") and bool(empty) and all(map(shows, empty))


def logarithms(wrong: Wrong) -> bool:
    """Whether the exponentials of what it returns are right."""
    if wrong.behaviour != "softmax":
        return False

    def shows(run: Run) -> bool:
        value = run.outcome.value
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
            return False
        with np.errstate(over="ignore"):
            return error(np.exp(value), run.case.wanted) <= run.tolerance

    return all(map(shows, wrong.of("plain")))


def without_keepdims(wrong: Wrong) -> bool:
    """Whether it fails where a maximum or a sum without its axis does not fit, and only there.

    Where that does fit, as in one row or a square table, it returns the numbers that come of it.
    """
    if wrong.behaviour != "softmax":
        return False

    def shows(run: Run, keeps: bool) -> bool:
        x, failure = run.case.arguments[0], run.outcome.failure
        try:
            powers = np.exp(x - x.max(axis=-1, keepdims=keeps))
            wanted = powers / powers.sum(axis=-1)
        except ValueError:
            return failure is not None and failure.kind in ("ValueError", "RuntimeError")
        return same(run, wanted)

    plain = wrong.of("plain")
    fits = any(run.outcome.failure is None for run in plain)
    return fits and any(all(shows(run, keeps) for run in plain) for keeps in (True, False))


def _others_right(run: Run) -> bool:
    rows = ~_empty_rows(run)
    return error(run.outcome.value[rows], run.case.wanted[rows]) <= run.tolerance


def front_axes(wrong: Wrong) -> bool:
    """Whether it is right without axes in front, and wrong with them."""
    wrong_ones = [run for run in wrong.runs if not run.right]
    return wrong.right_on("plain") and all(run.case.sort == "batch" for run in wrong_ones)


def too_short(wrong: Wrong) -> bool:
    """Whether a longer query of the same direction would have copied."""
    if wrong.behaviour != "copy_query":
        return False
    for run in wrong.runs:
        key, query = run.case.arguments[0], run.outcome.value
        if not isinstance(query, np.ndarray) or query.shape != key.shape[1:]:
            return False
        weights = reference.attention(1e4 * query[np.newaxis], key, np.eye(len(key))).weights[0]
        if error(weights, run.case.wanted) > run.tolerance:
            return False
    return True
