"""The cases that a function is tried on, small ones first, so that what fails first is small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from regard.checking.sampling import generator
from regard.kinds.code.instance.expected import Arguments, expected

Float64 = NDArray[np.float64]
# Plain ones; with axes in front; with a query that may attend to nothing; with large scores; with
# scores of hidden keys that are far above the others.
Sort = Literal["plain", "batch", "empty", "large", "hidden"]
DRAWN = 12
LARGE = 400.0


@dataclass(frozen=True, eq=False)
class Case:
    """One call: its arguments and what it must come to.

    Attributes:
        sort: what is special about it.
        arguments: what the function is given.
        wanted: what it must come to.
        seed: draws it again, or None for one that is written down.
    """

    sort: Sort
    arguments: Arguments
    wanted: Float64
    seed: int | None = None


@cache
def cases(behaviour: str) -> tuple[Case, ...]:
    """Return the cases of a behaviour, the same ones every time."""
    found = [Case(sort, a, expected(behaviour, a)) for sort, a in _written(behaviour)]
    for seed in range(DRAWN):
        for sort, arguments in _drawn(behaviour, generator(seed)):
            found.append(Case(sort, arguments, expected(behaviour, arguments), seed))
    order = ("plain", "empty", "large", "hidden", "batch")
    found.sort(key=lambda case: (case.seed is not None, order.index(case.sort)))
    return tuple(found)


def _a(*rows: Any) -> Float64:
    return np.array(rows, float)


def _written(behaviour: str) -> Iterator[tuple[Sort, Arguments]]:
    """Cases of a few small whole numbers, on which a mistake is seen with bare eyes."""
    if behaviour == "softmax":
        yield "plain", (_a([0, 1]),)
        yield "plain", (_a([0, 1], [2, 0], [1, 1]),)
        yield "large", (_a([1000, 0]),)
        yield "large", (_a([-1000, -1001]),)
        yield "batch", (_a(0, 1, 2),)
        yield "batch", (_a([[0, 1, 2], [1, 0, 0]], [[3, 1, 0], [0, 2, 2]]),)
    elif behaviour == "sinusoidal_positions":
        for n, d_model in ((1, 2), (2, 2), (2, 4), (3, 6), (50, 16)):
            yield "plain", (n, d_model)
    elif behaviour == "rotary":
        yield "plain", (_a([1, 0]), np.array([1]))
        yield "plain", (_a([1, 0, 0, 0], [0, 0, 1, 2]), np.array([0, 1]))
    elif behaviour == "copy_query":
        yield "plain", (np.eye(2), 0)
        yield "plain", (np.eye(3)[:2], 1)
    elif behaviour in ("padding_attention", "causal_padding_attention"):
        q, k, v = _a([[1, 0], [0, 1]]), _a([[1, 0], [0, 1]]), _a([[1], [2]])
        yield "plain", (q, k, v, np.array([1]))
        yield "plain", (q, k, v, np.array([2]))
        yield "empty", (q, k, v, np.array([0]))
        yield "large", (LARGE * q, 10 * k[::-1], v, np.array([2]))
        yield "hidden", (LARGE * q, 10 * k, v, np.array([1]))
    elif behaviour in ("attention", "masked_attention", "causal_attention"):
        yield from _of_rows(behaviour)
    else:
        yield from _of_tokens(behaviour)


def _of_rows(behaviour: str) -> Iterator[tuple[Sort, Arguments]]:
    q, k, v = _a([1, 0], [0, 2]), _a([1, 0], [0, 1]), _a([1, 0], [0, 1])
    if behaviour == "attention":
        yield "plain", (q[:1], k, v)
        yield "plain", (q, k, v)
        yield "large", (LARGE * q, 10 * k, v)
        yield "batch", (np.stack([q, -q]), np.stack([k, 2 * k]), np.stack([v, 3 * v]))
    elif behaviour == "causal_attention":
        yield "plain", (q[:1], k[:1], v[:1])
        yield "plain", (q, k, v)
        yield "large", (LARGE * q, 10 * k, v)
        yield "hidden", (LARGE * q, 10 * k[::-1], v)
        yield "batch", (np.stack([q, -q]), np.stack([k, 2 * k]), np.stack([v, 3 * v]))
    else:
        yield "plain", (q, k, v, np.array([[True, False], [False, True]]))
        yield "empty", (q, k, v, np.array([[True, True], [False, False]]))
        yield "large", (LARGE * q, 10 * k, v, np.array([[True, True], [False, True]]))
        yield "hidden", (LARGE * q, 10 * k, v, np.array([[True, True], [True, False]]))


def _of_tokens(behaviour: str) -> Iterator[tuple[Sort, Arguments]]:
    x, y = _a([1, 0], [0, 1]), _a([2, 1], [0, 1], [1, 1])
    W_Q, W_K, W_V = _a([1, 0], [0, 1]), _a([0, 1], [1, 1]), _a([1, 2], [0, 1])
    if behaviour == "self_attention":
        yield "plain", (x, W_Q, W_K, W_V)
        yield "large", (LARGE * x, W_Q, W_K, W_V)
    elif behaviour == "cross_attention":
        yield "plain", (x, y[:2], W_Q, W_K, W_V)
        yield "plain", (x, y, W_Q, W_K, W_V)
        yield "large", (LARGE * x, y, W_Q, W_K, W_V)
    else:
        heads = [np.stack([W, W[::-1]]) for W in (W_Q, W_K, W_V)]
        W_O = _a([1, 0], [0, 1], [1, 1], [0, 2])
        split = behaviour == "split_head_attention"
        matrices = [np.concatenate(W, axis=1) for W in heads] if split else heads
        last = (2,) if split else ()
        yield "plain", (x, *matrices, W_O, *last)
        yield "large", (LARGE * x, *matrices, W_O, *last)


def _drawn(behaviour: str, rng: np.random.Generator) -> Iterator[tuple[Sort, Arguments]]:
    """Cases with another size on every axis, and some on which sizes agree."""
    sizes = rng.permutation([2, 3, 5, 7])
    n_q, n_k, d_k, d_v = (int(size) for size in sizes)
    normal: Callable[..., Float64] = lambda *shape: rng.standard_normal(shape)  # noqa: E731
    if behaviour == "softmax":
        yield "plain", (3 * normal(n_q, n_k),)
        yield "batch", (3 * normal(n_q, d_v, n_k),)
    elif behaviour == "sinusoidal_positions":
        yield "plain", (n_q * n_k, 2 * d_k)
    elif behaviour == "rotary":
        yield "plain", (normal(n_q, 2 * d_k), rng.integers(0, 20, n_q))
        yield "batch", (normal(n_k, n_q, 2 * d_k), rng.integers(0, 20, n_q))
    elif behaviour == "copy_query":
        frame = np.linalg.qr(normal(d_k + n_q, d_k + n_q))[0]
        yield "plain", (frame[: n_q + 1], int(rng.integers(n_q + 1)))
    elif behaviour in ("attention", "masked_attention", "causal_attention"):
        yield from _drawn_rows(behaviour, rng, (n_q, n_k, d_k, d_v))
    elif behaviour in ("padding_attention", "causal_padding_attention"):
        arrays = [normal(n_q, n_k, d) for d in (d_k, d_k, d_v)]
        yield "plain", (*arrays, rng.integers(1, n_k + 1, n_q))
        yield "empty", (*arrays, rng.integers(1, n_k + 1, n_q) * (np.arange(n_q) > 0))
    else:
        yield from _drawn_tokens(behaviour, rng, (n_q, n_k, d_k, d_v))


def _drawn_rows(
    behaviour: str, rng: np.random.Generator, sizes: tuple[int, int, int, int]
) -> Iterator[tuple[Sort, Arguments]]:
    n_q, n_k, d_k, d_v = sizes
    n_q = n_k if behaviour == "causal_attention" else n_q
    for lead in ((), (3,), (2, 3)):
        shapes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        arrays = [rng.standard_normal((*lead, *shape)) for shape in shapes]
        if behaviour != "masked_attention":
            yield "batch" if lead else "plain", tuple(arrays)
            continue
        mask = rng.random((n_q, n_k)) < 0.6
        mask[:, 0], mask[:, -1] = True, False  # no row may attend to all, or to nothing
        yield "batch" if lead else "plain", (*arrays, mask)
        if not lead:
            yield "empty", (*arrays, mask & (np.arange(n_q) > 0)[:, np.newaxis])


def _drawn_tokens(
    behaviour: str, rng: np.random.Generator, sizes: tuple[int, int, int, int]
) -> Iterator[tuple[Sort, Arguments]]:
    n, d_model, d_k, d_v = sizes
    # Then once with d_k = d_v = d_model, where matrices that are taken for each other fit.
    for wide, deep in ((d_k, d_v), (d_model, d_model)):
        x = rng.standard_normal((n, d_model))
        if behaviour in ("self_attention", "cross_attention"):
            matrices = [rng.standard_normal((d_model, width)) for width in (wide, wide, deep)]
            other = (rng.standard_normal((n + 1, d_model)),)
            yield "plain", (x, *(other if behaviour == "cross_attention" else ()), *matrices)
            continue
        heads = 3
        if wide == d_model:  # d_k = d_v, and heads · d_v = d_model
            d_model, wide, deep = 6, 2, 2
            x = rng.standard_normal((n, d_model))
        matrices = [rng.standard_normal((heads, d_model, width)) for width in (wide, wide, deep)]
        W_O = rng.standard_normal((heads * deep, d_model))
        if behaviour == "split_head_attention":
            joined = [np.concatenate(W, axis=1) for W in matrices]
            yield "plain", (x, *joined, W_O, heads)
        else:
            yield "plain", (x, *matrices, W_O)
