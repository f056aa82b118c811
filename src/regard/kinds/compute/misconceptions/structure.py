"""Mistakes about matrices, heads, positions and what stands around attention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from regard.kinds.compute.instance import STAGES, Example, Float64, Found, Setup, forward
from regard.kinds.compute.instance.forward import (
    inputs,
    normalise,
    projections,
    tokens_of,
)
from regard.kinds.compute.misconceptions.case import (
    Imitate,
    imitated,
    otherwise,
    with_given,
    with_stage,
    without_arrays,
)

Found_ = Iterator[Mapping[str, Float64]]


def _exchanged(one: str, other: str) -> Imitate:
    """Two of queries, keys and values for each other: in all that follows, or in outputs alone."""

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        rows = dict(projections(setup, found))
        rows[one], rows[other] = rows[other], rows[one]
        return rows

    def imitate(example: Example) -> Found_:
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


def _rows_of_matrices(example: Example) -> Found_:
    """W x instead of W' x, of all matrices for which there is such a product."""
    arrays = dict(example.setup.arrays)
    for name in ("W_Q", "W_K", "W_V"):
        W = arrays.get(name)
        if W is not None and W.shape[0] == W.shape[1]:
            arrays[name] = W.T
    if any(name in arrays for name in ("W_Q", "W_K", "W_V")):
        yield otherwise(example, arrays=arrays)


def _without(*names: str) -> Imitate:
    def imitate(example: Example) -> Found_:
        if any(name in example.setup.arrays for name in names):
            yield forward(without_arrays(example.setup, *names))

    return imitate


def _output_matrix_left_out(example: Example) -> Found_:
    heads, merged = example.right.get("C"), example.right.get("O")
    if heads is not None and merged is not None and heads.shape == merged.shape:
        found = forward(example.setup, {**STAGES, "merged": lambda s, f: {"O": f["C"]}})
        yield found


def _heads_interleaved(example: Example) -> Found_:
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


def _one_large_head(example: Example) -> Found_:
    given = example.given
    if given.heads > 1 and given.groups == given.heads:
        found = with_given(example, heads=1, key_heads=None)
        names = {f"{s}_h{h}": found[s] for s in "GZASHE" for h in range(1, given.heads + 1)}
        yield {**found, **names}


def _groups_in_turn(example: Example) -> Found_:
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


def _residual_left_out(example: Example) -> Found_:
    if example.given.residual:
        yield with_stage(
            example,
            residual=lambda setup, found: {"R": found.get("O", found.get("C"))},  # type: ignore[dict-item]
        )


def _norm_otherwise(how: str) -> Imitate:
    """A norm over the tokens instead of the entries, over d - 1, or none at all."""

    def imitate(example: Example) -> Found_:
        setup = example.setup
        norm = setup.norms[0]
        if norm is None or (how == "sample" and norm.kind != "layer"):
            return

        def changed(x: Float64, second: bool = False) -> Float64:
            own = setup.norms[1] if second else norm
            assert own is not None
            if how == "none":
                return x
            if how == "tokens":
                return normalise(x, own, axis=0)
            d = x.shape[1]
            return (normalise(x, own) - own.shift) * np.sqrt((d - 1) / d) + own.shift

        def before(setup: Setup, found: Found) -> Mapping[str, Float64]:
            place = norm is not None and norm.place == "pre"
            return {"N": changed(tokens_of(setup, found))} if place else {}

        def after(setup: Setup, found: Found) -> Mapping[str, Float64]:
            result = dict(STAGES["block"](setup, found))
            last = found.get("R", found.get("O", found.get("C")))
            if "Y" in result and setup.given.feed_forward is None and last is not None:
                result["Y"] = changed(last)
            return result

        yield with_stage(example, normed_inputs=before, block=after)

    return imitate


def _pre_for_post(example: Example) -> Found_:
    norm, given = example.given.norm, example.given
    if norm is not None:
        other = norm.model_copy(update={"place": "post" if norm.place == "pre" else "pre"})
        found = with_given(example, norm=other)
        if given.feed_forward is None:
            last = found.get("Y", found.get("R", found.get("O")))
            found |= {} if last is None else {"Y": last, "R": last}
        yield found


def _positions_left_out(example: Example) -> Found_:
    if example.given.positions is not None and example.given.n is None:
        found = with_given(example, positions=None)
        found |= {n: np.zeros_like(B) for n, B in example.right.items() if n[0] == "B"} | found
        for name in ("QR", "KR", "XP"):
            if name in example.right:
                found[name] = found[name[0]] if name != "XP" else example.setup.arrays["tokens"]
        yield found


def _counted_from_one(example: Example) -> Found_:
    p = example.given.positions
    if p is None or p.kind not in ("sinusoidal", "rotary"):
        return
    for step in (1, -1):
        setup = example.setup
        if setup.first_key + step >= 0:
            yield otherwise(
                example, first_query=setup.first_query + step, first_key=setup.first_key + step
            )


