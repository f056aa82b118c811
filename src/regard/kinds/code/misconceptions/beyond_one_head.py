"""Mistakes about what tokens are made into, about several heads and about positions."""

from __future__ import annotations

from regard.checking.mistakes import Mistake
from regard.kinds.code.misconceptions.case import Wrong
from regard.kinds.code.misconceptions.imitations import Change
from regard.kinds.code.misconceptions.likeness import like
from regard.kinds.code.spec import CodeProblem

BEYOND_ONE_HEAD: tuple[Mistake[CodeProblem, Wrong], ...] = (
    like(
        "values-not-projected",
        "The weights average the tokens themselves.\nValues are made of them by W_V.",
        Change(values="tokens"),
    ),
    like(
        "keys-averaged-instead-of-values",
        "The weights average the keys.\nThey should average the values, which W_V makes.",
        Change(values="keys"),
    ),
    like(
        "first-head-repeated",
        "One head stands in the place of every other:\neach has matrices of its own.",
        Change(heads="first"),
    ),
    like(
        "heads-averaged",
        "The outputs of the heads are averaged.\nThey should stand side by side before W_O.",
        Change(heads="average"),
    ),
    like(
        "heads-joined-by-reshape",
        "A reshape mixes heads and tokens.\n"
        "It goes from (n_heads, n, ...) to (n, ...). Swap these two axes first, so that the "
        "heads of one token stand side by side.",
        Change(merge="reshape"),
    ),
    like(
        "heads-cut-by-reshape",
        "A reshape cuts the table into groups of tokens, not into heads.\n"
        "It goes to (n_heads, n, ...). Reshape to (n, n_heads, ...) and then swap these two "
        "axes.",
        Change(cut="reshape", merge="reshape"),
        Change(cut="reshape"),
    ),
    like(
        "head-outputs-interleaved",
        "The numbers of the heads are interleaved.\n"
        "They should stand side by side, all of head 0 first.",
        Change(merge="interleaved"),
    ),
    like(
        "heads-added-up",
        "The outputs of the heads are added.\nThey should stand side by side before W_O.",
        Change(merge="sum"),
    ),
    like(
        "output-matrix-not-applied",
        "W_O is not applied.\nThe outputs of the heads stand side by side.",
        Change(output=False),
    ),
    like(
        "sines-then-cosines",
        "All sines come first and then all cosines.\n"
        "They should take turns: column 2i a sine, column 2i + 1 a cosine.",
        Change(columns="halves"),
    ),
    like(
        "cosines-in-even-columns",
        "Sines and cosines are exchanged:\neven columns are sines.",
        Change(columns="cosine first"),
    ),
    like(
        "a-frequency-for-every-column",
        "Every column has a frequency of its own.\nA sine and the cosine beside it share one.",
        Change(frequency="column"),
        Change(frequency="2 columns"),
    ),
    like(
        "exponent-without-two",
        "The exponent of pair i is -i/d.\nIt should be -2i/d.",
        Change(frequency="i"),
    ),
    like(
        "another-base-of-frequencies",
        "The frequencies are powers of another number, such as 1000:\nit should be 10000.",
        *(Change(base=base) for base in (10.0, 1000.0, 100_000.0)),
    ),
    like(
        "positions-counted-from-one",
        "The first position is counted as 1.\nIt is 0.",
        Change(first=1),
    ),
    like(
        "rotary-turned-back",
        "The pairs are turned the other way:\n(a, b) should become (a cos - b sin, a sin + b cos).",
        Change(turn="back"),
    ),
    like(
        "rotary-pairs-of-halves",
        "Entry i is paired with entry i + d/2.\nHere the pairs are the entries 2i and 2i + 1.",
        Change(turn="halves"),
    ),
)
