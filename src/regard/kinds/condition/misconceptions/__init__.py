"""What is got wrong about conditions on scores and keys, in the order of recognition."""

from __future__ import annotations

from collections.abc import Callable

from regard.checking.mistakes import Mistake
from regard.kinds.condition.instance.keys import unit_keys
from regard.kinds.condition.misconceptions import recognised
from regard.kinds.condition.misconceptions.recognised import Case
from regard.kinds.condition.reading.trials import is_right
from regard.kinds.condition.spec import ConditionProblem

__all__ = ["MISTAKES", "OFTEN", "Case"]


def _condition(
    text: str, *effects: str, exact: bool = False
) -> Callable[[ConditionProblem], dict[str, str] | None]:
    """An answer to problems about these effects; with `exact`, where less than exact is wrong."""

    def wrong(problem: ConditionProblem) -> dict[str, str] | None:
        goal = problem.goal
        if goal.effect not in effects or (exact and not goal.exact):
            return None
        return {"condition": text.format(j=goal.of, i=goal.other)}

    return wrong


_OF_MASS = ("mass", "output")
_EFFECTS = (*_OF_MASS, "pairwise", "aligned", "dominable")
MISTAKES: tuple[Mistake[ConditionProblem, Case], ...] = (
    Mistake(
        "never-holds",
        "No instance was found on which the condition holds.\n"
        "So it does not say when anything happens.",
        lambda case: not case.met,
        _condition("1 > 2", *_EFFECTS),
    ),
    Mistake(
        "ratio-instead-of-difference",
        "Softmax sees differences of scores and not ratios:\n"
        "the scores 0.1 and 0.001 give nearly equal weights, and 1000 and 990 do not.",
        lambda case: case.of_scores and recognised.ratio(case),
        _condition("s_{j} >= 100 s_{i}", *_OF_MASS, "pairwise"),
        '"Much larger" read as a ratio',
    ),
    Mistake(
        "wrong-direction",
        "The inequality points the wrong way.",
        lambda case: (case.of_keys or case.of_scores) and recognised.turned(case),
        _condition("k_{j}' k_{j} < k_{i}' k_{j}", "aligned"),
    ),
    Mistake(
        "equality-is-not-enough",
        "With equality two keys may score alike and share the weight.\n"
        "All do for q = 0: the inequality has to be strict.",
        lambda case: case.asked.about_keys and recognised.without_ties(case),
        _condition("k_{j}' q >= k_{i}' q", "dominable"),
    ),
    Mistake(
        "alignment-without-norms",
        "The condition is right for keys of length 1 only.\n"
        "A longer key may score higher although the query points along another one.",
        lambda case: (
            case.of_keys
            and case.effect == "aligned"
            and is_right(case.asked, unit_keys(case.problem))
        ),
        _condition("norm(k_{j} - k_{i}) > 0", "aligned"),
        "That the key which the query points along gets the weight, if no other is the same",
    ),
    Mistake(
        "key-as-its-own-query",
        "The condition says when a query along the key itself wins.\n"
        "Another query may win where that one does not.",
        lambda case: (
            case.of_keys
            and case.effect == "dominable"
            and recognised.agrees(case, recognised.beats)
        ),
        _condition("k_{j}' k_{j} > k_{i}' k_{j}", "dominable", exact=True),
        "Taking the key itself as the query",
    ),
    Mistake(
        "different-is-not-enough",
        "To differ from every other key is not enough.\n"
        "A key may do so and still be an average of them, and then it never scores above all "
        "of them.",
        lambda case: case.of_keys and recognised.agrees(case, recognised.differs),
        _condition("norm(k_{j} - k_{i}) > 0", "dominable"),
        "That different keys can always be told apart",
    ),
    Mistake(
        "threshold-without-log",
        "The gap between scores is compared with a ratio of weights.\n"
        "Scores are logarithms of weights, so a gap has to be compared with the logarithm of "
        "a ratio.",
        lambda case: case.of_scores and recognised.without_log(case),
        _condition("s_{j} - s_{i} >= R", "pairwise", exact=True),
        "The ratio without its logarithm",
    ),
    Mistake(
        "mass-instead-of-pairwise",
        "The condition compares with all other keys together.\n"
        "Asked was how one weight compares with each of the others, however many there are.",
        lambda case: (
            recognised.other_effect(case, "pairwise") and recognised.right_for_two_keys(case)
        ),
        _condition("s_{j} - log(sum(exp(s)) - exp(s_{j})) >= log(R)", "pairwise", exact=True),
        '"Larger than each" taken for "larger than all together"',
    ),
    Mistake(
        "pairwise-instead-of-mass",
        "The condition is right for a single other key.\n"
        "Many small weights add up: with n keys the gap has to be larger by ln(n - 1), or "
        "all other keys have to be counted together.",
        lambda case: recognised.other_effect(case, "mass") and recognised.right_for_two_keys(case),
        _condition("s_{j} - s_{i} >= log((1 - epsilon)/epsilon)", *_OF_MASS),
        "The gap for a single rival, used with more of them",
    ),
    Mistake(
        "largest-score-only",
        "Being the largest score is not enough:\nwith a small lead the weights are nearly equal.",
        lambda case: case.of_scores and recognised.largest(case),
        _condition("s_{j} > s_{i}", *_OF_MASS, "pairwise"),
        "Having the largest score",
    ),
    Mistake(
        "always-holds",
        "The condition holds whatever happens.\nSo it does not say when.",
        lambda case: case.always,
        _condition("2 > 1", *_EFFECTS),
    ),
    Mistake(
        "not-necessary",
        "The effect can be there without the condition.\nThat is so not only near the border.",
        lambda case: case.sufficient,
    ),
    Mistake(
        "not-sufficient",
        "The condition can hold without the effect.\nThe counterexample is such a case.",
        lambda case: True,
    ),
)
OFTEN = (
    "ratio-instead-of-difference",
    "largest-score-only",
    "pairwise-instead-of-mass",
    "alignment-without-norms",
    "different-is-not-enough",
)
