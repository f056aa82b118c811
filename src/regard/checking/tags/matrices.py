"""Wrong matrices, of a separator or a head, and wrong ideas of what comes out."""

from __future__ import annotations

TAGS = {
    # separator
    "missing-factor-2": (
        "The matrix keeps the right part of c, but c holds only a share of the value, as an "
        "average of two holds half of each: the matrix has to be divided by that share."
    ),
    "extra-factor": (
        "The answer is right but for a factor: what comes out is a multiple of what is wanted."
    ),
    "unit-instead-of-orthonormal": (
        "S S', or T T', is the projection only if the basis is orthonormal. Basis vectors of "
        "length 1 may still lean towards each other: (S' S)^-1 has to stand between."
    ),
    "coordinates-instead-of-projection": (
        "The result has as many numbers as there are basis vectors, coordinates or products with "
        "the basis. The value itself is as long as c: the basis times its coordinates."
    ),
    "other-subspace": "The matrix takes out the other of the two values.",
    "transposed-side": (
        "The transposed matrix would be right: M c and c' M are the same only for a symmetric M."
    ),
    "subspaces-not-orthogonal": (
        "The projection takes the other value to zero only if the subspaces are at right angles, "
        "and here they are not: project along the other subspace."
    ),
    "one-basis-vector-only": (
        "The matrix is right for multiples of one basis vector only, and the value is a "
        "combination of all of them."
    ),
    "keeps-the-other-value": (
        "The matrix keeps the value that is wanted, but it does not take the other one to zero."
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
    # feasibility
    "wrong-limit-vector": (
        "The output is not close to this vector: compute the scores of the token with all tokens, "
        "itself among them, and see which is the largest."
    ),
    "average-instead-of-copy": (
        "Attention is not a plain average: a token with long vectors gives nearly all weight to "
        "the token with the largest score, which may be itself."
    ),
    "copy-instead-of-average": (
        "The token with the largest score does not get all of the weight: others have the same "
        "score, or one that is not far below."
    ),
    "goal-instead-of-output": "This is the output that is wanted, not the one that comes out.",
    "output-after-the-change": (
        "This is what comes out after the change; asked was what comes out as things are."
    ),
    "looks-at-another-token": (
        "The token does not look at that one: its score with another token, or with itself, is "
        "larger."
    ),
    "wrong-change": (
        "It can be done, but not with this token: the change is not one of those allowed, or not "
        "of the right size."
    ),
    "summed-instead-of-averaged": (
        "The values were added up. Weights sum to 1, so that what comes out is an average."
    ),
}
