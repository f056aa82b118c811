"""What is said about queries: how far off they are, what would help, and from which factor on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regard.checking.factors.open_factor import written
from regard.checking.sampling import Trial, compare
from regard.errors import InvalidAnswer
from regard.kinds.heads.instance import has_noise, limits_in_words, plain_instance
from regard.kinds.heads.reading import Candidate
from regard.kinds.heads.reading.goal import LARGEST_SCORE
from regard.kinds.heads.reading.query_length import right_length, smallest_factor
from regard.problems.instances import KeyInstance
from regard.report import number
from regard.report.numbers import rounded_down, rounded_up

LITTLE = 1.1  # a growth below this is told in percent


def margin(candidate: Candidate, tried: int, wrong: int) -> Callable[[Trial[KeyInstance]], str]:
    """Return what says how far off an answer is on the worst of the instances tried."""

    def say(trial: Trial[KeyInstance]) -> str:
        count = f"; right on {tried - wrong} of {tried} instances" if tried > 1 else ""
        if np.isnan(trial.error):
            return f"a query or a score is not a finite number{count}"
        if np.isinf(trial.error):
            return (
                f"a score is beyond {number(LARGEST_SCORE)}, where float64 does not see a "
                f"difference of 1{count}"
            )
        return compare(trial.error, trial.tolerance) + _advice(candidate, trial.instance) + count

    return say


def _advice(candidate: Candidate, instance: KeyInstance) -> str:
    grow = right_length(candidate, instance, longer=True)
    digits = 2 if has_noise(instance) else 3  # under noise it is looked for coarsely
    if grow is not None and grow < LITTLE:
        return f": ‖q‖ must grow by about {rounded_up(100 * (grow - 1), 2)} %"
    if grow is not None:
        return f": ‖q‖ must grow about {rounded_up(grow, digits)}×"
    if has_noise(instance):
        shrink = right_length(candidate, instance, longer=False)
        if shrink is not None and candidate.bounds is not None:
            most = shrink * candidate.tried(instance)[-1]
            return f": {candidate.factor} may be at most about {rounded_down(most, 2)}"
        if shrink is not None:
            return f": ‖q‖ must shrink to about {rounded_down(shrink, 2)} of its length"
    return ""


def remarks_on(candidate: Candidate, here: KeyInstance, right: bool) -> tuple[str, ...]:
    """Return remarks: that numbers are no formula, and which factors are large enough."""
    if in_numbers(candidate) and not right:
        return (
            "The keys are not given as numbers, so that a query in numbers is right for some of "
            "them at best: write it as a formula in the keys.",
        )
    if not (candidate.free and right):
        return ()
    smallest = smallest_factor(candidate, here)
    assert smallest is not None  # the largest factors were right
    if smallest < 0.01:
        return (f"Here every {candidate.factor} is large enough.",)
    if np.isfinite(smallest):
        digits = 10.0 ** (np.floor(np.log10(smallest)) - 2)
        shown = number(np.ceil(smallest / digits) * digits)
    else:
        shown = written(smallest, 3)
    remark = f"Here every {candidate.factor} from {shown} on is large enough."
    if here.covariances is None or has_noise(here):
        return (remark,)
    noisy = plain_instance(candidate.problem, noisy=True)
    if not has_noise(noisy):
        return (remark,)
    return (remark, _window(candidate, noisy, smallest))


def _window(candidate: Candidate, noisy: KeyInstance, smallest: float) -> str:
    """Say what the noise of the instance, which is to vanish, would allow."""
    said = limits_in_words(candidate.problem)
    factors = max(smallest, 1e-3) * np.geomspace(1.0, 30.0, 11)
    good = factors[candidate.errors_at(noisy, factors.tolist()) <= candidate.tolerance]
    if len(good) == 0:
        return f"That is in the limit: with {said} no {candidate.factor} is right."
    if good[-1] == factors[-1]:
        return f"That is also so with {said}."
    return (
        f"That is in the limit: with {said} the noise also sets an upper limit, between "
        f"{candidate.factor} = {good[-1]:.2g} and {factors[list(factors).index(good[-1]) + 1]:.2g}."
    )


def in_numbers(candidate: Candidate) -> bool:
    """Whether the queries are the same for all keys, although these are not given as numbers."""
    if candidate.one_instance:
        return False
    try:
        one, two = (candidate.last(candidate.drawn(seed)) for seed in (0, 1))
    except InvalidAnswer:  # it fits keys of one shape only
        return not any(name in "KM" or "_" in name for name in candidate.names)
    return bool(np.array_equal(one, two))
