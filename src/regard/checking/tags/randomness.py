"""Wrong means, variances and laws of what is random."""

from __future__ import annotations

TAGS = {
    # moments and noise
    "variance-read-as-standard-deviation": (
        "Variance and standard deviation are mixed up: the variance is the square of the "
        "standard deviation."
    ),
    # noise
    "average-instead-of-jumping": (
        "The average is the mean of the output, but no sample is near it: a large factor gives "
        "all weight to whichever score is larger, and the output jumps."
    ),
    "negative-case-left-out": (
        "A normal number is negative now and then, and so is the score of a key of random "
        "length. Here these cases count as well."
    ),
    "ignores-other-values": (
        "The other keys are still there: when the key that is wanted scores low, their values "
        "share the weight."
    ),
    "probabilities-do-not-add-up": "Probabilities are not negative, and they add up to 1.",
    "equal-chances": (
        "These are the right values, but they are not equally likely: look at how far apart the "
        "scores are, in standard deviations."
    ),
    "other-chances": (
        "These are the right values, but their probabilities are others: ask how often one score "
        "is above the other."
    ),
    "missing-factor-4": (
        "The variance is 4 times too large: a coin has the variance 1/4 times the squared "
        "distance of its two sides, and an average of two heads a quarter of what one of them "
        "contributes."
    ),
    "one-head-for-all": (
        "This is what a single head would do. The queries of the heads differ, and the output is "
        "the average of what each of them does."
    ),
    "one-head-averaged": (
        "Averaging is not what makes two heads stable: each looks at one key, and its large "
        "score leaves hardly any noise to average out."
    ),
    "claims-effect": (
        "The noise has no effect here: it moves the key at right angles to the query, and the "
        "score stays as it is."
    ),
    "independent-because-queries-differ": (
        "Heads with different queries still see the same random keys. They are independent only "
        "if q_h' Sigma_i q_g = 0 for every key i."
    ),
    "dependent-because-of-the-same-keys": (
        "Both heads see the same keys, but not the same noise: q_h' Sigma_i q_g = 0 for every "
        "key i, so that they are independent."
    ),
}
