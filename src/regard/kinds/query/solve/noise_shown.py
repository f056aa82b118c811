"""Tables, plots and mistakes of queries over random keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.analysis import key_noise
from regard.kinds.heads.spec import HeadsProblem
from regard.kinds.query.solve.law import Bound, RandomKeys
from regard.kinds.query.solve.noise_steps import predicted
from regard.kinds.query.spec import QueryProblem
from regard.problems.laws import Gaussian
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.solving.key_tables import (
    drawn,
    error_in_digits,
    how_many,
    known_values,
    nice,
    tex,
    the_others,
    variance_in_digits,
)

if TYPE_CHECKING:
    from regard.kinds.query.solve.noise import Noisy

Float64 = NDArray[np.float64]

POINTS = 33


def noise_details(problem: QueryProblem, found: Noisy) -> tuple[Block, ...]:
    """The numbers of the instance."""
    mix, c = found.mix, found.mix.factor
    facts = [
        ("keys", how_many(mix.n, mix.m)),
        ("tolerance", tolerance_in_words(problem)),
        (f"factor ${c}$ of the answer", number(found.factor)),
        ("query", vector(found.query)),
        ("error, by the exact law", error_in_digits(float(found.off(np.array(found.factor))))),
        ("error, as proved", proved_in_words(found.bound, found.tolerance, found.proved)),
    ]
    if found.closed is not None:
        facts += [
            ("best factor, Lambert's $W$", number(found.closed, 7)),
            ("mean square error predicted there", number(predicted(found, found.closed))),
            ("exact there", number(float(found.off(np.array(found.closed)) ** 2))),
        ]
    blocks: list[Block] = [Facts(tuple(facts))]
    blocks.append(_by_factor(found))
    blocks.append(_curve(found))
    blocks.append(_others(found))
    return tuple(blocks)


def proved_in_words(bound: Bound, tolerance: float, proved: bool) -> str:
    """Say what is proved of the error."""
    most = tolerance if proved and bound.value > tolerance else bound.value
    return f"at most {number(most)}"


def tolerance_in_words(problem: QueryProblem | HeadsProblem) -> str:
    """Say what the tolerance is of."""
    tolerance = number(problem.goal.tolerance)
    random = isinstance(problem.given.keys, Gaussian)
    if known_values(problem.given):
        missed = r"\lVert c - c^* \rVert"
        return f"{tolerance} of " + (rf"$\sqrt{{E {missed}^2}}$" if random else f"${missed}$")
    each, all_ = r"|\alpha_i - p_i|", r"\lVert \alpha - p \rVert"
    if random:
        each, all_ = r"\sqrt{E (\alpha_i - p_i)^2}", rf"\sqrt{{E {all_}^2}}"
    return (
        f"{tolerance} of ${each}$ for each weight, as the values are arbitrary; errors are given, "
        f"and proved, for all weights together, ${all_}$, which is no less"
    )


def _by_factor(found: Noisy) -> Table:
    mix, s = found.mix, found.mix.scale if found.mix.even else 1.0
    assert found.window is not None
    tried = {0.0, 1 / s, 3 / s, 5 / s, 10 / s, 50 / s, 100 / s, found.factor}
    factors = np.array(sorted(tried))
    errors, variances = found.keys.off_and_variance(found.queries(factors), found.wanted)
    rows = tuple(
        (
            number(float(f)),
            number(mix.leak(float(f))),
            "0" if f == 0 and mix.even else variance_in_digits(v),
            error_in_digits(e),
        )
        for f, v, e in zip(factors, variances, errors, strict=True)
    )
    columns = (
        f"${mix.factor}$",
        "leak without noise",
        "variance of the output",
        r"$\sqrt{E \lVert c - c^* \rVert^2}$",
    )
    caption = "too small a factor leaks"
    if mix.m > 1:
        caption += ", too large a one amplifies the noise"
    return Table(columns, rows, caption)


def _curve(found: Noisy) -> Plot:
    assert found.window is not None
    end = max(3 * found.best, 1.5 * min(found.window[1], 10 * found.best), 1.0)
    factors = np.linspace(0, end, POINTS)
    x = tuple(float(f) for f in factors)
    errors, variances = found.keys.off_and_variance(found.queries(factors), found.wanted)
    series = (
        Series("error", x, drawn(errors)),
        Series("its random part", x, drawn(np.sqrt(variances))),
    )
    caption = "The error falls with the leak" + (" and rises with the noise" * (found.mix.m > 1))
    return Plot("lines", caption, found.mix.factor, "root mean square error", series)


def _others(found: Noisy) -> Table:
    """The same for other queries of the same gap."""
    mix, keys = found.mix, found.keys
    query = found.query
    centre = np.mean(keys.means, axis=0)
    rows = [("formula", query)]
    if mix.rest and mix.structure == "orthonormal" and mix.even:
        rows.append(("formula less the mean of the means", query - mix.m * found.factor * centre))
    if found.robust is not None:
        rows.append(("designed for the least noise", found.robust.queries[0]))
    cells = []
    for name, q in rows:
        spread = keys.spread(q)[list(mix.rows)]
        noise = float(np.sum(np.sort(spread)[-2:])) if mix.m > 1 else float(np.max(spread))
        error = float(keys.off(q[None], found.wanted))
        length = number(float(np.linalg.norm(q)))
        cells.append((name, length, number(noise), error_in_digits(error)))
    columns = ("query", "length", r"$\tau^2$", "error")
    return Table(columns, tuple(cells), "the formula and other directions")


def noise_mistakes(found: Noisy) -> tuple[str, ...]:
    """What other factors give."""
    mix = found.mix
    result = []
    here = float(found.off(np.array(found.factor)))
    if found.closed is not None:
        result.append(_no_upper_limit(found))
        result.append(_two_keys())
    else:
        large = nice(20 * max(found.factor, 1.0))
        there = float(found.off(np.array(large)))
        if there > max(here, found.tolerance):
            result.append(
                f"A factor that is as large as one likes. At ${mix.factor} = {tex(large)}$ the "
                f"error is {number(there)}; at {number(found.factor)} it is {number(here)}."
            )
    one = 1.0 / (mix.scale if mix.even else 1.0)
    short = float(found.off(np.array(one)))
    if mix.rest and short > found.tolerance:
        result.append(
            f"No large factor at all. With ${mix.factor} = {tex(one)}$ the error is "
            f"{number(short)}, noise or not: {the_others(mix.rest, 'keep')} "
            f"{number(mix.leak(one))} of the weight."
        )
    if mix.m > 1:
        one_head = float(found.keys.variance(found.queries(np.array(found.factor))))
        result.append(
            "That a second head with the same query averages the noise away. Both see the same "
            "keys "
            f"and put out the same: the variance stays {variance_in_digits(one_head)}."
        )
    return tuple(result)


def _no_upper_limit(found: Noisy) -> str:
    mix, assumed = found.mix, 0.01
    noise = np.broadcast_to(
        assumed * np.eye(found.keys.means.shape[1]), found.keys.covariances.shape
    )
    keys = RandomKeys(found.keys.means, noise, found.keys.values, found.keys.scale)
    s = mix.scale if mix.even else 1.0
    errors = keys.off(found.queries(np.array([5 / s, 50 / s])), found.wanted)
    return (
        "A factor without an upper limit. At a fixed noise of variance "
        f"{number(assumed)} the error is {number(float(errors[0]), 4)} with ${mix.factor} = "
        f"{tex(5 / s)}$ and {number(float(errors[1]), 4)} with ${mix.factor} = {tex(50 / s)}$: the "
        "average has become a coin flip."
    )


def _two_keys() -> str:
    means, noise = np.eye(2), np.broadcast_to(0.01 * np.eye(2), (2, 2, 2))
    law = key_noise(np.ones(2), means, noise, np.eye(2), scale=np.array([5.0, 50.0]))
    five, fifty = (float(law.covariance[i, 0, 0]) for i in (0, 1))
    return (
        r'"Vanishingly small" without saying against what: it is $C^{-2}$ that the noise must be '
        r"small "
        "against. With two keys alone and noise of variance 0.01 the weight of one has variance "
        f"{number(five, 3)} at $C = 5$ and {number(fifty, 3)} at $C = 50$, where 0.25 is a coin "
        f"flip."
    )
