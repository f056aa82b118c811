"""What is said of wrong queries, and of other answers with numbers or scales."""

from __future__ import annotations

TAGS = {
    "not-finite": (
        "Some number of the answer is infinite or not a number.\n"
        "It cannot be compared with what is wanted."
    ),
    "no-large-scale": (
        "The direction is right, but the scores are too close together.\n"
        "Softmax only comes near to the weights wanted when they are far apart: multiply by "
        "a large factor."
    ),
    "one-instance-only": (
        "The answer fits the numbers of this instance only.\n"
        "Other keys of the same law have other numbers."
    ),
}
