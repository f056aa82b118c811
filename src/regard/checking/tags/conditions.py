"""Wrong conditions on scores and keys."""

from __future__ import annotations

TAGS = {
    # condition
    "ratio-instead-of-difference": (
        "Softmax sees differences of scores and not ratios: the scores 0.1 and 0.001 give nearly "
        "equal weights, and 1000 and 990 do not."
    ),
    "pairwise-instead-of-mass": (
        "The condition is right for a single other key. Many small weights add up: with n keys "
        "the gap has to be larger by ln(n - 1), or all other keys have to be counted together."
    ),
    "mass-instead-of-pairwise": (
        "The condition compares with all other keys together. Asked was how one weight compares "
        "with each of the others, however many there are."
    ),
    "threshold-without-log": (
        "The gap between scores is compared with a ratio of weights. Scores are logarithms of "
        "weights, so a gap has to be compared with the logarithm of a ratio."
    ),
    "largest-score-only": (
        "Being the largest score is not enough: with a small lead the weights are nearly equal."
    ),
    "wrong-direction": "The inequality points the wrong way.",
    "alignment-without-norms": (
        "The condition is right for keys of length 1 only. A longer key may score higher although"
        " the query points along another one."
    ),
    "equality-is-not-enough": (
        "With equality two keys may score alike and share the weight, as all do for q = 0: the "
        "inequality has to be strict."
    ),
    "key-as-its-own-query": (
        "The condition says when a query along the key itself wins. Another query may win where "
        "that one does not."
    ),
    "different-is-not-enough": (
        "A key may differ from every other and still be an average of them, and then it never "
        "scores above all of them."
    ),
    "never-holds": (
        "No instance was found on which the condition holds, and so it does not say when anything "
        "happens."
    ),
    "always-holds": "The condition holds whatever happens, and so it does not say when.",
    "not-sufficient": "The condition can hold without the effect.",
    "not-necessary": "The effect can be there without the condition, and not only near the border.",
}
