"""What is said about queries: how far off they are, what would help, and from which factor on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regard.checking.sampling import Trial, compare
from regard.errors import InvalidAnswer
from regard.kinds.query.judge import instances as instances
from regard.kinds.query.judge.asked import Asked
from regard.kinds.query.judge.errors import LARGEST_SCORE, errors_of, has_noise
from regard.kinds.query.judge.scale import right_length, smallest_factor
from regard.problems.instances import KeyInstance
from regard.report import number

LITTLE = 1.1  # a growth below this is told in percent


def margin(asked: Asked, tried: int, wrong: int) -> Callable[[Trial[KeyInstance]], str]:
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
        return compare(trial.error, trial.tolerance) + _advice(asked, trial.instance) + count

    return say


def _advice(asked: Asked, instance: KeyInstance) -> str:
    grow = right_length(asked, instance, longer=True)
    if grow is not None and grow < LITTLE:
        return f": ‖q‖ must grow by about {100 * (grow - 1):.2g} %"
    if grow is not None:
        return f": ‖q‖ must grow about {grow:.2g}×"
    if has_noise(instance):
        shrink = right_length(asked, instance, longer=False)
        if shrink is not None and asked.bounds is not None:
            most = shrink * asked.tried(instance)[-1]
            return f": {asked.factor} may be at most about {most:.2g}"
        if shrink is not None:
            return f": ‖q‖ must shrink to about {shrink:.2g} of its length"
    return ""


def remarks_on(asked: Asked, here: KeyInstance, right: bool) -> tuple[str, ...]:
    """Return remarks: that numbers are no formula, and which factors are large enough."""
    if in_numbers(asked) and not right:
        return (
            "The keys are not given as numbers, so that a query in numbers is right for some of "
            "them at best: write it as a formula in the keys.",
        )
    if not (asked.free and right):
        return ()
    smallest = smallest_factor(asked, here)
    assert smallest is not None  # the largest factors were right
    if smallest < 0.01:
        return (f"Here every {asked.factor} is large enough.",)
    digits = 10.0 ** (np.floor(np.log10(smallest)) - 2)
    shown = np.ceil(smallest / digits) * digits
    remark = f"Here every {asked.factor} from {number(shown)} on is large enough."
    if here.covariances is None or has_noise(here):
        return (remark,)
    noisy = instances.plain(asked.problem, noisy=True)
    if not has_noise(noisy):
        return (remark,)
    return (remark, _window(asked, noisy, smallest))


def _window(asked: Asked, noisy: KeyInstance, smallest: float) -> str:
    """Say what the noise of the instance, which is to vanish, would allow."""
    small = instances.limiting(asked.problem)
    said = ", ".join(f"{name} = {number(asked.problem.given.parameters[name])}" for name in small)
    factors = max(smallest, 1e-3) * np.geomspace(1.0, 30.0, 11)
    errors = errors_of(asked, noisy, asked.evaluate(noisy, factors.tolist()))
    good = factors[errors <= asked.tolerance]
    if len(good) == 0:
        return f"That is in the limit: with {said} no {asked.factor} is right."
    if good[-1] == factors[-1]:
        return f"That is also so with {said}."
    return (
        f"That is in the limit: with {said} the noise also sets an upper limit, between "
        f"{asked.factor} = {good[-1]:.2g} and {factors[list(factors).index(good[-1]) + 1]:.2g}."
    )


def in_numbers(asked: Asked) -> bool:
    """Whether the queries are the same for all keys, although these are not given as numbers."""
    if asked.one_instance:
        return False
    try:
        one, two = (
            asked.evaluate(instance, asked.tried(instance)[-1:])
            for instance in (instances.drawn(asked.problem, seed) for seed in (0, 1))
        )
    except InvalidAnswer:  # it fits keys of one shape only
        return not any(name in "KM" or "_" in name for name in asked.names)
    return bool(np.array_equal(one, two))
