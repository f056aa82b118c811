"""What is said of wrong queries, and of other answers with numbers or scales."""

from __future__ import annotations

TAGS = {
    "not-finite": "Some number of the answer is infinite or not a number, so that it says nothing.",
    "no-large-scale": (
        "The direction is right, but softmax only comes near to the weights wanted when the scores "
        "are far apart: multiply the query by a large factor."
    ),
    "one-instance-only": (
        "The answer fits the numbers of this instance, and not other keys of the same law."
    ),
}
