"""Wrong means, variances and laws of what is random."""

from __future__ import annotations

TAGS = {
    # moments and noise
    "variance-read-as-standard-deviation": (
        "Variance and standard deviation are mixed up:\n"
        "the variance is the square of the standard deviation."
    ),
    # noise
}
