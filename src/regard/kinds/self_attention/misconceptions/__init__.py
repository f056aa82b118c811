"""What is got wrong about the matrices of a head."""

from __future__ import annotations

from collections.abc import Callable

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.self_attention.misconceptions import recognised, wrong_answers
from regard.kinds.self_attention.misconceptions.recognised import Case
from regard.kinds.self_attention.spec import SelfAttentionProblem


def _looks(tag: str) -> Callable[[Case], bool]:
    return lambda case: case.by_weights == tag


# In the order in which they are looked for.
MISTAKES: tuple[Mistake[SelfAttentionProblem, Case], ...] = (
    Mistake("not-finite", SHARED["not-finite"], lambda case: not recognised.is_finite(case.asked)),
    Mistake("claims-possible", SHARED["claims-possible"], lambda case: case.possible is False),
    Mistake(
        "transposed-A",
        SHARED["transposed-A"],
        lambda case: case.right_after(recognised.turned),
        idea="Keys and queries exchanged",
        spoiled=wrong_answers.keys_for_queries,
    ),
    Mistake(
        "rows-for-columns",
        SHARED["rows-for-columns"],
        lambda case: case.right_after(recognised.transposed),
    ),
    Mistake("extra-factor", SHARED["extra-factor"], recognised.exchanged_alike),
    Mistake(
        "keys-and-values-swapped",
        SHARED["keys-and-values-swapped"],
        lambda case: case.right_after(recognised.keys_and_values),
    ),
    Mistake(
        "queries-and-values-swapped",
        SHARED["queries-and-values-swapped"],
        lambda case: case.right_after(recognised.queries_and_values),
    ),
    Mistake(
        "sign-of-scores",
        SHARED["sign-of-scores"],
        lambda case: case.right_after(recognised.negated),
    ),
    Mistake(
        "forgot-norm-squared",
        SHARED["forgot-norm-squared"],
        recognised.undivided,
        idea="The length not divided out of V",
        spoiled=wrong_answers.undivided_values,
    ),
    Mistake(
        "one-length-only",
        SHARED["one-length-only"],
        lambda case: recognised.right_at_one_length(case.asked),
    ),
    Mistake("one-frame-only", SHARED["one-frame-only"], recognised.right_in_one_frame),
    Mistake(
        "no-large-scale",
        SHARED["no-large-scale"],
        recognised.too_short,
        idea="Scores that are not far apart",
        spoiled=wrong_answers.close_scores,
    ),
    Mistake("extra-factor", SHARED["extra-factor"], lambda case: case.rescaled),
    Mistake("attends-to-itself", SHARED["attends-to-itself"], _looks("attends-to-itself")),
    Mistake("same-score-for-all", SHARED["same-score-for-all"], _looks("same-score-for-all")),
    Mistake(
        "looks-at-the-wrong-token",
        SHARED["looks-at-the-wrong-token"],
        _looks("looks-at-the-wrong-token"),
    ),
    Mistake(
        "wrong-values",
        SHARED["wrong-values"],
        _looks("wrong-values"),
        wrong_answers.plain_matrices,
        "Without matrices",
    ),
    Mistake("one-row-only", SHARED["one-row-only"], _looks("one-row-only")),
    Mistake("claims-impossible", SHARED["claims-impossible"], lambda case: False),
)
OFTEN = (
    "transposed-A",
    "wrong-values",
    "forgot-norm-squared",
    "no-large-scale",
)
