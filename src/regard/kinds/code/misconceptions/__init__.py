"""Mistakes in programs, by what the programs do: each is imitated, and the numbers compared."""

from __future__ import annotations

from collections.abc import Callable

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.code.misconceptions import recognisers
from regard.kinds.code.misconceptions.case import Wrong
from regard.kinds.code.misconceptions.imitations import Change
from regard.kinds.code.spec import CodeProblem

__all__ = ["MISTAKES", "Wrong"]

WEAK = (-1.0, -2.0, -5.0, -10.0, -20.0, -50.0, -100.0)  # in place of minus infinity


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
        recognisers.not_written,
    ),
    _mistake(
        "returns-a-tuple",
        "The function returns several things, the right one among them: return that alone.",
        recognisers.returns_tuple,
    ),
    _mistake(
        "exp-overflows",
        "Right for small scores; for large ones exp overflows and nan comes out. Subtract the "
        "largest score of a row before exp: it cancels.",
        recognisers.overflows,
    ),
    _mistake(
        "nothing-allowed-gives-nan",
        "A query that may attend to nothing becomes nan, 0 divided by 0. Its output is to be 0.",
        recognisers.nothing_gives_nan,
    ),
    _mistake(
        "nothing-allowed-averages-all",
        "A query that may attend to nothing gets an average of all values, as where a large "
        "negative number stands for minus infinity. Its output is to be 0.",
        recognisers.nothing_averages,
    ),
    _mistake(
        "leading-axes-not-handled",
        "Right for one table, and not where axes come in front of it, as for a batch or heads: "
        "work along the last axes (swapaxes(-1, -2), axis=-1), not along the first.",
        recognisers.front_axes,
    ),
    _mistake(
        "sums-without-keepdims",
        "The maximum or the sum of each row has lost its axis, so that it does not fit the rows or "
        "is taken for that of the columns. Keep it: keepdims=True.",
        recognisers.without_keepdims,
    ),
    _mistake(
        "returns-the-logarithm",
        "What is returned are the logarithms of the weights, a log-softmax: take exp.",
        recognisers.logarithms,
    ),
    _mistake("no-large-scale", SHARED["no-large-scale"], recognisers.too_short),
    _mistake(
        "returns-the-weights",
        "What is returned are the weights; the output is their product with the values.",
        recognisers.weights,
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
        "The scores are divided by the root of another size, such as the width of the values or "
        "the number of tokens. It should be that of d_k, the width of a head's queries and keys.",
        Change(scale="model"),
        Change(scale="queries"),
        Change(scale="keys"),
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
        "mask-too-weak",
        "What should be hidden keeps some weight: the number that stands in for minus infinity is "
        "not negative enough. Put minus infinity there.",
        *(Change(mask=how, bias=bias) for bias in WEAK for how in ("put", "added")),
    ),
    _like(
        "causal-sees-the-next",
        "A position also sees the one after it: the mask is j <= i + 1, and should be j <= i.",
        Change(causal="one more"),
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
        "heads-joined-by-reshape",
        "A reshape from (n_heads, n, ...) to (n, ...) mixes heads and tokens. Swap these two axes "
        "first, so that the heads of one token stand side by side.",
        Change(merge="reshape"),
    ),
    _like(
        "heads-cut-by-reshape",
        "A reshape to (n_heads, n, ...) cuts the table into groups of tokens, not into heads. "
        "Reshape to (n, n_heads, ...) and then swap these two axes.",
        Change(cut="reshape", merge="reshape"),
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
        recognisers.transposed,
    ),
)