def _other_pairs(example: Example) -> Found_:
    p = example.given.positions
    if p is not None and p.kind == "rotary":
        other = "halves" if p.pairs == "interleaved" else "interleaved"
        yield with_given(example, positions=p.model_copy(update={"pairs": other}))


def _turned_back(example: Example) -> Found_:
    """Rotations the other way round."""
    if example.given.turns:
        setup = example.setup

        def stage(inner: Setup, found: Found) -> Mapping[str, Float64]:
            from regard.kinds.compute.instance.positions import turned
            from regard.kinds.compute.spec.numbers import value

            p = inner.given.positions
            assert p is not None
            result = {}
            for letter, first, heads in (
                ("Q", setup.first_query, inner.given.heads),
                ("K", setup.first_key, inner.given.groups),
            ):
                rows = [
                    turned(found[letter][[i]], -(first + i), value(p.base), p.pairs, heads)
                    for i in range(len(found[letter]))
                ]
                result[f"{letter}R"] = np.vstack(rows)
            return result

        yield with_stage(example, rotated=stage)


def _sines_first(example: Example) -> Found_:
    """All sines, then all cosines, where they alternate."""
    p = example.given.positions
    if p is None or p.kind != "sinusoidal":
        return

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        P = inputs(setup, found)["P"]
        P = np.hstack([P[:, 0::2], P[:, 1::2]])
        if setup.given.n is not None:
            return {"P": P}
        tokens = setup.arrays["tokens"]
        return {"P": P, "XP": tokens + P[: len(tokens)]}

    yield with_stage(example, inputs=stage)


def _self_attention(example: Example) -> Found_:
    """Keys and values of the tokens themselves instead of the context."""
    given = example.given
    if given.context is None or given.tokens is None:
        return
    if len(given.context[0]) == len(given.tokens[0]) and len(given.context) == given.n_q:
        yield forward(without_arrays(example.setup, "context"))


def _cache_left_out(example: Example) -> Found_:
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
        "The token was multiplied by the rows of a matrix where its columns belong: W' x is not W "
        "x.",
    ),
    imitated(
        "biases-forgotten",
        _without("b_Q", "b_K", "b_V", "b_O"),
        "The biases left out",
        "The biases were not added to the queries, keys, values or outputs.",
    ),
    imitated(
        "forgot-output-matrix",
        _output_matrix_left_out,
        "$W_O$ left out",
        "What the heads put out was not multiplied by W_O.",
    ),
    imitated(
        "heads-mixed",
        _heads_interleaved,
        "Heads that take every second column",
        "Columns were dealt out to the heads in turn. A head has neighbouring columns.",
    ),
    imitated(
        "one-large-head",
        _one_large_head,
        "One head over all columns",
        "The columns were not split: each head has scores and a softmax of its own.",
    ),
    imitated(
        "key-heads-in-turn",
        _groups_in_turn,
        "Key heads taken in turn",
        "Key heads were taken in turn. Neighbouring query heads share one.",
    ),
    imitated(
        "self-instead-of-cross",
        _self_attention,
        "Keys and values of the tokens themselves",
        "Keys and values were made of the tokens. They are to be made of the context.",
    ),
    imitated(
        "cache-forgotten",
        _cache_left_out,
        "The cached keys left out",
        "Only the new keys and values were used. The cached ones come before them.",
    ),
)
POSITIONS = (
    imitated(
        "other-rotary-pairs",
        _other_pairs,
        "The other pairs of entries turned",
        "The entries were paired in the other way: neighbours, or the two halves.",
    ),
    imitated(
        "turned-the-other-way",
        _turned_back,
        sentence="The pairs were turned the other way: a positive angle takes (1, 0) to (cos, "
        "sin).",
    ),
    imitated(
        "sines-before-cosines",
        _sines_first,
        "All sines before all cosines",
        "All sines stand before all cosines. Here they alternate.",
    ),
    imitated(
        "positions-one-off",
        _counted_from_one,
        "Positions counted from another number",
        "Positions are off by one: look at which number the first one has.",
    ),
    imitated(
        "positions-forgotten",
        _positions_left_out,
        "Positions left out",
        "These are the numbers without positions.",
    ),
)
BLOCK = (
    imitated(
        "residual-forgotten",
        _residual_left_out,
        "The residual left out",
        "The input was not added to the output of attention.",
    ),
    imitated(
        "norm-over-tokens",
        _norm_otherwise("tokens"),
        "The norm over the tokens",
        "Mean and variance were taken over the tokens. A norm takes them over the entries of one "
        "token.",
    ),
    imitated(
        "variance-over-d-minus-one",
        _norm_otherwise("sample"),
        "The variance divided by $d - 1$",
        "The variance was divided by d - 1. A layer norm divides by d.",
    ),
    imitated(
        "norm-forgotten",
        _norm_otherwise("none"),
        sentence="The norm was left out.",
    ),
    imitated(
        "pre-and-post-norm-exchanged",
        _pre_for_post,
        "The norm at the other place",
        "The norm stands at the other place: before attention, or after the sum with the input.",
    ),
)
