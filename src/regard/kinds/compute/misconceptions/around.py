"""Mistakes about positions, residuals and norms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regard.kinds.compute.instance import STAGES, Example, Float64, Found, Setup
from regard.kinds.compute.instance.forward import inputs, tokens_of
from regard.kinds.compute.instance.layers import normalise
from regard.kinds.compute.instance.positions import with_positions
from regard.kinds.compute.misconceptions.case import imitated, otherwise, with_given, with_stage
from regard.kinds.compute.misconceptions.imitation import Imitate, Imitated


def _residual_left_out(example: Example) -> Imitated:
    if example.given.residual:
        yield with_stage(
            example,
            residual=lambda setup, found: {"R": found.get("O", found.get("C"))},  # type: ignore[dict-item]
        )


def _norm_otherwise(how: str) -> Imitate:
    """A norm over the tokens instead of the entries, over d - 1, or none at all."""

    def imitate(example: Example) -> Imitated:
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
            centred = x - x.mean(axis=1, keepdims=True)
            if how == "variance":
                if own.kind == "rms":
                    centred = x
                spread = (centred**2).mean(axis=1, keepdims=True) + own.epsilon
                return np.asarray(centred / spread * own.gain + own.shift)
            square = (centred**2).sum(axis=1, keepdims=True) / (x.shape[1] - 1)
            return np.asarray(centred / np.sqrt(square + own.epsilon) * own.gain + own.shift)

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


def _other_norm(example: Example) -> Imitated:
    """A layer norm for an RMS norm, or the other way round."""
    norms = {
        name: norm.model_copy(update={"kind": "rms" if norm.kind == "layer" else "layer"})
        for name in ("norm", "norm_2")
        if (norm := getattr(example.given, name)) is not None
    }
    if norms:
        yield with_given(example, **norms)


def _no_activation(example: Example) -> Imitated:
    net = example.given.feed_forward
    if net is not None and net.activation != "none":
        linear = net.model_copy(update={"activation": "none"})
        yield with_given(example, feed_forward=linear)


def _usual_base(example: Example) -> Imitated:
    p = example.given.positions
    if p is not None and p.kind in ("sinusoidal", "rotary") and str(p.base) != "10000":
        yield with_given(example, positions=p.model_copy(update={"base": 10000}))


def _pre_for_post(example: Example) -> Imitated:
    norm, given = example.given.norm, example.given
    if norm is not None:
        other = norm.model_copy(update={"place": "post" if norm.place == "pre" else "pre"})
        found = with_given(example, norm=other)
        if given.feed_forward is None:
            last = found.get("Y", found.get("R", found.get("O")))
            found |= {} if last is None else {"Y": last, "R": last}
        yield found


def _positions_left_out(example: Example) -> Imitated:
    if example.given.positions is not None and example.given.n is None:
        found = with_given(example, positions=None)
        found |= {n: np.zeros_like(B) for n, B in example.right.items() if n[0] == "B"} | found
        for name in ("QR", "KR", "XP"):
            if name in example.right:
                found[name] = found[name[0]] if name != "XP" else example.setup.arrays["tokens"]
        yield found


def _counted_from_one(example: Example) -> Imitated:
    p = example.given.positions
    if p is None or p.kind not in ("sinusoidal", "rotary"):
        return
    for step in (1, -1):
        setup = example.setup
        if setup.first_key + step >= 0:
            yield otherwise(
                example, first_query=setup.first_query + step, first_key=setup.first_key + step
            )


def _other_pairs(example: Example) -> Imitated:
    p = example.given.positions
    if p is not None and p.kind == "rotary":
        other = "halves" if p.pairs == "interleaved" else "interleaved"
        yield with_given(example, positions=p.model_copy(update={"pairs": other}))


def _turned_back(example: Example) -> Imitated:
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
                kept = inner.given.turned_before if letter == "K" else 0
                rows = [
                    turned(found[letter][[i]], -(first + i), value(p.base), p.pairs, heads)
                    if i >= kept
                    else found[letter][[i]]
                    for i in range(len(found[letter]))
                ]
                result[f"{letter}R"] = np.vstack(rows)
            return result

        yield with_stage(example, rotated=stage)


def _sines_first(example: Example) -> Imitated:
    """All sines, then all cosines, where they alternate."""
    p = example.given.positions
    if p is None or p.kind != "sinusoidal":
        return

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        P = inputs(setup, found)["P"]
        return with_positions(setup, np.hstack([P[:, 0::2], P[:, 1::2]]))

    yield with_stage(example, inputs=stage)


POSITIONS = (
    imitated(
        "other-rotary-pairs",
        _other_pairs,
        "The other pairs of entries turned",
        "The entries were paired in the other way:\nneighbours, or the two halves.",
    ),
    imitated(
        "turned-the-other-way",
        _turned_back,
        sentence=(
            "The pairs were turned the other way:\na positive angle takes (1, 0) to (cos, sin)."
        ),
    ),
    imitated(
        "sines-before-cosines",
        _sines_first,
        "All sines before all cosines",
        "All sines stand before all cosines.\nHere they alternate.",
    ),
    imitated(
        "positions-one-off",
        _counted_from_one,
        "Positions counted from another number",
        "Positions are off by one:\nlook at which number the first one has.",
    ),
    imitated(
        "usual-base",
        _usual_base,
        "The base 10000",
        "The frequencies have the base 10000, as in most papers.\nHere it is another number.",
    ),
    imitated(
        "positions-forgotten",
        _positions_left_out,
        "Positions left out",
        "These are the numbers without positions.\nThey come in before the softmax.",
    ),
)


BLOCK = (
    imitated(
        "residual-forgotten",
        _residual_left_out,
        "The residual left out",
        "The input was not added to the output of attention.\n"
        "A residual connection adds what goes in to what comes out.",
    ),
    imitated(
        "norm-over-tokens",
        _norm_otherwise("tokens"),
        "The norm over the tokens",
        "Mean and variance were taken over the tokens.\n"
        "A norm takes them over the entries of one token.",
    ),
    imitated(
        "variance-over-d-minus-one",
        _norm_otherwise("sample"),
        "The variance divided by $d - 1$",
        "The variance was divided by d - 1.\nA layer norm divides by d.",
    ),
    imitated(
        "divided-by-the-variance",
        _norm_otherwise("variance"),
        "Divided by the variance",
        "Entries were divided by the variance (or the mean square).\n"
        "They are to be divided by its square root.",
    ),
    imitated(
        "another-norm",
        _other_norm,
        "A layer norm for an RMS norm",
        "The other norm was taken:\n"
        "a layer norm takes the mean away first, and an RMS norm does not.",
    ),
    imitated(
        "activation-forgotten",
        _no_activation,
        "The net without its activation",
        "The activation was left out:\nthe feed-forward net is linear there.",
    ),
    imitated(
        "norm-forgotten",
        _norm_otherwise("none"),
        sentence=("The norm was left out.\nIt rescales each token by itself."),
    ),
    imitated(
        "pre-and-post-norm-exchanged",
        _pre_for_post,
        "The norm at the other place",
        "The norm stands at the other place:\nbefore attention, or after the sum with the input.",
    ),
)
