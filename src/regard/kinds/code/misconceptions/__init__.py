"""Mistakes in programs, by what the programs do: each is imitated, and the numbers compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.core import reference
from regard.kinds.code.instance.expected import expected
from regard.kinds.code.misconceptions.case import Run, Wrong, error
from regard.kinds.code.misconceptions.imitations import Change
from regard.kinds.code.spec import CodeProblem

__all__ = ["MISTAKES", "Wrong"]


def _not_written(wrong: Wrong) -> bool:
    """Whether every call raises NotImplementedError or returns nothing."""
    for run in wrong.runs:
        failure = run.outcome.failure
        if failure is None and run.outcome.value is not None:
            return False
        if failure is not None and failure.kind != "NotImplementedError":
            return False
    return True


def _tuple(wrong: Wrong) -> bool:
    """Whether it returns several things, and one of them is right."""
    plain = wrong.of("plain")
    if not plain or not all(isinstance(run.outcome.value, tuple) for run in plain):
        return False

    def right(run: Run, place: int) -> bool:
        items = run.outcome.value
        return len(items) > place and error(items[place], run.case.wanted) <= run.tolerance

    return any(all(right(run, place) for run in plain) for place in range(2))


def _transposed(wrong: Wrong) -> bool:
    def turned(run: Run) -> bool:
        value, wanted = run.outcome.value, run.case.wanted
        if not isinstance(value, np.ndarray) or wanted.ndim != 2:
            return False
        return error(value.swapaxes(-1, -2) if value.ndim > 1 else value, wanted) <= run.tolerance

    plain = wrong.of("plain")
    return any(not run.right for run in plain) and all(map(turned, plain))


def _weights(wrong: Wrong) -> bool:
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


def _overflows(wrong: Wrong) -> bool:
    """Whether it is right but for large scores, where numbers that are none come out."""
    wrong_ones = [run for run in wrong.runs if not run.right]
    return wrong.right_on("plain") and all(
        run.case.sort == "large" and _not_finite(run) for run in wrong_ones
    )


def _not_finite(run: Run) -> bool:
    value = run.outcome.value
    return (
        isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all()
    )


def _empty_rows(run: Run) -> Any:
    """Return which rows may attend to nothing: their wanted output is 0."""
    return (run.case.wanted == 0).all(axis=-1)


def _nothing_gives_nan(wrong: Wrong) -> bool:
    def shows(run: Run) -> bool:
        value = run.outcome.value
        if not isinstance(value, np.ndarray) or value.shape != run.case.wanted.shape:
            return False
        return bool(np.isnan(value[_empty_rows(run)]).all()) and _others_right(run)

    empty = wrong.of("empty")
    return wrong.right_on("plain") and bool(empty) and all(map(shows, empty))


def _nothing_averages(wrong: Wrong) -> bool:
    def shows(run: Run) -> bool:
        value, given = run.outcome.value, run.case.arguments[2]
        if not isinstance(value, np.ndarray) or value.shape != run.case.wanted.shape:
            return False
        mean = np.broadcast_to(given.mean(axis=-2, keepdims=True), value.shape)
        rows = _empty_rows(run)
        return bool(np.allclose(value[rows], mean[rows], atol=run.tolerance)) and _others_right(run)

    empty = wrong.of("empty")
    return wrong.right_on("plain") and bool(empty) and all(map(shows, empty))


def _others_right(run: Run) -> bool:
    rows = ~_empty_rows(run)
    return error(run.outcome.value[rows], run.case.wanted[rows]) <= run.tolerance


def _front_axes(wrong: Wrong) -> bool:
    """Whether it is right without axes in front, and wrong with them."""
    wrong_ones = [run for run in wrong.runs if not run.right]
    return wrong.right_on("plain") and all(run.case.sort == "batch" for run in wrong_ones)


def _too_short(wrong: Wrong) -> bool:
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


ROWS = ("attention", "masked_attention", "causal_attention")


def _mistake(
    tag: str, sentence: str, shows: Callable[[Wrong], bool]
) -> Mistake[CodeProblem, Wrong]:
    return Mistake(tag, sentence, shows)


def _like(tag: str, sentence: str, *changes: Change) -> Mistake[CodeProblem, Wrong]:
    """A mistake that is recognised by the numbers of its imitation."""
    return Mistake(tag, sentence, lambda wrong: wrong.any_like(changes))


MISTAKES: tuple[Mistake[CodeProblem, Wrong], ...] = (
    _mistake(
        "function-not-written",
        "The function is not written yet: it raises NotImplementedError or returns nothing.",
        _not_written,
    ),
    _mistake(
        "returns-a-tuple",
        "The function returns several things, the right one among them: return that alone.",
        _tuple,
    ),
    _mistake(
        "exp-overflows",
        "Right for small scores; for large ones exp overflows and nan comes out. Subtract the "
        "largest score of a row before exp: it cancels.",
        _overflows,
    ),
    _mistake(
        "nothing-allowed-gives-nan",
        "A query that may attend to nothing becomes nan, 0 divided by 0. Its output is to be 0.",
        _nothing_gives_nan,
    ),
    _mistake(
        "nothing-allowed-averages-all",
        "A query that may attend to nothing gets the average of all values, as where a large "
        "negative number stands for minus infinity. Its output is to be 0.",
        _nothing_averages,
    ),
    _mistake(
        "leading-axes-not-handled",
        "Right for one table, and not where axes come in front of it, as for a batch or heads: "
        "work along the last axes (swapaxes(-1, -2), axis=-1), not along the first.",
        _front_axes,
    ),
    _mistake("no-large-scale", SHARED["no-large-scale"], _too_short),
    _mistake(
        "returns-the-weights",
        "What is returned are the weights; the output is their product with the values.",
        _weights,
    ),
    _like(
        "softmax-along-the-wrong-axis",
        "The softmax runs along the wrong axis: columns sum to 1, and rows should.",
        Change(axis=-2),
        Change(axis=-2, scale="none"),
    ),
    _like(
        "softmax-of-the-whole-array",
        "The softmax divides by the sum of the whole array: every row should sum to 1 by itself.",
        Change(axis=None),
    ),
    _like(
        "scores-not-scaled",
        "The scores are not divided by the root of d_k.",
        Change(scale="none"),
    ),
    _like(
        "scores-divided-by-d-k",
        "The scores are divided by d_k, and should be by its root.",
        Change(scale="width"),
    ),
    _like(
        "scores-multiplied-by-the-root",
        "The scores are multiplied by the root of d_k, and should be divided by it.",
        Change(scale="times"),
    ),
    _like(
        "scaled-by-another-width",
        "The scores are divided by the root of another size, that of the tokens or of the values, "
        "and should be by that of d_k, which queries and keys of one head have.",
        Change(scale="model"),
    ),
    _like(
        "mask-times-scores",
        "The mask multiplies the scores: a score of 0 still has a weight. Put minus infinity there "
        "before the softmax.",
        Change(mask="times scores"),
    ),
    _like(
        "mask-times-weights",
        "The mask multiplies the weights after the softmax, so that they no longer sum to 1. Put "
        "minus infinity into the scores before it.",
        Change(mask="times weights"),
    ),
    _like(
        "mask-read-inverted",
        "The mask is read the other way round: True is where a query may attend.",
        Change(mask="inverted"),
    ),
    _like(
        "mask-not-used",
        "What should be hidden is attended to: the function returns what it would without a mask.",
        Change(mask="ignored"),
        Change(causal="ignored"),
        Change(padding="ignored"),
    ),
    _like(
        "causal-without-itself",
        "A position does not see itself: the mask is j < i, and should be j <= i.",
        Change(causal="before"),
    ),
    _like(
        "causal-the-other-way",
        "A position sees itself and those after it: the mask is j >= i, and should be j <= i.",
        Change(causal="from"),
    ),
    _like(
        "padding-hides-queries",
        "The lengths hide rows of queries. Padding is hidden as keys: no query may attend to it.",
        Change(padding="queries"),
    ),
    _like(
        "length-off-by-one",
        "The last real key is hidden, or the first of the padding is not: keys 0 to length - 1 "
        "are real.",
        Change(padding="one more"),
        Change(padding="one less"),
    ),
    _like(
        "query-and-key-matrices-exchanged",
        "Queries are made with W_K and keys with W_Q: the scores are transposed.",
        Change(exchanged=True),
    ),
    _like(
        "keys-of-the-tokens-themselves",
        "Keys and values are made of the tokens that ask. In cross-attention they are made of the "
        "context.",
        Change(source="keys of x"),
    ),
    _like(
        "context-asks",
        "Queries are made of the context, and keys and values of the tokens: it should be the "
        "other way round.",
        Change(source="exchanged"),
    ),
    _like(
        "heads-cut-by-reshape",
        "A reshape to (n_heads, n, ...) cuts the table into groups of tokens, not into heads. "
        "Reshape to (n, n_heads, ...) and then swap these two axes.",
        Change(cut="reshape"),
    ),
    _like(
        "head-outputs-interleaved",
        "The numbers of the heads are interleaved. They should stand side by side, all of head 0 "
        "first.",
        Change(merge="interleaved"),
    ),
    _like(
        "heads-added-up",
        "The outputs of the heads are added. They should stand side by side before W_O.",
        Change(merge="sum"),
    ),
    _like(
        "output-matrix-not-applied",
        "The outputs of the heads stand side by side, and W_O is not applied to them.",
        Change(output=False),
    ),
    _like(
        "sines-then-cosines",
        "All sines come first and then all cosines. They should take turns: column 2i a sine, "
        "column 2i + 1 a cosine.",
        Change(columns="halves"),
    ),
    _like(
        "cosines-in-even-columns",
        "Sines and cosines are exchanged: even columns are sines.",
        Change(columns="cosine first"),
    ),
    _like(
        "a-frequency-for-every-column",
        "Every column has a frequency of its own. A sine and the cosine beside it share one.",
        Change(frequency="column"),
    ),
    _like(
        "exponent-without-two",
        "The exponent of pair i is -i/d. It should be -2i/d.",
        Change(frequency="i"),
    ),
    _like(
        "positions-counted-from-one",
        "The first position is counted as 1. It is 0.",
        Change(first=1),
    ),
    _like(
        "rotary-turned-back",
        "The pairs are turned the other way: (a, b) should become (a cos - b sin, a sin + b cos).",
        Change(turn="back"),
    ),
    _like(
        "rotary-pairs-of-halves",
        "Entry i is paired with entry i + d/2. Here the pairs are the entries 2i and 2i + 1.",
        Change(turn="halves"),
    ),
    _mistake(
        "returns-the-transpose",
        "The numbers are right and the table is transposed.",
        _transposed,
    ),
)
