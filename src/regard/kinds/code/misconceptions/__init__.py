"""Mistakes in programs, by what the programs do: each is imitated, and the numbers compared."""

from __future__ import annotations

from collections.abc import Callable

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.code.misconceptions import recognisers
from regard.kinds.code.misconceptions.beyond_one_head import BEYOND_ONE_HEAD
from regard.kinds.code.misconceptions.case import Wrong
from regard.kinds.code.misconceptions.imitations import Change
from regard.kinds.code.misconceptions.likeness import like
from regard.kinds.code.spec import CodeProblem

__all__ = ["MISTAKES", "Wrong"]

WEAK = (-1.0, -2.0, -5.0, -10.0, -20.0, -50.0, -100.0)  # in place of minus infinity


def _mistake(
    tag: str, sentence: str, shows: Callable[[Wrong], bool]
) -> Mistake[CodeProblem, Wrong]:
    return Mistake(tag, sentence, shows)


MISTAKES: tuple[Mistake[CodeProblem, Wrong], ...] = (
    _mistake(
        "function-not-written",
        "The function is not written yet:\nit raises NotImplementedError or returns nothing.",
        recognisers.not_written,
    ),
    _mistake(
        "returns-a-tuple",
        "The function returns several things, the right one among them:\nreturn that alone.",
        recognisers.returns_tuple,
    ),
    _mistake(
        "hidden-scores-count",
        "It is wrong where a hidden key has by far the largest score.\n"
        "Then nothing is left for the others. Hide keys before the largest score of a row is "
        "subtracted, not after.",
        recognisers.hidden_scores_count,
    ),
    _mistake(
        "exp-overflows",
        "For large scores exp leaves the range of floats and nan comes out.\n"
        "For small ones it is right. Subtract the largest score of each row before exp: it "
        "cancels.",
        recognisers.overflows,
    ),
    _mistake(
        "nothing-allowed-gives-nan",
        "A query that may attend to nothing becomes nan.\n"
        "It is 0 divided by 0, and its output is to be 0.",
        recognisers.nothing_gives_nan,
    ),
    _mistake(
        "nothing-allowed-averages-all",
        "A query that may attend to nothing gets an average of all values.\n"
        "So it does where a large negative number stands for minus infinity. Its output is "
        "to be 0.",
        recognisers.nothing_averages,
    ),
    _mistake(
        "leading-axes-not-handled",
        "It is wrong where axes come in front of the table, as for a batch.\n"
        "For one table it is right. Work along the last axes (swapaxes(-1, -2), axis=-1), "
        "not along the first.",
        recognisers.front_axes,
    ),
    _mistake(
        "sums-without-keepdims",
        "The maximum or the sum of each row has lost its axis.\n"
        "It does not fit the rows, or is taken for that of the columns. Keep it: "
        "keepdims=True.",
        recognisers.without_keepdims,
    ),
    _mistake(
        "returns-the-logarithm",
        "The logarithms of the weights are returned, a log-softmax:\ntake exp.",
        recognisers.logarithms,
    ),
    _mistake("no-large-scale", SHARED["no-large-scale"], recognisers.too_short),
    _mistake(
        "returns-the-weights",
        "The weights are returned.\nThe output is their product with the values.",
        recognisers.weights,
    ),
    like(
        "softmax-along-the-wrong-axis",
        "The softmax runs along the wrong axis:\ncolumns sum to 1, and rows should.",
        Change(axis=-2),
        Change(axis=-2, scale="none"),
    ),
    like(
        "softmax-of-the-whole-array",
        "The softmax divides by the sum of the whole array:\nevery row should sum to 1 by itself.",
        Change(axis=None),
    ),
    like(
        "scores-divided-by-their-sum",
        SHARED["scores-divided-by-their-sum"],
        Change(weigh="share"),
        Change(weigh="share", scale="none"),
    ),
    like(
        "argmax-for-softmax",
        "The largest score gets all the weight, as by argmax.\nA softmax leaves some to every key.",
        Change(weigh="largest"),
    ),
    like(
        "unnormalised-weights",
        SHARED["unnormalised-weights"],
        Change(weigh="powers"),
    ),
    like(
        "scores-instead-of-weights",
        SHARED["scores-instead-of-weights"],
        Change(weigh="nothing"),
    ),
    like(
        "sigmoid-of-every-score",
        "Every score is turned into a number from 0 to 1 by itself.\n"
        "With 1/(1 + exp(-x)) a row does not sum to 1. Softmax divides by the sum over the "
        "row.",
        Change(weigh="each"),
    ),
    like(
        "weights-divided-by-the-root",
        "The weights are divided by the root of d_k after the softmax.\n"
        "They no longer sum to 1. Divide the scores, before it.",
        Change(scale="weights"),
    ),
    like(
        "scores-not-scaled",
        "The scores are not divided by the root of d_k.\n"
        "Scores of wider queries and keys are larger, and the root takes that back.",
        Change(scale="none"),
    ),
    like(
        "scores-divided-by-d-k",
        "The scores are divided by d_k.\nThey should be divided by its root.",
        Change(scale="width"),
    ),
    like(
        "scores-multiplied-by-the-root",
        "The scores are multiplied by the root of d_k.\nThey should be divided by it.",
        Change(scale="times"),
    ),
    like(
        "scaled-by-another-width",
        "The scores are divided by the root of another size.\n"
        "It may be the width of the values or the number of tokens. It should be d_k, the "
        "width of a head's queries and keys.",
        Change(scale="model"),
        Change(scale="queries"),
        Change(scale="keys"),
    ),
    like(
        "mask-times-scores",
        "The mask multiplies the scores:\n"
        "a score of 0 still has a weight. Put minus infinity there before the softmax.",
        Change(mask="times scores"),
    ),
    like(
        "mask-times-weights",
        "The mask multiplies the weights after the softmax.\n"
        "They no longer sum to 1. Put minus infinity into the scores before it.",
        Change(mask="times weights"),
    ),
    like(
        "mask-read-inverted",
        "The mask is read the other way round:\nTrue is where a query may attend.",
        Change(mask="inverted"),
    ),
    like(
        "mask-not-used",
        "What should be hidden is attended to:\nthe function returns what it would without a mask.",
        Change(mask="ignored"),
        Change(causal="ignored"),
        Change(padding="ignored"),
    ),
    like(
        "mask-too-weak",
        "What should be hidden keeps some weight:\n"
        "the number that stands in for minus infinity is not negative enough. Put minus "
        "infinity there.",
        *(Change(mask=how, bias=bias) for bias in WEAK for how in ("put", "added")),
    ),
    like(
        "causal-sees-the-next",
        "A position also sees the one after it:\nthe mask is j <= i + 1, and should be j <= i.",
        Change(causal="one more"),
    ),
    like(
        "causal-without-itself",
        "A position does not see itself:\nthe mask is j < i, and should be j <= i.",
        Change(causal="before"),
    ),
    like(
        "causal-the-other-way",
        "A position sees itself and those after it:\nthe mask is j >= i, and should be j <= i.",
        Change(causal="from"),
    ),
    like(
        "padding-hides-queries",
        "The lengths hide rows of queries.\nPadding is hidden as keys: no query may attend to it.",
        Change(padding="queries"),
    ),
    like(
        "length-off-by-one",
        "The last real key is hidden, or the first of the padding is not:\n"
        "keys 0 to length - 1 are real.",
        Change(padding="one more"),
        Change(padding="one less"),
    ),
    like(
        "query-and-key-matrices-exchanged",
        "Queries are made with W_K and keys with W_Q:\nthe scores are transposed.",
        Change(exchanged=True),
    ),
    like(
        "keys-of-the-tokens-themselves",
        "Keys and values are made of the tokens that ask.\n"
        "In cross-attention they are made of the context.",
        Change(source="keys of x"),
    ),
    like(
        "context-asks",
        "Queries are made of the context, and keys and values of the tokens:\n"
        "it should be the other way round.",
        Change(source="exchanged"),
    ),
    *BEYOND_ONE_HEAD,
    _mistake(
        "returns-the-transpose",
        "The table is transposed.\nIts numbers are right.",
        recognisers.transposed,
    ),
)
