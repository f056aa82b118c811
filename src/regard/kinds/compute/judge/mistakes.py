"""What wrong numbers come from: the mistake is made on purpose, and the results compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from regard.checking.misconceptions import misconception
from regard.checking.sampling import softmax
from regard.checking.verdict import Misconception
from regard.kinds.compute.judge.numbers import Float64, Rows, Work, forward, letter, pick
from regard.kinds.compute.spec import MATRICES


def recognise(work: Work, roots: list[str]) -> Misconception | None:
    """Name the mistake that explains all of these wrong numbers, or else the first of them."""
    for names in (roots, roots[:1]):
        for tag, explains in _tests(work):
            if names and all(explains(name) for name in names):
                return misconception(tag)
    return None


def _tests(work: Work) -> Iterator[tuple[str, Callable[[str], bool]]]:
    yield "not-finite", lambda name: not np.all(np.isfinite(work.given[name]))
    for tag, rows in _imitations(work):
        yield tag, partial(_imitated, work, rows)
    yield "sign-error", lambda name: _only_signs(work, name)
    yield "transposed-result", lambda name: _transposed(work, name)
    yield "another-token", lambda name: _another_token(work, name)


def _imitated(work: Work, rows: Rows, name: str) -> bool:
    return work.same(name, pick(rows, name))


def _imitations(work: Work) -> Iterator[tuple[str, Rows]]:
    """Return what comes out with each mistake."""
    right = work.right
    Q, K, V, scores = (right[one] for one in "qkvz")
    width, scale = Q.shape[1], work.scale
    if scale != 1:
        yield "forgot-scale", forward(Q, K, V, 1.0)
    elif width > 1:
        yield "scaled-although-not-asked", forward(Q, K, V, 1 / np.sqrt(width))
    yield "queries-and-keys-swapped", forward(K, Q, V, scale)
    if K.shape == V.shape:
        yield "keys-and-values-swapped", forward(Q, V, K, scale)
        yield "queries-and-values-swapped", forward(V, K, Q, scale)
    yield "keys-and-values-swapped", {**right, "k": V, "v": K, "c": right["a"] @ K}
    yield "queries-and-values-swapped", {**right, "q": V, "v": Q, "c": right["a"] @ Q}
    yield from _turned(work)
    with np.errstate(all="ignore"):
        for tag, weights in _weights(scores):
            yield tag, {**right, "a": weights, "c": weights @ V}
    yield "weights-instead-of-scores", {**right, "z": right["a"]}
    total = np.broadcast_to(np.sum(V, axis=0), (len(V), V.shape[1]))
    yield "values-not-weighted", {**right, "c": total}


def _turned(work: Work) -> Iterator[tuple[str, Rows]]:
    """W x instead of W' x, of all matrices for which there is such a product."""
    tokens, *matrices = (
        np.array([[float(entry) for entry in row] for row in matrix])
        for matrix in (work.found.x, work.found.W_Q, work.found.W_K, work.found.W_V)
    )
    turned = [tokens @ (W.T if W.shape[0] == W.shape[1] else W) for W in matrices]
    yield "rows-and-columns", forward(turned[0], turned[1], turned[2], work.scale)


def _weights(scores: Float64) -> list[tuple[str, Float64]]:
    """Return what scores are turned into instead of weights."""
    count = len(scores)
    powers = np.exp(scores)
    return [
        ("softmax-over-columns", softmax(scores.T).T),
        ("unnormalised-weights", powers),
        ("scores-divided-by-their-sum", scores / np.sum(scores, axis=1, keepdims=True)),
        ("scores-instead-of-weights", scores),
        ("softmax-over-all", powers / np.sum(powers)),
        ("values-not-weighted", np.full(scores.shape, 1 / count)),
        ("largest-score-takes-all", np.eye(count)[np.argmax(scores, axis=1)]),
    ]


def _only_signs(work: Work, name: str) -> bool:
    """The numbers are right once some of them have the other sign."""
    if not work.fits(name):
        return False
    given = work.given[name]
    return work.passes(name, np.where(given * work.wanted(name) < 0, -given, given))


def _transposed(work: Work, name: str) -> bool:
    return name in MATRICES and work.same(name, work.wanted(name).T)


def _another_token(work: Work, name: str) -> bool:
    """It is what another token has."""
    rows = work.right[letter(name)]
    if name in MATRICES:
        return any(work.same(name, np.roll(rows, shift, axis=0)) for shift in range(1, len(rows)))
    return any(work.same(name, row) for row in rows)
