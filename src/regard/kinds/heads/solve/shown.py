"""Tables, plots and mistakes of several heads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.kinds.heads.solve.examples import allocations, hard_limit, null_steering
from regard.kinds.heads.solve.steps import spread_of
from regard.kinds.heads.spec import HeadsProblem
from regard.kinds.query.solve.noise_shown import proved_in_words, tolerance_in_words
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.solving.beyond import BEYOND
from regard.solving.key_tables import (
    KNOWN,
    below,
    drawn,
    error_in_digits,
    key_name,
    listing,
    softmax,
    symbol,
    tex,
    variance_in_digits,
    weights_table,
)

if TYPE_CHECKING:
    from regard.kinds.heads.solve.setting import Heads

Float64 = NDArray[np.float64]

POINTS = 31
ROUNDING = 1e-12  # of weights


def heads_details(problem: HeadsProblem, found: Heads) -> tuple[Block, ...]:
    """The numbers of the instance."""
    whole = found.whole
    weights = np.mean(softmax(found.keys.scale * (found.queries @ found.keys.means.T)), axis=0)
    facts = [
        ("keys", str(whole.n)),
        ("heads", str(len(found.mixes))),
        ("tolerance", tolerance_in_words(problem)),
    ]
    if not math.isnan(found.factor):
        facts.append((f"factor ${whole.factor}$", number(found.factor)))
    name = "error, by the exact law" if found.random else "error"
    if found.noisy is not None:
        name = "error in the limit without noise"
        facts.append(("error with the noise given", error_in_digits(found.error_with_noise)))
    facts += [
        (name, _error(found, found.error)),
        (
            f"{'error' if found.noisy is None else 'the same'}, as proved",
            proved_in_words(found.provable, found.tolerance, found.proved),
        ),
    ]
    blocks: list[Block] = [Facts(tuple(facts))]
    rows = tuple(
        (
            str(h + 1),
            listing(
                [f"${symbol(key_name(problem.given, row, whole.prefix))}$" for row in mix.rows]
            ),
            vector(found.queries[h]),
            *(number(part) for part in found.head(h)),
        )
        for h, mix in enumerate(found.mixes[:8])
    )
    columns = ("head", "wants", "query", "gap", "error at most")
    blocks.append(Table(columns, rows, "heads"))
    blocks.append(
        weights_table(
            problem.given,
            whole.wanted(),
            weights,
            whole.prefix,
            "average weights, keys at their means" if found.random else "average weights",
        )
    )
    if not math.isnan(found.factor):
        blocks += _against_one(found)
    else:
        blocks.append(_bars(problem, found, weights))
    if found.random and whole.structure == "orthonormal":
        blocks += [*BEYOND, _limits(found), *allocations(), null_steering()]
    return tuple(blocks)


def _error(found: Heads, x: float) -> str:
    return error_in_digits(x) if found.random else below(x, ROUNDING)


def _bars(problem: HeadsProblem, found: Heads, weights: Float64) -> Plot:
    shown = range(min(len(weights), 12))
    prefix = found.whole.prefix
    labels = tuple(f"${symbol(key_name(problem.given, i, prefix))}$" for i in shown)
    wanted = found.whole.wanted()
    series = (
        Series("wanted", labels, tuple(float(wanted[i]) for i in shown)),
        Series("given", labels, tuple(float(weights[i]) for i in shown)),
    )
    return Plot("bars", "Average weights of all heads", "key", "weight", series)


def _against_one(found: Heads) -> list[Block]:
    """The same factor in several heads, and in one head for all wanted keys."""
    whole = found.whole
    s = whole.scale if whole.even else 1.0
    factors = np.array(sorted({1 / s, 5 / s, 10 / s, 50 / s, 100 / s, found.factor}))

    def errors(of: Float64) -> tuple[Float64, Float64]:
        start, end = (whole.query(f, found.instance.symbols) for f in (0.0, 1.0))
        single = (start + np.multiply.outer(of, end - start))[:, None, :]
        return found.off(found.at(of)), found.keys.off(single, found.wanted)

    several, one = errors(factors)
    rows = tuple(
        (number(float(f)), _error(found, float(a)), _error(found, float(b)))
        for f, a, b in zip(factors, several, one, strict=True)
    )
    count = len(found.mixes)
    table = Table(
        (f"${whole.factor}$", f"{count} heads", "one head"),
        rows,
        "error: several heads against one head for all wanted keys",
    )
    pure = all(mix.m == 1 for mix in found.mixes)
    # Heads with keys in common need double integrals, so fewer points are drawn.
    x = np.linspace(0, 5 * max(found.factor, 1.0), POINTS if pure else POINTS // 3)
    several, one = errors(x)
    places = tuple(float(f) for f in x)
    plot = Plot(
        "lines",
        "Heads of one key have no upper limit on the factor; one head for all keys has"
        if pure and found.random and whole.m > 1
        else "The error of several heads, of which some are mixed, and of one head"
        if not pure
        else "The error of several heads, and of one head for all wanted keys",
        whole.factor,
        f"root mean square error, 0 if below {number(KNOWN)}" if found.random else "error",
        (
            Series(f"{count} heads", places, drawn(several, KNOWN if found.random else ROUNDING)),
            Series("one head", places, drawn(one, KNOWN if found.random else ROUNDING)),
        ),
    )
    return [table, plot]


def _limits(found: Heads) -> Table:
    alpha = spread_of(found)
    tried = sorted({0.01, 0.05, 0.1, 0.5} | ({alpha} if alpha is not None else set()))
    rows = []
    for variance in tried:
        success, bound = hard_limit(found.whole.n, variance)
        rows.append((number(variance), number(success, 10), number(bound, 10)))
    columns = ("variance of the noise", "a head with one key succeeds", "at least")
    caption = f"the limit of a large factor, {found.whole.n} orthonormal means"
    return Table(columns, tuple(rows), caption)


def heads_mistakes(found: Heads) -> tuple[str, ...]:
    """No scale, the same query twice, sum instead of average."""
    whole, n, heads = found.whole, found.whole.n, len(found.mixes)
    one = math.e / (math.e + n - 1)
    result = []
    pure = all(mix.m == 1 for mix in found.mixes) and not math.isnan(found.factor)
    if pure and n > 1 and found.factor > 1 / whole.scale:
        error = float(found.off(found.at(np.array(1.0 / whole.scale))))
        still = math.sqrt((1 - one) ** 2 + (n - 1) * ((1 - one) / (n - 1)) ** 2)
        result.append(
            f"Queries without a large factor. $q_1 = {found.mixes[0].latex()}$ with "
            f"${whole.factor} = {tex(1 / whole.scale)}$ gives its key the weight "
            f"{number(one, 4)} of {n} keys, and would give {number(math.e / (math.e + 99), 3)} of "
            f"100. The weights of that head are off by {number(still)}, the output by "
            f"{number(error)}."
        )
    if found.random and whole.m > 1 and not math.isnan(found.factor):
        single = whole.query(found.factor, found.instance.symbols)
        alike, apart = float(found.keys.variance(single[None])), found.variance
        if alike > max(apart, KNOWN**2):
            result.append(
                "The same mixed query in every head: all of them see the same keys and put out the "
                "same, so averaging removes no noise. The variance stays "
                f"{variance_in_digits(alike)}; with the queries above it is "
                f"{variance_in_digits(apart)}."
            )
    if found.noisy is not None:
        result.append(
            "That the noise does not matter because it is small. Small against what: with the "
            f"noise given the error is {error_in_digits(found.error_with_noise)}, without it "
            f"{number(found.error)}."
        )
    summed = float(np.linalg.norm((heads - 1) * found.wanted))
    result.append(
        f"Adding the heads instead of averaging them: the output would be {heads} times as "
        f"large, off by {number(summed)}."
    )
    return tuple(result)
