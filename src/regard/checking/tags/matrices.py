"""Wrong matrices, of a separator or a head, and wrong ideas of what comes out."""

from __future__ import annotations

TAGS = {
    # separator and others
    "extra-factor": (
        "It is right but for a factor:\nwhat comes out is a multiple of what is wanted."
    ),
    "claims-impossible": ("It can be done:\nthe counterexample shows it."),
    "claims-possible": "It cannot be done, whatever is chosen.",
    "one-frame-only": (
        "The answer fits vectors along the axes only.\n"
        "Other vectors of the same law have other numbers."
    ),
    # self_attention
    "transposed-A": (
        "Keys and queries have changed places:\n"
        "the score of token i for token j has the key of j on the left and the query of i on "
        "the right, and the transpose of A = K' Q would be right."
    ),
    "rows-for-columns": (
        "The matrices are those of the other convention.\n"
        "K, Q and V act on columns, W_K, W_Q and W_V on rows: their transposes would be "
        "right."
    ),
    "keys-and-values-swapped": (
        "Keys and values are mixed up:\n"
        "a key is what a query is compared with, a value is what is brought back."
    ),
    "queries-and-values-swapped": (
        "The matrices of queries and of values have changed places.\n"
        "A query is what asks, a value is what is brought back."
    ),
    "sign-of-scores": (
        "The scores have the wrong sign:\nthe head looks away from the tokens that are wanted."
    ),
    "forgot-norm-squared": (
        "A squared length is not divided out.\n"
        "u u' u is u times its squared length: with vectors that are not of length 1, "
        "products of a column and a row have to be divided by it."
    ),
    "one-length-only": (
        "The answer fits the one length of the basis vectors in this instance.\n"
        "Write the length as a name, so that it is right for any."
    ),
    "attends-to-itself": (
        "A token looks at itself and not at the token whose value is wanted.\nThe values are right."
    ),
    "same-score-for-all": (
        "For some token all tokens have the same score:\n"
        "its output is the plain average of the values, which are right."
    ),
    "looks-at-the-wrong-token": (
        "A token does not look at the one that it should look at.\n"
        "The values, where they are asked for, are right."
    ),
    "wrong-values": (
        "What a token finds where it looks is not what is wanted.\n"
        "Each token looks at one token, and V has to make the output out of that one."
    ),
    "one-row-only": (
        "One token gets what is asked for, and another does not.\nAll of them have to."
    ),
    # feasibility, noise and queries
    "summed-instead-of-averaged": (
        "The values were added up.\nWeights sum to 1, so that what comes out is an average."
    ),
}
