"""What is got wrong about queries, of one head and of several, in the order of recognition."""

from __future__ import annotations

from dataclasses import replace

from regard.checking.hints import hint
from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.checking.verdict import Misconception
from regard.kinds.heads.misconceptions import numbers, recognised, wrong_answers
from regard.kinds.heads.misconceptions.recognised import Case, everywhere
from regard.kinds.heads.spec import WeightsProblem

__all__ = ["MISTAKES", "OFTEN", "OF_SEVERAL_HEADS", "Case", "of_queries"]

MISTAKES: tuple[Mistake[WeightsProblem, Case], ...] = (
    Mistake("not-finite", SHARED["not-finite"], recognised.overflows),
    Mistake(
        "absurd-scale",
        "The scores are larger than float64 can tell apart.\n"
        "It does not see a difference of 1 between them, and what softmax makes of them is "
        "rounding. Make the factor large, but not without limit.",
        recognised.absurd,
        wrong_answers.beyond_floats,
    ),
    Mistake(
        "no-upper-limit-on-scale",
        "The factor is too large for this noise.\n"
        "A larger factor also makes the noise in the scores larger: with noise of a given "
        "size it has an upper limit as well.",
        recognised.too_long,
        wrong_answers.very_long,
        "A factor that is as large as one likes",
    ),
    Mistake(
        "claims-possible",
        SHARED["claims-possible"],
        lambda case: case.candidate.one_instance and case.possible() is False,
    ),
    Mistake(
        "summed-instead-of-averaged",
        SHARED["summed-instead-of-averaged"],
        everywhere(recognised.each_its_share),
        wrong_answers.shares_in_each_head,
        "Heads that are added up, each with the share of its key",
    ),
    Mistake(
        "values-instead-of-keys",
        "The query is made of values.\n"
        "Scores compare a query with keys, so it has to be made of keys.",
        everywhere(recognised.right_of_values),
    ),
    Mistake(
        "identical-heads",
        "All heads have the same query.\n"
        "They err together, and their average is no better than one of them. Let each head "
        "look at one key.",
        everywhere(recognised.identical_under_noise),
        wrong_answers.same_query_in_each_head,
        "The same mixed query in every head",
    ),
    Mistake(
        "heads-not-apart",
        "The average is right, and the heads are not:\n"
        "each was to look for its own part, so that no head mixes what another one is for.",
        everywhere(recognised.average_alone),
        wrong_answers.same_query_for_own_parts,
        "One mixed query for heads that were to look for one part each",
    ),
    Mistake(
        "no-large-scale",
        "The direction is right, but the query is too short.\n"
        "Softmax only comes near to the weights wanted when the scores are far apart.",
        everywhere(recognised.too_short),
        wrong_answers.without_factor,
        "Without a large factor",
        numbers=numbers.too_short,
    ),
    Mistake(
        "wrong-sign",
        "The query looks away from the keys wanted:\nit needs the other sign.",
        everywhere(recognised.turned_round),
        numbers=numbers.turned_round,
    ),
    Mistake(
        "all-keys-alike",
        "All keys have the same score:\nthe output is the plain average of all values.",
        everywhere(lambda tried: bool(tried.idle.all())),
    ),
    Mistake(
        "idle-head",
        "A head gives every key the same weight.\n"
        "A query of zero is not silent: its head counts as much as any other.",
        everywhere(lambda tried: bool(tried.idle.any() and not tried.idle.all())),
        wrong_answers.one_head_idle,
    ),
    Mistake(
        "not-divided-by-squared-norm",
        "The squared lengths of the keys are not divided out.\n"
        "The keys are at right angles but not of length 1: the score of k_i with itself is "
        "its squared length, and has to be divided by it.",
        everywhere(recognised.right_for_unit_keys),
        wrong_answers.sum_of_keys,
        "Keys that are not divided by the squares of their lengths",
    ),
    Mistake(
        "both-heads-on-one-key",
        "All heads look at the same key.\nTheir average has nothing of the others.",
        everywhere(recognised.one_key),
        lambda problem: (
            wrong_answers.one_key_only(problem) if len(problem.query_names) > 1 else None
        ),
        "One key for all heads",
    ),
    Mistake(
        "weights-without-log",
        "The scores are in proportion to the weights wanted.\n"
        "Softmax turns differences of scores into ratios of weights: unequal weights p need "
        "scores that differ by ln p.",
        everywhere(recognised.in_proportion),
        wrong_answers.proportional_scores,
        "Weights as coefficients",
    ),
    Mistake(
        "equal-weights",
        "The keys wanted share the weight evenly.\nOther shares were asked for.",
        everywhere(recognised.equal_weights),
        wrong_answers.equal_shares,
    ),
    Mistake(
        "one-target-only",
        "Nearly all the weight goes to one of the keys wanted:\n"
        "the others need scores that are about as large.",
        everywhere(recognised.one_target),
        lambda problem: (
            wrong_answers.one_key_only(problem) if len(problem.query_names) == 1 else None
        ),
        "One of the keys wanted",
    ),
    Mistake(
        "others-as-large",
        "The keys wanted do not stand out from the rest.\n"
        "They compare with each other as they should: add the same large amount to the score "
        "of each of them. A factor would change their ratio.",
        everywhere(recognised.others_as_large),
        wrong_answers.shares_without_factor,
    ),
    Mistake(
        "other-keys-too",
        "Keys that are not wanted get weight as well.\nA larger factor does not change that.",
        everywhere(recognised.other_keys),
    ),
    Mistake(
        "one-instance-only",
        SHARED["one-instance-only"],
        recognised.right_here_only,
    ),
)
SEVERAL_TOO_SHORT = Misconception.said(
    "no-large-scale",
    "The directions are right, but not every query is long enough.\n"
    "Softmax only comes near to the weights wanted when the scores are far apart.",
    hint("no-large-scale"),
)


def of_queries(idea: Misconception | None, count: int) -> Misconception | None:
    """Return what is told of one query as it is told of several."""
    if idea is None or count == 1 or idea.tag != SEVERAL_TOO_SHORT.tag:
        return idea
    return replace(SEVERAL_TOO_SHORT, numbers=idea.numbers)


OF_SEVERAL_HEADS = frozenset(
    (
        "summed-instead-of-averaged",
        "identical-heads",
        "heads-not-apart",
        "idle-head",
        "both-heads-on-one-key",
    )
)
OFTEN = ("no-large-scale", "identical-heads", "heads-not-apart", "summed-instead-of-averaged")
