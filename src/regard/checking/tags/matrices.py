"""Wrong matrices, of a separator or a head, and wrong ideas of what comes out."""

from __future__ import annotations

TAGS = {
    # separator and others
    "extra-factor": (
        "The answer is right but for a factor: what comes out is a multiple of what is wanted."
    ),
    "claims-impossible": "It can be done: saying that it is impossible is not right.",
    "claims-possible": "It cannot be done, whatever is chosen.",
    "one-frame-only": (
        "The answer fits the numbers of one instance, along the axes, and not other vectors of the "
        "same law."
    ),
    # self_attention
    "transposed-A": (
        "Keys and queries have changed places: the score of token i for token j has the key of j "
        "on the left and the query of i on the right, and the transpose of A = K' Q would be right."
    ),
    "rows-for-columns": (
        "K, Q and V act on columns, W_K, W_Q and W_V on rows. The matrices are those of the other "
        "convention: their transposes would be right."
    ),
    "keys-and-values-swapped": "The matrices of keys and of values have changed places.",
    "queries-and-values-swapped": "The matrices of queries and of values have changed places.",
    "sign-of-scores": (
        "The scores have the wrong sign: the head looks away from the tokens that are wanted."
    ),
    "forgot-norm-squared": (
        "u u' u is u times its squared length. With vectors that are not of length 1, products of "
        "a column and a row have to be divided by it."
    ),
    "one-length-only": (
        "The answer fits the one length of the basis vectors in this instance. Write the length "
        "as a name, so that it is right for any."
    ),
    "attends-to-itself": (
        "The values are right, but a token looks at itself and not at the token whose value is "
        "wanted."
    ),
    "same-score-for-all": (
        "The values are right, but for some token all tokens have the same score, so that its "
        "output is the plain average of the values."
    ),
    "looks-at-the-wrong-token": (
        "A token does not look at the one that it should look at; the values, where they are asked "
        "for, are right."
    ),
    "wrong-values": (
        "Each token looks at one token, but what it finds there is not what is wanted: V has to "
        "make the output out of that token."
    ),
    "one-row-only": "What is asked of one token is right, and what is asked of another is not.",
    # feasibility, noise and queries
    "summed-instead-of-averaged": (
        "The values were added up. Weights sum to 1, so that what comes out is an average."
    ),
}
