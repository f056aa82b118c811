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
        "Half of the products were counted: there are d_model products of positions with each "
        "other, and twice as many of positions with contents."
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
}
