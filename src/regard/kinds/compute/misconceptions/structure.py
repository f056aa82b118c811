"""Mistakes about matrices, heads, contexts and caches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from regard.kinds.compute.instance import STAGES, Example, Float64, Found, Setup, forward
from regard.kinds.compute.instance.forward import projections
from regard.kinds.compute.misconceptions.case import (
    imitated,
    otherwise,
    with_given,
    with_stage,
    without_arrays,
)
from regard.kinds.compute.misconceptions.imitation import Imitate, Imitated


def _exchanged(one: str, other: str) -> Imitate:
    """Two of queries, keys and values for each other: in all that follows, or in outputs alone."""

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        rows = dict(projections(setup, found))
        rows[one], rows[other] = rows[other], rows[one]
        return rows

    def imitate(example: Example) -> Imitated:
        right, given = example.right, example.given
        if one not in right or other not in right or given.heads > 1:
            return
        shapes = {letter: right[letter].shape for letter in (one, other)}
        rows = {"Q": shapes.get("Q"), "K": shapes.get("K"), "V": shapes.get("V")}
        if shapes[one] == shapes[other] or {one, other} == {"Q", "K"}:
            square = given.n_q == given.n_k or {one, other} == {"K", "V"}
            if square and (rows["V"] is None or given.score == "dot"):
                yield with_stage(example, projections=stage)
        if "V" in (one, other):
            swapped = {**right, one: right[other], other: right[one]}
            if "A" in right and swapped["V"].shape[0] == right["A"].shape[1]:
                swapped["C"] = right["A"] @ swapped["V"]
                yield swapped
            elif "C" in right:
                yield swapped

    return imitate


def _rows_of_matrices(example: Example) -> Imitated:
    """W x instead of W' x, of all matrices for which there is such a product."""
    arrays = dict(example.setup.arrays)
    for name in ("W_Q", "W_K", "W_V"):
        W = arrays.get(name)
        if W is not None and W.shape[0] == W.shape[1]:
            arrays[name] = W.T
    if any(name in arrays for name in ("W_Q", "W_K", "W_V")):
        yield otherwise(example, arrays=arrays)


def _without(*names: str) -> Imitate:
    def imitate(example: Example) -> Imitated:
        if any(name in example.setup.arrays for name in names):
            yield forward(without_arrays(example.setup, *names))

    return imitate


def _output_matrix_left_out(example: Example) -> Imitated:
    heads, merged = example.right.get("C"), example.right.get("O")
    if heads is not None and merged is not None and heads.shape == merged.shape:
        yield with_stage(example, merged=lambda setup, found: {"O": found["C"]})
        bias = example.setup.arrays.get("b_O", np.zeros(1))
        yield with_stage(example, merged=lambda setup, found: {"O": found["C"] + bias})


def _heads_interleaved(example: Example) -> Imitated:
    """Each head takes every h-th column instead of neighbouring ones."""
    given = example.given
    if given.heads == 1 or given.groups != given.heads:
        return

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        rows = dict(projections(setup, found))
        for letter, whole in rows.items():
            order = np.arange(whole.shape[1]).reshape(-1, given.heads).T.ravel()
            rows[letter] = whole[:, order]
        return rows

    found = with_stage(example, projections=stage)
    kept = {letter: example.right[letter] for letter in "QKV" if letter in example.right}
    yield {**found, **kept}


def _one_large_head(example: Example) -> Imitated:
    given = example.given
    if given.heads > 1 and given.groups == given.heads:
        found = with_given(example, heads=1, key_heads=None)
        names = {
            f"{s}_h{h}": found[s] for s in "GZASHE" if s in found for h in range(1, given.heads + 1)
        }
        yield {**found, **names}


def _groups_in_turn(example: Example) -> Imitated:
    """Query head h reads key head h mod g instead of a block of neighbours sharing one."""
    given = example.given
    if given.groups == given.heads or given.groups == 1:
        return
    order = [h % given.groups for h in range(given.heads)]
    wide = with_heads(example, order)
    yield {**wide, "K": example.right["K"], "V": example.right["V"]}


def with_heads(example: Example, order: list[int]) -> Found:
    """Return all numbers where each query head reads the key head that is listed for it."""
    given = example.given

    def spread(setup: Setup, found: Found) -> Mapping[str, Float64]:
        rows = dict(projections(setup, found))
        for letter in ("K", "V"):
            parts = np.split(rows[letter], given.groups, axis=1)
            rows[letter] = np.hstack([parts[g] for g in order])
        return rows

    changed = replace(example.setup, given=given.model_copy(update={"key_heads": given.heads}))
    return forward(changed, {**STAGES, "projections": spread})


def _self_attention(example: Example) -> Imitated:
    """Keys and values of the tokens themselves instead of the context."""
    given = example.given
    if given.context is None or given.tokens is None:
        return
    if len(given.context[0]) == len(given.tokens[0]) and len(given.context) == given.n_q:
        yield forward(without_arrays(example.setup, "context"))


def _cache_left_out(example: Example) -> Imitated:
    """Keys and values of the new tokens only."""
    if example.given.cached_K is None:
        return
    setup = without_arrays(example.setup, "cached_K", "cached_V")
    count = len(example.given.cached_K)
    setup = replace(setup, allowed=setup.allowed[:, count:])
    if setup.allowed.any(axis=1).all():
        yield forward(setup)


MATRICES = (
    imitated("queries-and-keys-swapped", _exchanged("Q", "K"), "Query and key exchanged"),
    imitated("keys-and-values-swapped", _exchanged("K", "V")),
    imitated("queries-and-values-swapped", _exchanged("Q", "V")),
    imitated(
        "rows-and-columns",
        _rows_of_matrices,
        "$W x$ instead of $W^\\top x$",
        "The token was multiplied by the rows of a matrix where its columns belong:\n"
        "W' x is not W x.",
    ),
    imitated(
        "biases-forgotten",
        _without("b_Q", "b_K", "b_V", "b_O"),
        "The biases left out",
        "The biases were not added to the queries, keys, values or outputs.\n"
        "A bias is added after the product with its matrix.",
    ),
    imitated(
        "forgot-output-matrix",
        _output_matrix_left_out,
        "$W_O$ left out",
        "What the heads put out was not multiplied by W_O.\nThat comes last, and mixes the heads.",
    ),
    imitated(
        "heads-mixed",
        _heads_interleaved,
        "Heads that take every second column",
        "Columns were dealt out to the heads in turn.\nA head has neighbouring columns.",
    ),
    imitated(
        "one-large-head",
        _one_large_head,
        "One head over all columns",
        "The columns were not split:\neach head has scores and a softmax of its own.",
    ),
    imitated(
        "key-heads-in-turn",
        _groups_in_turn,
        "Key heads taken in turn",
        "Key heads were taken in turn.\nNeighbouring query heads share one.",
    ),
    imitated(
        "self-instead-of-cross",
        _self_attention,
        "Keys and values of the tokens themselves",
        "Keys and values were made of the tokens.\nThey are to be made of the context.",
    ),
    imitated(
        "cache-forgotten",
        _cache_left_out,
        "The cached keys left out",
        "Only the new keys and values were used.\nThe cached ones come before them.",
    ),
)
