"""Wrong numbers and wrong formulas of attention itself."""

from __future__ import annotations

TAGS = {
    # compute
    "forgot-scale": "The scores were not multiplied by the scale that is asked for.",
    "scaled-although-not-asked": (
        "The scores were divided by the root of a size, as scaled attention does. Here they are "
        "not to be scaled."
    ),
    "queries-and-keys-swapped": (
        "Queries and keys have changed places: row i of the scores belongs to query i, and column"
        " j to key j."
    ),
    "rows-and-columns": (
        "The token was multiplied by the rows of a matrix where its columns belong: W' x is not W"
        " x."
    ),
    "softmax-over-columns": (
        "The softmax went down the columns. The weights of one query stand in a row, and it is "
        "the row that sums to 1."
    ),
    "softmax-over-all": (
        "The powers were divided by the sum of the whole matrix. Each row is to be divided by its"
        " own sum."
    ),
    "unnormalised-weights": (
        "The powers of e were not divided by their sum: weights of one query sum to 1."
    ),
    "scores-instead-of-weights": (
        "The scores themselves were used where their softmax belongs: weights are positive and sum "
        "to 1."
    ),
    "scores-divided-by-their-sum": (
        "The scores were divided by their sum. Softmax divides powers of e: they are positive "
        "whatever the scores are."
    ),
    "values-not-weighted": "The values were added or averaged without the weights.",
    "largest-score-takes-all": (
        "All the weight went to the largest score. Softmax leaves some for every key, and it "
        "counts here."
    ),
    "sign-error": "It is right but for a sign.",
    "another-token": "These are the numbers of another token: tokens count from 1.",
    "carried-error": (
        "It is consistent with an earlier number of the answer, and that one is wrong: mend it, "
        "and do the rest again."
    ),
    "rounded-too-early": (
        "It was computed from numbers that had been rounded too much: keep more digits until the "
        "end."
    ),
    # identity
    "matrix-on-the-wrong-side": (
        "The factors stand in the wrong order: with tokens as rows, a matrix that acts on them "
        "stands on the right."
    ),
    "transpose-forgotten": "A factor is transposed that must not be, or is not and must be.",
    "transposed-result": (
        "This is the transpose of what is asked for: rows and columns are exchanged."
    ),
    "tokens-as-columns": (
        "The formula is right if the vectors are the columns of their matrices. Here they are the"
        " rows."
    ),
    "symbols-exchanged": "Two symbols have changed places.",
    "sum-instead-of-product": "A product is needed where the formula has a sum.",
    "size-as-factor": "The result is right but for a factor that is one of the sizes.",
    "weights-instead-of-scores": (
        "This is the softmax of what is asked for, which comes only later."
    ),
    "shape-swapped": "The sizes are right, but rows and columns are exchanged: rows come first.",
    "other-shape": (
        "The formula is right, and its sizes are others: inner ones vanish, outer ones stay."
    ),
    "numbers-instead-of-formula": (
        "These numbers are right for the example only. What is asked for holds for all inputs: "
        "write it as a formula."
    ),
    "part-instead-of-whole": (
        "This is one row or one entry. The whole matrix is asked for, without an index."
    ),
}
