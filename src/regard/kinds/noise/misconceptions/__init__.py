"""What is got wrong about outputs over random keys: other laws, other chances, other variances."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.errors import InvalidAnswer
from regard.kinds.noise.misconceptions import mistaken_laws as laws
from regard.kinds.noise.reading.asked import Asked
from regard.kinds.noise.reading.output_law import EXACT, Law, law
from regard.kinds.noise.spec import NoiseProblem
from regard.problems.instances import Float64

DRAWN = 6  # values on which a misconception has to show
SAME = 1e-6


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong answer.

    Attributes:
        asked: the problem and the answer.
        wrong: the fields that are wrong.
    """

    asked: Asked
    wrong: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are wrong and about the law."""
        return tuple(name for name in self.wrong if name != "independent")

    @property
    def places(self) -> list[Float64]:
        """The values of the instance, and drawn ones where there may be others."""
        seeds = [] if self.asked.one_instance else range(1000, 1000 + DRAWN)
        return [self.asked.drawn(seed).values for seed in [-1, *seeds]]

    def fits(self, other: Law, *names: str) -> bool:
        """Whether fields are what they would be in another law, which is not the right one."""
        if not np.isfinite(other.rough):  # it is not known
            return False
        error, allowed = self.asked.said.error, EXACT + 4 * other.rough
        try:
            return all(error(name, other, x) <= allowed for name in names for x in self.places)
        except InvalidAnswer:  # arrays of another length than these values
            return False

    @property
    def atoms(self) -> Float64:
        """The atoms that a wrong answer says, probability and value in each row; none if right."""
        values = self.asked.plain.values
        if "atoms" not in self.fields:
            return np.zeros((0, 1 + values.shape[1]))
        return np.asarray(self.asked.said.value("atoms", values))

    def is_variance(self, change: Callable[[Float64], Float64]) -> bool:
        """Whether nothing but the variance is wrong, and it is the right one changed like this."""
        if self.fields != ("variance",):
            return False
        said, x = self.asked.said, self.places
        wanted = change(np.array([self.asked.law.variance(v) for v in x]))
        off = np.abs(np.array([said.value("variance", v) for v in x]) - wanted)
        room = np.array([said.rounding("variance", v) for v in x])
        return bool(np.any(wanted)) and bool(np.all(off <= room + EXACT * np.abs(wanted)))


def _claims_effect(case: Case) -> bool:
    asked = case.asked
    if laws.noise_is_seen(asked.at):
        return False
    varies = "variance" in case.fields and asked.said.value("variance", asked.plain.values) > 0
    return len(case.atoms) > 1 or bool(varies)


def _not_finite(case: Case) -> bool:
    said, at = case.asked.said, case.asked.plain
    return not all(math.isfinite(said.error(name, at.law, at.values)) for name in case.fields)


def _does_not_add_up(case: Case) -> bool:
    chances = case.atoms[:, 0]
    wrong = np.any(chances < 0) or abs(np.sum(chances) - 1) > 1e-2
    return "atoms" in case.fields and bool(wrong)


def _one_averaged(case: Case) -> bool:
    """The variance is that of one head for all, over how many there are, or over its square."""
    at = case.asked.at
    scores = np.sort(at.directions @ at.means.T, axis=1)
    if at.heads < 2 or np.any(scores[:, -1] <= scores[:, -2] + 1e-9):
        return False
    alone = law(next(laws.as_one_head(at)))
    one = np.array([alone.variance(x) for x in case.places]) / at.heads
    return case.is_variance(lambda _: one) or case.is_variance(lambda _: one / at.heads)


def _equal_chances(case: Case) -> bool:
    others = laws.equally_likely(case.asked.at, case.asked.law)
    return "atoms" in case.fields and any(case.fits(other, "atoms") for other in others)


def _other_chances(case: Case) -> bool:
    """The values are right, and their chances are wrong here, not only for more keys."""
    if "atoms" not in case.fields:
        return False
    if case.asked.error("atoms", case.asked.plain) <= case.asked.tolerance:
        return False
    right = case.asked.law.shares @ case.asked.plain.values
    found = [row[1:] for row in case.atoms if row[0]]
    near = [[bool(np.allclose(x, y, atol=SAME)) for y in right] for x in found]
    return bool(near and np.all(np.any(near, axis=1)) and np.all(np.any(near, axis=0)))


def _multiple(case: Case) -> bool:
    """The variance is the same multiple of the right one everywhere."""
    if "atoms" in case.fields or "variance" not in case.fields:
        return False
    said, right = case.asked.said, case.asked.law
    x = [values for values in case.places if right.variance(values) > 0]
    ratios = np.array([said.value("variance", v) / right.variance(v) for v in x])
    return len(ratios) > 1 and bool(ratios[0]) and bool(np.allclose(ratios, ratios[0], rtol=1e-6))


def _shows(mistaken: laws.Laws, case: Case) -> bool:
    """Whether everything that is wrong is as in a law of the misconception."""
    found = laws.existing(mistaken, case.asked.at, case.asked.law)
    return any(case.fits(other, *case.fields) for other in found)


def _of_law(
    tag: str, sentence: str, mistaken: laws.Laws, idea: str = ""
) -> Mistake[NoiseProblem, Case]:
    """A misconception that leads to another law, which recognises it and is what is told of it."""
    wrong = partial(laws.answer_by_law, mistaken) if idea else None
    return Mistake(tag, sentence, partial(_shows, mistaken), wrong, idea)


def _deviation(problem: NoiseProblem) -> dict[str, Any] | None:
    """Chances for the squared covariances, or where these are the same the root of the variance."""
    other = laws.answer_by_law(laws.covariances_squared, problem)
    return other or laws.right_answer(problem, variance="sqrt({})")


MISTAKES: tuple[Mistake[NoiseProblem, Case], ...] = (
    Mistake(
        "independent-because-queries-differ",
        "Heads with different queries still see the same random keys.\n"
        "They are independent only if q_h' Sigma_i q_g = 0 for every key i.",
        lambda case: not case.fields and not case.asked.independent,
    ),
    Mistake(
        "dependent-because-of-the-same-keys",
        "Both heads see the same keys, but not the same noise:\n"
        "q_h' Sigma_i q_g = 0 for every key i, so that they are independent.",
        lambda case: not case.fields,
        partial(laws.right_answer, independent=False),
        "Heads that see the same keys taken as dependent",
    ),
    Mistake("not-finite", SHARED["not-finite"], _not_finite),
    Mistake(
        "probabilities-do-not-add-up",
        "Probabilities are not negative, and they add up to 1.\nThose of the answer do not.",
        _does_not_add_up,
    ),
    Mistake(
        "claims-effect",
        "The noise has no effect here:\n"
        "it moves the key at right angles to the query, and the score stays as it is.",
        _claims_effect,
        partial(laws.answer_by_law, laws.noise_on_a_wanted_key),
        "Not asking which key varies, as if it were one that the query looks at",
    ),
    Mistake(
        "variance-read-as-standard-deviation",
        SHARED["variance-read-as-standard-deviation"],
        lambda case: case.is_variance(np.sqrt),
        _deviation,
        "Variance and standard deviation mixed up",
    ),
    Mistake(
        "missing-factor-4",
        "The variance is 4 times too large:\n"
        "a coin has the variance 1/4 times the squared distance of its two sides, and an "
        "average of two heads a quarter of what one of them contributes.",
        lambda case: case.is_variance(lambda right: 4 * right),
        partial(laws.right_answer, variance="4 ({})"),
        "The square of the distance taken for the variance",
    ),
    Mistake(
        "one-head-averaged",
        "Averaging is not what makes two heads stable:\n"
        "each looks at one key, and its large score leaves hardly any noise to average out.",
        _one_averaged,
    ),
    _of_law(
        "negative-case-left-out",
        "Cases in which a score is negative are left out.\n"
        "A normal number is negative now and then, and so is the score of a key of random "
        "length. Here these cases count as well.",
        laws.without_negative_scores,
        "Without the cases in which a normal length is negative",
    ),
    _of_law(
        "average-instead-of-jumping",
        "The average is the mean of the output, but no sample is near it:\n"
        "a large factor gives all weight to whichever score is larger, and the output jumps.",
        laws.without_noise,
        "The average, give or take, as for keys at their means",
    ),
    _of_law(
        "variance-read-as-standard-deviation",
        SHARED["variance-read-as-standard-deviation"],
        laws.covariances_squared,
    ),
    _of_law(
        "one-head-for-all",
        "This is what a single head would do.\n"
        "The queries of the heads differ, and the output is the average of what each of them "
        "does.",
        laws.of_one_head,
        "One head with the sum of the queries",
    ),
    _of_law(
        "ignores-other-values",
        "The other keys are still there:\n"
        "when the key that is wanted scores low, their values share the weight.",
        laws.of_named_keys,
        "Without the values of the other keys",
    ),
    _of_law(
        "summed-instead-of-averaged",
        SHARED["summed-instead-of-averaged"],
        laws.of_sums,
        "The outputs of the heads added up",
    ),
    Mistake(
        "equal-chances",
        "These are the right values, but they are not equally likely:\n"
        "look at how far apart the scores are, in standard deviations.",
        _equal_chances,
        partial(laws.answer_by_law, laws.equally_likely),
        "The values taken as equally likely",
    ),
    Mistake(
        "other-chances",
        "These are the right values, but their probabilities are others:\n"
        "ask how often one score is above the other.",
        _other_chances,
    ),
    Mistake(
        "extra-factor",
        SHARED["extra-factor"],
        _multiple,
        numbers=lambda case: "That is about the variance.",
    ),
)
OFTEN = (
    "average-instead-of-jumping",
    "claims-effect",
    "variance-read-as-standard-deviation",
    "negative-case-left-out",
    "ignores-other-values",
)
