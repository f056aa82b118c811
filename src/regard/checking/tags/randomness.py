"""Wrong means, variances and laws of what is random."""

from __future__ import annotations

TAGS = {
    # moments
    "missing-dimension": (
        "This is about one product of entries. The score is the sum of as many as there are "
        "dimensions, and means and variances of independent products add up."
    ),
    "dimension-squared": (
        "Means and variances of independent products add up: the number of dimensions enters them "
        "once, and not as a square."
    ),
    "variance-read-as-standard-deviation": (
        "Variance and standard deviation are mixed up: the variance is the square of the "
        "standard deviation."
    ),
    "cross-terms-forgotten": (
        "Cross terms are missing: what is fixed in one factor, its mean or a position, times what "
        "varies in the other varies as well."
    ),
    "mean-squared-forgotten": (
        "This is the mean of the square. The variance is that minus the square of the mean."
    ),
    "added-instead-of-multiplied": (
        "The entries are multiplied, not added: means and variances of a product are not sums of "
        "those of its factors."
    ),
    "one-mean-only": "The mean of a product of independent numbers is the product of both means.",
    "mean-taken-as-zero": "The entries have a mean that is not zero, and so has the score.",
    "variance-for-mean": "This is made of variances, and the mean of the score was asked for.",
    "k-taken-as-q": (
        "This is right for the product of a vector with itself. Here q and k are independent."
    ),
    "independence-assumed": (
        "This is right for independent q and k. Here k is q itself, and a square never averages "
        "out."
    ),
    "divided-instead-of-multiplied": (
        "This is the number to multiply by. Asked for was the number to divide by, which is 1 "
        "over it."
    ),
    "other-reading": (
        "These are the moments in another reading of the text: what is random in the content, "
        "and where positions are added, is not the same there."
    ),
    "position-terms-forgotten": (
        "The products of one position with the other are missing: they have mean 0, but they vary."
    ),
    "counts-half-the-terms": (
        "Of some products only half were counted: there are d_model products of positions with "
        "each other, and twice as many of positions with contents."
    ),
    "one-sine-for-two": (
        "The product of two independent sines has variance 1/4; 1/2 is the variance of one of them."
    ),
    "content-forgotten": (
        "The contents agree, so that their own product is not 0 on average but the squared length."
    ),
    "positions-taken-as-equal": (
        "The product of a position with itself is in it, which is d_model/2. For independent "
        "angles the products of positions have mean 0."
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
