"""Wrong queries, of one head and of several."""

from __future__ import annotations

TAGS = {
    # queries and heads
    "not-finite": "Some number of the answer is infinite or not a number, so that it says nothing.",
    "no-large-scale": (
        "The direction is right, but softmax only comes near to the weights wanted when the scores "
        "are far apart: multiply the query by a large factor."
    ),
    "one-target-only": (
        "Nearly all the weight goes to one of the keys wanted: the others need scores that are "
        "about as large."
    ),
    "others-as-large": (
        "The keys wanted compare with each other as they should, but not with the rest: add the "
        "same large amount to the score of each key wanted. A factor would change their ratio."
    ),
    "weights-without-log": (
        "Softmax turns differences of scores into ratios of weights. Unequal weights p need scores "
        "that differ by ln p, not scores in proportion to p."
    ),
    "not-divided-by-squared-norm": (
        "The keys are at right angles but not of length 1: the score of k_i with itself is its "
        "squared length, and has to be divided by it."
    ),
    "no-upper-limit-on-scale": (
        "A larger factor also makes the noise in the scores larger. With noise of a given size the "
        "factor has an upper limit as well."
    ),
    "absurd-scale": (
        "The scores are so large that float64 does not see a difference of 1 between them: what "
        "softmax makes of them is rounding. Make the factor large, but not without limit."
    ),
    "values-instead-of-keys": (
        "The query is made of values. Scores compare a query with keys, so it has to be made of "
        "keys."
    ),
    "wrong-sign": (
        "The query looks away from the keys wanted: the same with the other sign is right."
    ),
    "all-keys-alike": (
        "All keys have the same score, so that the output is the plain average of all values."
    ),
    "equal-weights": "The keys wanted share the weight evenly, and other shares were asked for.",
    "other-keys-too": (
        "Keys that are not wanted get weight as well, and a larger factor does not change that."
    ),
    "one-instance-only": (
        "The answer fits the numbers of this instance, and not other keys of the same law."
    ),
    "idle-head": (
        "A head gives every key the same weight. A query of zero is not silent: its head counts as "
        "much as any other."
    ),
    "both-heads-on-one-key": (
        "All heads look at the same key, so that their average has nothing of the others."
    ),
    "identical-heads": (
        "All heads have the same query, so that they err together, and their average is no better "
        "than one of them. Let each head look at one key."
    ),
}
