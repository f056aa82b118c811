"""Wrong numbers and wrong formulas of attention itself."""

from __future__ import annotations

TAGS = {
    "scaled-although-not-asked": (
        "The scores were divided by the root of a size.\n"
        "Scaled attention does that. Here they are not to be scaled."
    ),
    "queries-and-keys-swapped": (
        "Queries and keys have changed places:\n"
        "row i of the scores belongs to query i, and column j to key j."
    ),
    "softmax-over-columns": (
        "The softmax went down the columns.\n"
        "The weights of one query stand in a row, and it is the row that sums to 1."
    ),
    "softmax-over-all": (
        "The powers were divided by the sum of the whole matrix.\n"
        "Each row is to be divided by its own sum."
    ),
    "unnormalised-weights": (
        "The powers of e were not divided by their sum:\nweights of one query sum to 1."
    ),
    "scores-instead-of-weights": (
        "The scores themselves were used where their softmax belongs:\n"
        "weights are positive and sum to 1."
    ),
    "scores-divided-by-their-sum": (
        "The scores were divided by their sum.\n"
        "Softmax divides powers of e: they are positive whatever the scores are."
    ),
    "values-not-weighted": (
        "The values were added or averaged without the weights.\n"
        "The output is the sum of the values, each times its weight."
    ),
    "sign-error": "It is right up to sign.",
    "transposed-result": (
        "This is the transpose of what is asked for:\nrows and columns are exchanged."
    ),
    "weights-instead-of-scores": (
        "This is the softmax of what is asked for.\nIt comes only later."
    ),
    "numbers-instead-of-formula": (
        "These numbers are right for the example only.\n"
        "What is asked for holds for all inputs: write it as a formula."
    ),
}
